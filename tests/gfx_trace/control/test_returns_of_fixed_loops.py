"""Returns out of loops that Python runs, and returns behind them: where the flag says that one was reached, one of them has its value."""

import itertools

import pytest
import torch

import gfx_trace as gfx
from sweeps import one_in
from three_ways import assert_as_python

DATA = [torch.tensor([a, b, 0.1]) for a, b in ((1.0, 2.0), (-1.0, 0.5), (-3.0, 0.2), (0.05, -0.01), (-0.6, 0.3))]


def over_a_tuple(a):
    for e in (0.5, 0.25):
        if a.sum() > 0.2:
            return a * 0.5
        a = a * 0.5 + e
    return a * 0.25


def three_trips(a):
    for e in (0.5, -1.0, 0.25):
        if a.sum() > 0.2:
            return a * e
        a = a * 0.5 + e
    return a - 1


def two_returns_a_trip(a):
    for name in ("first", "second"):
        if a[0] > 0.2:
            return a * len(name)
        a = a + 0.5
        if a[1] > 0.4:
            return -a
    return a * 10


def in_a_helper(x):
    def pick(a, scale=1):
        for e in (0.5, 0.25):
            if a.sum() > 0.2:
                scale = scale + 1
                return a * 0.5
            a = a * 0.5 + e
        return a * 0.5 if scale > 2 else a + scale * 0.1

    return pick(x) + pick(x * 2)


def in_a_loop_of_data(x):
    count = 0
    while x.sum() < 3 and count < 4:
        count = count + 1

        def step(a):
            for e in (0.5, 0.25):
                if a.sum() > 0.2:
                    return a + e
                a = a * 0.5 + e
            return a + 1

        x = step(x)
    return x


def of_different_lines(x):
    for key, part in {"a": x, "b": x * 2}.items():
        if part.max() > 1.5:
            y = part - 1
            return y * (2 if key == "a" else 3)
    y = x + 1
    return y


def nested(x):
    for e in (1.0, 2.0):
        for f in (0.1, 0.2):
            if x.sum() * e > f + 0.5:
                return x * e + f
            x = x + f
    return x - 5


def over_an_element(x):
    for e in (x[0], 1.0):
        if e > 0.2:
            return x * e
    return x


CASES = [
    over_a_tuple, three_trips, two_returns_a_trip, in_a_helper, in_a_loop_of_data, of_different_lines, nested, over_an_element,
]  # fmt: skip


@pytest.mark.parametrize("fn, given", one_in(3, itertools.product(CASES, [(), (DATA[0],)])))
def test_each_return_is_taken_where_python_takes_it(fn, given):
    assert_as_python(fn, given, [(x,) for x in DATA])


def forgotten(x):
    if x.sum() > 0:
        y = x * 2
    elif x.sum() > -1:
        y = x * 3
    return y


def test_what_may_be_missing_is_refused_still():
    with pytest.raises(gfx.GfxError, match="'y' is defined in only one branch"):
        gfx.symbolic_trace(forgotten, backend="torch")
