"""Tensors that nobody takes: captured without arguments, the code still fails where its author's fails."""

import pytest
import torch

import gfx_trace as gfx


def indexed(x):
    x[3]
    return x


def viewed(x):
    _y = x.view(7)
    return x


def joined(x):
    y = x.reshape(2, 1)
    torch.cat([x, y])
    return x


def made(x):
    torch.zeros(-1)
    return x


def reduced(x):
    _m = x.mean(3)
    return x


def multiplied(x):
    x @ torch.ones(3, 3)
    return x


def under_a_test(x, flag: bool = True):
    if flag:
        x.view(7)
    return x


def under_a_tensor_test(x):
    if x.sum() > 0:
        x[3]
    return x


def in_a_loop(x):
    for i in range(4):
        x[i]
    return x


def one_of_two(x):
    a = x[0]
    _b = x[5]
    return a


FUNCTIONS = [
    indexed, viewed, joined, made, reduced, multiplied, under_a_test, under_a_tensor_test, in_a_loop, one_of_two,
]  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_the_error_is_raised(fn):
    program, x = gfx.symbolic_trace(fn, backend="torch"), torch.ones(2)
    with pytest.raises((RuntimeError, IndexError)) as want:
        fn(x)
    for run in (program, program.to("torch")):
        with pytest.raises(type(want.value)):
            run(x)
    with pytest.raises((TypeError, ValueError, IndexError)):
        program.to("jax")(x.numpy())


def total(x):
    _y = x.exp() * 2 + 1
    _z = x.float().sum()
    return x


def sorted_values(x):
    values, _indices = torch.sort(x, 0)
    return values


def while_(x):
    while x[0] > 5:
        x = x - x[0]
    return x


@pytest.mark.parametrize(
    "fn, lines", [(total, 1), (sorted_values, 2), (while_, 3)], ids=["total", "sorted_values", "while_"]
)
def test_what_cannot_fail_alone_goes(fn, lines):
    source = gfx.symbolic_trace(fn, backend="torch").source("torch")
    assert len(source[source.index("def ") :].strip().splitlines()) == lines + 1, source
