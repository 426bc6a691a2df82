"""Loops over a tensor of open length zipped with a list: as many trips as there are items of both."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python

DATA = [torch.tensor(values) for values in ([1.0, 2.0, 3.0], [0.5], [-1.0, 2.0], [1.0, -2.0, 3.0, 4.0], [])]


def weighted(x):
    s = x.sum()
    for e, u in zip(x, [1.0, 2.0]):
        s = s * 0.5 + e * u
    return s


def left_early(x):
    s = x.sum()
    for e, (u, tag) in zip(x, [(1.0, "a"), (2.0, "b"), (3.0, "a")]):
        if tag == "a":
            s = s + e * u
        elif e > 0:
            s = s * u
        else:
            break
    return s


def with_a_return(x):
    s = x.sum()
    for u, e in zip((0.5, s), x):
        s = s + e * u
        if s > 4:
            return s * 10
    return s


def counted(x):
    out = []
    for i, (e, u) in enumerate(zip(x, [1.0, 2.0]), 1):
        out.append(e * u + i)
    return sum(out)


def with_an_else(x):
    y = x.sum()
    for i, u in zip(range(x.shape[0]), [1.0, 2.0, 3.0]):
        y = y + x[i] * u
    else:
        y = y + 1
    return y


def written_rows(x):
    x = x.clone()
    for row, u in zip(x, [1.0, 2.0, 3.0]):
        row += u
    return x


def in_comprehensions(x):
    named = [e * u for e, u in zip(x, {1.0: "a", 2.0: "b"})]
    return (
        sum(named, x.sum()),
        any(e > u for e, u in zip(x, [1.0, 1.0])),
        [float(e) + u for e, u in zip(x, (1, 2)) if e > 0],
    )


def beside_numbers(x):
    numbers, kept = [float(e) for e in x], [float(e) for e in x if e > 0]
    return sum(a * u for a, u in zip(numbers, [1.0, 2.0])), [a - u for a, u in zip(kept, [1.0, 2.0])]


def beside_nothing(x):
    for _, v in zip(x, ()):
        x = x + v
    return x


@pytest.mark.parametrize(
    "fn",
    [
        weighted,
        left_early,
        with_a_return,
        counted,
        with_an_else,
        written_rows,
        in_comprehensions,
        beside_nothing,
    ],
)
def test_as_many_trips_as_python_has(fn):
    assert_as_python(fn, (), [(x,) for x in DATA])


def test_beside_the_numbers_of_a_list():
    assert_as_python(beside_numbers, (), [(x,) for x in DATA if len(x)])


def beside_many(x):
    s = x.sum()
    for e, u in zip(x, list(range(1000))):
        s = s + e * u
    return s


def test_what_is_too_long_is_refused():
    with pytest.raises(CaptureError, match="Python iterates over a value whose length is only known"):
        gfx.symbolic_trace(beside_many, backend="torch")
