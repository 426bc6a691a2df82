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


class Norm(enum.StrEnum):
    MEAN = "mean"
    TOTAL = "sum"


CHOSEN = {
    "its name": lambda x, way, norm: x * len(way.name) + way.value,
    "its class": lambda x, way, norm: x * (2.0 if isinstance(way, Way) and type(norm) is Norm else 3.0),
    "which one": lambda x, way, norm: x * (2.0 if way is Way.FIRST else 3.0) + (norm == "mean"),
    "a key": lambda x, way, norm: x * {Way.FIRST: 1.0, Way.SECOND: 2.0}[way] + {"mean": 1.0, "sum": 2.0}[norm],
    "its text": lambda x, way, norm: x * len(f"{way!r} {norm}"),
    "an operand": lambda x, way, norm: (x * way - -way) ** way + (x < way),
    "written": lambda x, way, norm: (x + 1).add_(way).mul_(way),
    "an argument": lambda x, way, norm: x.sum(way - 1) * torch.nn.functional.mse_loss(x, x * 2, reduction=norm),
    "a count": lambda x, way, norm: sum([x * i for i in range(way)]),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_one_that_a_test_chose_is_of_its_class(name):
    def f(x, n: int):
        way, norm = Way.FIRST, Norm.MEAN
        if n > 1:
            way, norm = Way.SECOND, Norm.TOTAL
        return CHOSEN[name](x, way, norm)

    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    program = gfx.symbolic_trace(f, backend="torch")
    to_jax = program.to("jax")
    for n in (0, 2):
        want = f(x.clone(), n)
        for got in (program(x.clone(), n), program.to("torch")(x.clone(), n), to_jax(jnp.asarray(x.numpy()), n)):
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-6)
