"""Arguments that are not given and whose annotation says a list or tuple: of any length, or open item by item."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import Tensor

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct


def summed(xs: list[Tensor]):
    total = xs[0].sum()
    for x in xs:
        if x.mean() > 0:
            total = total + x.mean()
    return total, torch.cat(xs), len(xs), [x * 2 for x in xs]


def pairs(xs: Sequence[Tensor], ys: tuple[Tensor, ...]):
    return tuple(x @ y for x, y in zip(xs, ys)), max(x.shape[0] for x in xs), xs[::-1], ys[-1]


def early(xs: list[Tensor], at: int):
    if at >= len(xs):
        return xs[0] * 0
    return xs[at]


def cell(state: tuple[Tensor, Tensor], x: Tensor, sizes: tuple[int, int]):
    hidden, memory = state
    memory = memory + x.reshape(sizes)
    return hidden * memory, (hidden, memory)


class Pyramid(torch.nn.Module):
    """A layer for each level of features; a level without one is left out."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)])

    def forward(self, features: list[Tensor]):
        total = features[0].sum()
        for i, (layer, x) in enumerate(zip(self.layers, features)):
            total = total + layer(x).sum() * i
        return total, [layer(x) for layer, x in zip(self.layers, features)]


def moved(tree, to):
    if isinstance(tree, (list, tuple)):
        return type(tree)(moved(item, to) for item in tree)
    return jnp.asarray(tree.numpy()) if to == "jax" and isinstance(tree, Tensor) else tree


def flat(tree):
    if isinstance(tree, (list, tuple)):
        return [leaf for item in tree for leaf in flat(item)]
    return [tree.detach().numpy() if isinstance(tree, Tensor) else np.asarray(tree)]


R = [torch.randn(2, 3), torch.randn(4, 3), torch.randn(1, 3)]


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize(
    ("f", "calls"),
    [
        (summed, [(R[:1],), (R,)]),
        (pairs, [(R, (torch.ones(3), torch.ones(3, 2))), (R[:2], (torch.ones(3),) * 3)]),
        (early, [(R, 1), (R, 3)]),
        (Pyramid(), [(R[:1],), (R[:2],), (R,)]),
        (cell, [((R[0], R[0]), torch.ones(6), (2, 3)), ((R[1], R[2]), torch.ones(12), (4, 3))]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_lists_of_any_length(f, calls, to):
    made = gfx.transpile(f, to=to)
    for call in calls:
        found, wanted = flat(made(*moved(call, to))), flat(f(*call))
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted):
            np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("given", [R[0], [1.0], [R[0], [R[1]]], None])
def test_what_is_no_list_of_tensors_is_refused(given):
    with pytest.raises(GuardError, match="list of tensors, and the call has"):
        gfx.symbolic_trace(summed)(given)


def appends(xs: list[Tensor]):
    xs.append(xs[0])


def replaces(xs: list[Tensor]):
    xs[0] = xs[0] + 1


def writes(xs: list[Tensor]):
    for x in xs:
        x += 1


def of_numbers(xs: list[int], x: Tensor):
    return x.permute(*xs)


@pytest.mark.parametrize("f", [appends, replaces, writes, of_numbers])
def test_what_the_caller_would_see_and_lists_of_numbers_are_refused(f):
    with pytest.raises(UnsupportedConstruct):
        gfx.symbolic_trace(f)
