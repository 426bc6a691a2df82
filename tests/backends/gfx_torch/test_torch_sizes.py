"""Calls of PyTorch that ask how open sizes are to each other, and its classes of tensors as functions."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import MissingOp, UnsupportedConstruct


def heads(x, q):
    """Parts of as many rows as another tensor has: four of them."""
    q = torch.cat(q.split(2, 2), 0)
    return torch.cat((q + q.sum()).split(x.shape[0], 0), 2)


def common(x, q):
    shape = torch.broadcast_shapes(x.shape[:-1], (1, 1), q.shape[:-2] + (1,))
    return x.expand(*shape, 2) + q.sum()


def types(other="B"):
    return gfx.TensorSpec(("B", 3, 2), "float32"), gfx.TensorSpec((other, 3, 8), "float32")


@pytest.mark.parametrize("f", [heads, common], ids=lambda f: f.__name__)
def test_sizes_that_are_multiples(f):
    program = gfx.symbolic_trace(f, *types())
    written = {to: gfx.transpile(program, to=to) for to in ("torch", "jax")}
    for n in (1, 3):
        x, q = torch.randn(n, 3, 2), torch.randn(n, 3, 8)
        wanted = f(x, q)
        torch.testing.assert_close(written["torch"](x, q), wanted)
        np.testing.assert_allclose(
            written["jax"](*(jnp.asarray(y.numpy()) for y in (x, q))), wanted.numpy(), rtol=1e-5, atol=1e-6
        )


def test_sizes_that_may_differ_have_no_common_one():
    with pytest.raises(MissingOp, match="may differ"):
        gfx.transpile(gfx.symbolic_trace(common, *types("C")), to="jax")


def same(x):
    y = torch.Tensor(x)
    y += 1
    return x + y, torch.FloatTensor(x) * 2


def listed(x):
    return torch.Tensor([[x.sum(), 1.0]]) + torch.FloatTensor([x.shape[0], 2]) * x + torch.LongTensor([1, 2])


def of_sizes(x):
    return torch.Tensor(x.shape[0], 2).fill_(3.0) * x + torch.FloatTensor(x.shape[0], 2).zero_()


@pytest.mark.parametrize("f", [same, listed, of_sizes], ids=lambda f: f.__name__)
def test_classes_of_tensors_are_functions(f):
    program = gfx.symbolic_trace(f, gfx.TensorSpec(("B", 2), "float32"))
    for n in (1, 3):
        x = torch.randn(n, 2)
        wanted = f(x.clone())
        got = gfx.transpile(program, to="torch")(x.clone()), gfx.transpile(program, to="jax")(jnp.asarray(x.numpy()))
        for found in got:
            for a, b in zip(wanted if f is same else [wanted], found if f is same else [found]):
                np.testing.assert_allclose(np.asarray(b), a.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: torch.LongTensor(x),
        lambda x: torch.Tensor(tuple(x.size())),
        lambda x: torch.Tensor(np.arange(2.0)) * x,
    ],
)
def test_what_a_class_of_tensors_makes_of_it_is_not_told(f):
    with pytest.raises(UnsupportedConstruct, match="may"):
        gfx.symbolic_trace(f, gfx.TensorSpec(("B", 2), "float32"))


def of_shapes(x):
    mask = torch.BoolTensor(x.size()).fill_(0)
    return x.masked_fill(mask, 1), torch.Tensor(x.shape).fill_(2), x.new(x.shape[1:] + (3,)).zero_(), torch.Tensor()


def of_its_own_class(x):
    hidden = x.new(2, x.size(0), 3).zero_()
    return hidden, x.new([1.0, 2.0]) + x.new((3.0, x.sum())), x.new(x.size()).fill_(2), x.new()


@pytest.mark.parametrize(
    "given", [(), (gfx.TensorSpec(("B", 2), "float32"),), (torch.ones(3, 2),)], ids=["open", "a size", "fixed"]
)
@pytest.mark.parametrize("f", [of_shapes, of_its_own_class], ids=lambda f: f.__name__)
def test_classes_of_tensors_take_a_shape_for_sizes(f, given):
    program = gfx.symbolic_trace(f, *given, backend="torch")
    x = torch.ones(3, 2)
    jax = gfx.transpile(program, to="jax")(jnp.asarray(x.numpy()))
    for wanted, *found in zip(f(x), program(x), gfx.transpile(program, to="torch")(x), jax):
        for got in found:
            assert tuple(got.shape) == tuple(wanted.shape)
            np.testing.assert_allclose(np.asarray(got), wanted.numpy())


def kept(x, make):
    found, left = [], x.argsort()
    while left.numel() > 0:
        found.append(left[0].item())
        left = left[1:][x[left[1:]] > x[left[0]] + 0.3]
    return make(found)


@pytest.mark.parametrize("make", [torch.LongTensor, torch.FloatTensor, torch.Tensor])
def test_classes_of_tensors_take_numbers_of_a_list_that_a_loop_fills(make):
    f = lambda x: kept(x, make)
    program = gfx.symbolic_trace(f, torch.rand(8))
    for _ in range(2):
        x = torch.rand(8)
        torch.testing.assert_close(program(x), f(x))


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_tuple_that_may_have_been_a_shape_is_refused(dynamic):
    def f(x):
        shape = x.shape if x.sum() > 0 else (x + 1).shape
        return torch.Tensor(shape)

    with pytest.raises(UnsupportedConstruct, match="may be of sizes"):
        gfx.symbolic_trace(f, torch.ones(2, 3), dynamic=dynamic)


def windowed(x):
    """Windows of Hann, Hamming, Blackman, Bartlett and Kaiser, as long as the signal; of one sample they are 1."""
    n = x.shape[-1]
    faded = torch.stack([torch.hann_window(n), torch.hamming_window(n, False), torch.blackman_window(n)])
    sides = torch.stack(
        [torch.bartlett_window(n, False), torch.kaiser_window(n, True, 8.0), torch.hann_window(n, False)]
    )
    return x * faded, x * sides, torch.hamming_window(n, True, 0.6, 0.4)


@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
def test_windows_of_an_open_length(to):
    program = gfx.symbolic_trace(windowed, gfx.TensorSpec(("N",), "float32"))
    made = program.to(to)
    for n in (1, 2, 7):
        x = torch.randn(n)
        for found, wanted in zip(made(x if to == "torch" else x.numpy()), windowed(x)):
            np.testing.assert_allclose(np.asarray(found), wanted.numpy(), atol=1e-6)


@pytest.mark.parametrize("x", [torch.tensor([1.0, torch.nan]), torch.tensor([1 + 1j, 2]), torch.tensor([1, 2])])
def test_what_is_real_of_an_open_dtype(x):
    program = gfx.symbolic_trace(lambda x: torch.isreal(x), backend="torch")
    assert torch.equal(program.to("torch")(x), torch.isreal(x))


def test_the_axis_of_a_cross_product_is_not_guessed():
    with pytest.raises(MissingOp, match="first axis of 3 elements"):
        gfx.symbolic_trace(lambda x: torch.cross(x, x), backend="torch")


ADAPTIVE, TRANSFORMER = nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[4, 7]), nn.Transformer(4, 2, 1, 1, 8).eval()


def masked(x):
    own = TRANSFORMER.generate_square_subsequent_mask(len(x))
    return x @ x.T + nn.Transformer.generate_square_subsequent_mask(x.size(0), dtype=torch.float64) + own


@pytest.mark.parametrize(
    "f", [masked, lambda x: ADAPTIVE.log_prob(x), lambda x: ADAPTIVE.predict(x)], ids=["mask", "log_prob", "predict"]
)
@pytest.mark.parametrize("to", ["torch", "jax"])
def test_methods_of_layers_are_entered(f, to):
    made = gfx.transpile(f, gfx.TensorSpec((gfx.Dim("T", min=1), 4), "float32"), to=to)
    for n in (1, 5):
        x = torch.randn(n, 4)
        found, wanted = made(x if to == "torch" else jnp.asarray(x.numpy())), f(x).detach()
        np.testing.assert_allclose(np.asarray(found.detach() if to == "torch" else found), wanted.numpy(), rtol=1e-4)
