"""Numbers and texts of classes of their own, as those of enumerations, are what they are: source cannot hold their class."""

import enum

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


class Way(enum.IntEnum):
    FIRST = 1
    SECOND = 2


class Mode(enum.StrEnum):
    MEAN = "mean"


class Half(float):
    def __float__(self):
        raise AssertionError("nobody asks for it")


def operand(x):
    return x * Way.SECOND, x + Half(2.5)


def argument(x):
    return torch.sum(x, dim=Way.FIRST), torch.nn.functional.mse_loss(x, x * 2, reduction=Mode.MEAN)


def index(x):
    y = x.clone()
    y[Way.FIRST] = Way.SECOND
    return y, x[Way.FIRST]


def result(x):
    return x, Way.SECOND


def shape(x, k: int = 3):
    return x.reshape(Way.SECOND, -1) * (k + Way.FIRST), torch.full((Way.SECOND,), Way.FIRST)


def loop(x):
    n = Way.SECOND
    while x.sum() < 100:
        x = x * n
        n += Way.FIRST
    return x, n


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("fn", [operand, argument, index, result, shape, loop])
def test_such_a_constant_is_a_number_or_text(fn, given):
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    want = fn(x.clone())
    program = gfx.symbolic_trace(fn, *([x] if given else []), backend="torch")
    for got in (program(x.clone()), program.to("torch")(x.clone()), program.to("jax")(jnp.asarray(x.numpy()))):
        assert [np.asarray(part).tolist() for part in got] == [np.asarray(part).tolist() for part in want]


def test_what_histograms_give_has_names():
    def counts(x):
        return torch.histogram(x, 4).hist, torch.histogram(x, 4).bin_edges

    x = torch.rand(9)
    got, want = gfx.symbolic_trace(counts, x)(x), counts(x)
    assert all(map(torch.allclose, got, want))
