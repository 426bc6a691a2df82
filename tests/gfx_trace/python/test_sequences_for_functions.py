"""Sequences of Python's that are no lists, ranges and deques, where a function of a framework takes one."""

from collections import deque

import numpy as np
import pytest
import torch

import gfx_trace as gfx

X = np.arange(12.0).reshape(4, 3)


def rows(x):
    return x[range(2)]


def columns(x):
    return x[:, range(2, -1, -1)]


def pairs(x):
    return x[range(0, 4, 2), range(2)]


def none_at_all(x):
    return x[range(0)]


def order_of_axes(x):
    return np.transpose(x, range(1, -1, -1))


def elements(x):
    return np.array(range(3)) * x[0]


def the_last_two(x):
    kept = deque(maxlen=2)
    for row in (x[0], x[1], x[2]):
        kept.append(row)
    return np.stack(kept)


def in_a_loop(x):
    for i in range(2):
        x = x + x[range(i, i + 1)]
    return x


@pytest.mark.parametrize("known", [True, False], ids=["typed", "open"])
@pytest.mark.parametrize(
    "fn",
    [rows, columns, pairs, none_at_all, order_of_axes, elements, the_last_two, in_a_loop],
    ids=lambda fn: fn.__name__,
)
def test_a_sequence_is_the_list_of_its_items(fn, known):
    program = gfx.symbolic_trace(fn, *[X] * known, backend="numpy")
    want = fn(X)
    for run in (program, program.to("numpy")):
        np.testing.assert_array_equal(run(X), want)
    np.testing.assert_allclose(np.asarray(gfx.transpile(fn, X, to="jax")(X)), want)


def test_a_row_of_each_is_written():
    def f(x, at):
        x = x.copy()
        x[range(x.shape[0]), at] = -1.0
        return x

    at = np.array([2, 0, 1, 1])
    program = gfx.symbolic_trace(f, X, at)
    np.testing.assert_array_equal(program(X, at), f(X, at))
    np.testing.assert_array_equal(np.asarray(program.to("torch")(*map(torch.from_numpy, (X, at)))), f(X, at))
