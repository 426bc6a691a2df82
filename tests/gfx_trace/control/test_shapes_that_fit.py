"""Operations within a `try` whose shapes fit whatever the argument is, so that no except clause waits for them; and such that may not."""

import numpy as np
import pytest

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.trees import leaves

ARRAYS = (np.array([0.5, -1.0, 2.0]), np.array([[0.5, -1.0], [2.0, 3.0]]), np.array([1.0]))


def of_one_argument(x):
    part = x[0]
    try:
        return np.flip(np.tanh(x) + part, 0) - x * 2
    except ValueError:
        return part


def carried(x):
    w, v = x, x * 2
    for _ in range(3):
        try:
            w = np.where(w > 0, w + x, v)
        except ValueError:
            w = w * 0
        w, v = v, w
    return w


def behind_a_loop(x):
    w, part = x * 1, x[0]
    while w.sum() > 0.1:
        w = w - np.abs(x) - 0.25
    try:
        return np.flip(w + x, 0) + part
    except ValueError:
        return part


def carried_and_turned(x):
    w, part = x * 1, x[0]
    for _ in range(2):
        try:
            w = np.flip(w, 0) + 1
        except ValueError:
            w = part
    return w


def in_a_function(x):
    def plus(a, b):
        return a + b

    try:
        return plus(x, np.tanh(x))
    except ValueError:
        return x * 0


def written_of_itself(x):
    w = np.tanh(x)
    try:
        w *= np.tanh(w)
        w += 0.5
    except ValueError:
        w = x * 2
    return w


def written_at_its_place(x):
    w, i = x * 1, x.shape[0] // 2
    try:
        w[i] = np.tanh(w[i]) * 2 + x[0]
        part = w[:1]
        part *= 0.5
        w[0] = 1.5
    except ValueError:
        w = x * 2
    return w


def of_two_arguments(x, m):
    try:
        return x + m
    except ValueError:
        return x


def without_axes(x):
    try:
        return np.flip(x * 1, 0)
    except ValueError:
        return x


def indexed_on_one_side(x):
    if x.sum() > 0:
        x[0] * 1
    try:
        return np.flip(x * 1, 0)
    except ValueError:
        return x


def another_in_later_trips(x, m):
    w = x
    for _ in range(3):
        try:
            w = w + x
        except ValueError:
            w = w * 0
        w = m
    return w


def fewer_axes_in_later_trips(x):
    w, part = x * 1, x[0]
    for _ in range(2):
        try:
            w = np.flip(w, 0)
        except ValueError:
            w = part * 2
        w = part
    return w


def rows_of_a_trip(x):
    w, part = x * 1, x[0]
    for _ in range(2):
        try:
            w = w + part
        except ValueError:
            w = x
        part = part[:1]
    return w


def written_by_more_axes(x):
    part = x[0] + 0
    try:
        part += x
    except ValueError:
        part = x * 2
    return part


def written_on_one_side(x):
    part = x[0]
    try:
        if x.sum() > 0:
            part += x
        else:
            part = part + x
    except ValueError:
        part = x
    return part


def written_at_another_place(x):
    w = x * 1
    try:
        w[:1] = np.tanh(w[1:])
    except ValueError:
        w = x * 2
    return w


def written_where_one_is_open(x, m, k: int = 0):
    w = x * 1
    try:
        w[k] = m
    except ValueError:
        w = x * 2
    return w


FIT = (
    of_one_argument,
    carried,
    behind_a_loop,
    carried_and_turned,
    in_a_function,
    written_of_itself,
    written_at_its_place,
)
WAIT = (
    of_two_arguments, without_axes, indexed_on_one_side, another_in_later_trips, fewer_axes_in_later_trips,
    rows_of_a_trip, written_by_more_axes, written_on_one_side, written_at_another_place,
    written_where_one_is_open,
)  # fmt: skip


@pytest.mark.parametrize("fn", FIT)
def test_what_fits_is_captured(fn):
    program = gfx.symbolic_trace(fn, backend="numpy")
    for x in ARRAYS:
        for want, got in zip(leaves(fn(x.copy())), leaves(program.to("numpy")(x.copy())), strict=True):
            assert np.shape(want) == np.shape(got) and np.allclose(want, got)


@pytest.mark.parametrize("fn", WAIT)
def test_what_may_not_fit_is_refused(fn):
    with pytest.raises(UnsupportedConstruct, match="an except clause waits for it"):
        gfx.symbolic_trace(fn, backend="numpy")
