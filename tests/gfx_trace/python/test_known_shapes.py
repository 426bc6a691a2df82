"""What `x.size()` and `x.shape` give where the shape is known, beside shapes of the framework's own class."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx

S, EMPTY, X = torch.Size([2]), torch.Size(), torch.ones(4)
CASES = [
    lambda x: x.reshape(x.shape + EMPTY),
    lambda x: x.reshape(EMPTY + x.shape),
    lambda x: x.reshape(torch.Size() + x.size()),
    lambda x: torch.zeros(S + x.shape),
    lambda x: x.expand(S + tuple(x.shape)),
    lambda x: x * isinstance(x.shape, torch.Size) + isinstance(x.size(), torch.Size) + isinstance(x.shape, tuple),
    lambda x: x * isinstance(x.shape, list) + isinstance(x.shape, (list, torch.Size)),
    lambda x: x * isinstance((4,), torch.Size),
    lambda x: (
        x * isinstance(x.shape + (1,), torch.Size)
        + 2 * isinstance((1,) + S, torch.Size)
        + 4 * isinstance(S * 2, torch.Size)
    ),
    lambda x: x * isinstance(torch.Size((4,)), torch.Size) + 2 * isinstance((4,) + (1,), torch.Size),
    lambda x: torch.zeros((S + torch.Size((len(x), 2))).numel()),
]
OPEN = [
    lambda x: torch.zeros((x.shape[0],) + S),
    lambda x: torch.zeros(S + torch.Size([x.shape[0], 2])),
    lambda x: x.new_zeros((EMPTY + x.shape).numel()),
]
COUNTED = [
    lambda x: x + sum([i * j for i, j in zip(reversed(x.size()), reversed(S))]),
    lambda x: x + sum([i * j for i, j in zip(x.size()[:1] + S, (2, 3))]),
    lambda x: x + [n * i for i, n in enumerate(x.size() + S)][1],
]


@pytest.mark.parametrize("args", [(X,), ()], ids=["typed", "open"])
@pytest.mark.parametrize("f", CASES)
def test_shapes(f, args):
    assert gfx.symbolic_trace(f, *args, backend="torch")(X).equal(f(X))


@pytest.mark.parametrize("f", OPEN)
def test_sizes_beside_a_shape_stay_open(f):
    assert gfx.symbolic_trace(f, X, dynamic=True)(torch.ones(7)).equal(f(torch.ones(7)))


@pytest.mark.parametrize("f", COUNTED)
def test_shapes_are_taken_apart_where_their_length_is_known(f):
    assert gfx.symbolic_trace(f, X)(X).equal(f(X))


def test_the_sizes_of_a_typed_tensor_are_a_tuple_however_they_are_asked():
    def fn(theta, x):
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False), list(x.size())[1:], x.size(-1), x.size(dim=0)

    theta, x = torch.randn(2, 2, 3), torch.randn(2, 1, 4, 4)
    got, want = gfx.transpile(fn, theta, x, to="torch")(theta, x), fn(theta, x)
    assert torch.allclose(got[0], want[0]) and got[1:] == want[1:]


@pytest.mark.parametrize("dynamic", [False, True])
def test_ends_of_a_slice_that_are_the_same_for_all_inputs_tell_its_size(dynamic):
    columns = {"length": (2, 3)}

    def fn(x):
        at, ends = np.array(columns["length"]), np.cumsum([1, 2])
        return x[:, at[0] : at[1]].squeeze(1), x[:, ends[0] : ends[1]].squeeze(1)

    x = torch.arange(8.0).reshape(2, 4)
    got = gfx.transpile(fn, x, to="jax", dynamic=dynamic)(x.numpy())
    assert all(np.array_equal(a, b) for a, b in zip(got, fn(x)))
