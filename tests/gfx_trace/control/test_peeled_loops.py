"""A loop that has a first trip: what only that changes for good is settled before the loop."""

from collections import deque

import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.trees import leaves
from three_ways import assert_as_python

X = torch.arange(12.0).reshape(4, 3) / 5


def running_maximum(x):
    best = None
    for row in x:
        best = row if best is None else torch.maximum(best, row)
    return best


def by_the_largest_sum(x):
    best = None
    for row in x:
        if best is None or row.sum() > best.sum():
            best = row
    return best


def recurrent(x):
    state = None
    for i, row in enumerate(x):
        state = torch.tanh(row) if state is None else torch.tanh(row + state * i)
    return state


def differences_from_behind(x):
    previous, total = None, 0.0
    for row in reversed(x):
        if previous is not None:
            total = total + (row - previous).abs().sum()
        previous = row
    return total


def two_of_them(x):
    first = second = None
    for a, b in zip(x, x * 2):
        first = a if first is None else first + b
        second = (a, b) if second is None else (second[0] + a, b)
    return first, *second


def one_axis_less_in_each_trip(x):
    y = x[None, :, None]
    for axis in range(2, 0, -1):
        y = y.squeeze(axis).sum(axis - 1)
    return y, y.dim() + x[0]


def kernels_of_several_sizes(x):
    for k in range(1, 3):
        x = F.conv1d(x[None], torch.ones(4, 4, k))[0] + len(x)
    return x


def shape_of_the_second_trip(x):
    out = x[0]
    for row in x:
        out = torch.cat([out[:2], row])
    return out


def until_it_converges(x):
    previous, k = None, 0
    while True:
        y = torch.cos(x)
        if previous is not None and (y - previous).abs().max() < 1e-3:
            break
        previous = x = y
        k += 1
        if k > 50:
            break
    return y


def left_in_the_first_trip(x):
    last = None
    for row in x:
        last = (row, row * 2)
        if row.sum() > 100:
            break
    return last[1]


def in_a_loop(x):
    for _ in range(3):
        least = None
        for row in x:
            least = row if least is None else torch.minimum(least, row)
        x = x - least + 1
    return x


def total_of_all_trips(x):
    total = 0
    for at in range(len(x)):
        total = total + x[at]
    return total.clamp(min=0.1)


FUNCTIONS = [
    running_maximum, by_the_largest_sum, recurrent, differences_from_behind, two_of_them, shape_of_the_second_trip,
    until_it_converges, left_in_the_first_trip, in_a_loop, one_axis_less_in_each_trip, kernels_of_several_sizes,
    total_of_all_trips,
]  # fmt: skip


def tuple_of(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_one_trip_settles_what_is_carried(fn):
    program, x = gfx.symbolic_trace(fn, X), X - 1.5
    want = fn(x)
    for found in (program(x), program.to("torch")(x), program.to("jax")(jnp.asarray(x.numpy()))):
        for a, b in zip(tuple_of(found), tuple_of(want), strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5)


def test_the_source_has_a_loop_of_the_other_trips():
    assert (
        gfx.symbolic_trace(running_maximum, X)
        .source("torch")
        .endswith(
            """
    best = x[0]
    for row in x[1:]:
        best = torch.maximum(best, row)
    return best
"""
        )
    )


def summed(x, n: int):
    total = None
    for i in range(n):
        total = x if total is None else total + x * i
    return total


def largest_row(x, n: int):
    best, at = None, -1
    for i, row in enumerate(x[:n]):
        if best is None or row.sum() > best.sum():
            best, at = row, i
    return best, at


def until_a_row_is_large(x, n: int):
    last = ()
    for k, row in zip(range(1, n + 1), x):
        last = (row, k) if not last else (last[0] + row, last[1] * k)
        if k > 1 and row.sum() > 0:
            break
    return last


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("fn", [summed, largest_row, until_a_row_is_large])
def test_an_open_number_says_whether_there_is_a_first_trip(fn, typed):
    program = gfx.symbolic_trace(fn, *((X, gfx.Open) if typed else ()), backend="torch")
    for n in range(4):
        want = fn(X, n)
        for found in (program(X, n), program.to("torch")(X, n), program.to("jax")(jnp.asarray(X.numpy()), n)):
            for a, b in zip(leaves(found), leaves(want), strict=True):
                assert (a is None) == (b is None)
                np.testing.assert_allclose(np.asarray(a if a is not None else 0), np.asarray(b if b is not None else 0))


def one_longer_in_each_trip(x):
    out = x[0]
    for row in x:
        out = torch.cat([out, row])
    return out


def and_two_more(x):
    made, h = None, x[0] * 0
    for t in range(x.shape[0] + 2):
        given = x[t] if t < x.shape[0] else made
        h = h * 0.5 + given
        made = torch.tanh(h)
    return made, h


@pytest.mark.parametrize(("fn", "least"), [(and_two_more, 1), (recurrent, 2), (running_maximum, 3)])
def test_bounds_of_a_size_say_that_there_is_a_first_trip(fn, least):
    rows = gfx.TensorSpec((gfx.Dim("T", min=least), 3), "float32")
    assert_as_python(fn, (rows,), [(torch.randn(n, 3),) for n in (least, 5)])


def test_what_each_trip_changes_is_refused():
    said = "GFX cannot convert this loop: 'out' changes its shape from.*\n    for row in x"
    with pytest.raises(CaptureError, match=said):
        gfx.symbolic_trace(one_longer_in_each_trip, X)


# ---------------------------------------------------------------- trips that fail but for what is known of each
def _last_but_one(x):
    kept = deque(maxlen=2)
    for i in range(4):
        kept.append((i, x * i))
        if i >= 1:
            (before, first), (now, second) = kept[-2], kept[-1]
            x = x + first * (now - before) + second
    return x


def _by_keys(x):
    held = {}
    for i in range(4):
        held[i] = x * i
        if i >= 1:
            x = x + held[i - 1] / i
    return x


def _always_fails(x):
    for i in range(3):
        x = x * [1.0, 2.0][i]
    return x


def _may_fail(x):
    kept = []
    for _ in range(3):
        if x.sum() > 0:
            x = x + kept[-2]
        kept.append(x)
    return x


@pytest.mark.parametrize("fn", [_last_but_one, _by_keys])
def test_a_trip_of_which_nothing_is_known_may_fail_where_none_does(fn):
    assert_as_python(fn, (torch.ones(2),), [(torch.tensor([1.0, -2.0]),)])


@pytest.mark.parametrize("fn, error", [(_always_fails, IndexError), (_may_fail, UnsupportedConstruct)])
def test_what_fails_in_one_of_the_trips_says_so(fn, error):
    with pytest.raises(error, match="list index out of range"):
        gfx.symbolic_trace(fn, torch.ones(2))
