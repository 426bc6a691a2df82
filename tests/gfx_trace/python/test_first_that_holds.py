"""next() of a generator expression whose filter hangs on data: the first item that it keeps, or the default."""

import itertools

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python

DATA = [torch.tensor(values) for values in ([1.0, -2.5, 3.0], [-0.5, 2.0, -1.0], [-1.0, -2.0, -3.0])]


def of_a_list(x):
    found = next((t for t in [x, x * 2, -x] if t.sum() > 1), None)
    return x * 3 if found is None else found


def of_rows(x):
    found = next((row * i for i, row in enumerate(x) if row > 0), None)
    return x if found is None else x * found


def with_a_place(x):
    return next((i for i, t in enumerate([x, -x]) if t[0] > 0), -1), next((i for i in range(3) if x[i] > 1), 7)


def beside_numbers(x):
    return next((row for row, least in zip(x, [2.0, 1.0, 0.0]) if row > least), x.sum())


def of_an_iterator(x):
    items = map(torch.abs, [x, x * 2])
    return next((t for t in items if t.sum() > 5), x), any(t.sum() > i for i, t in enumerate([x, x * 2]))


@pytest.mark.parametrize("fn", [of_a_list, of_rows, with_a_place, beside_numbers, of_an_iterator])
def test_as_python(fn):
    assert_as_python(fn, (), [(x,) for x in DATA])


@pytest.mark.parametrize("items", [lambda x: [x[0], x[1]], lambda x: x])
def test_there_is_none(items):
    def fn(x):
        return next(t for t in items(x) if t > 0)

    program = gfx.symbolic_trace(fn, backend="torch")
    assert program(DATA[1]) == fn(DATA[1])
    for run in (program, program.to("torch")):
        with pytest.raises(StopIteration):
            run(DATA[2])


def test_what_is_left_of_an_iterator_is_not_known():
    def fn(x):
        items = iter([x, x * 2])
        return next((t for t in items if t.sum() > 0), x), list(items)

    with pytest.raises(CaptureError, match="how far it has moved on before"):
        gfx.symbolic_trace(fn, backend="torch")


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: next(i for i in itertools.count() if i > x.sum()),
        lambda x: any(i > x.sum() for i in itertools.count()),
    ],
)
def test_without_an_end_is_refused(fn):
    with pytest.raises(CaptureError, match="of which more than 1000 items are left"):
        gfx.symbolic_trace(fn, backend="torch")


def test_without_an_end_stops_at_a_fixed_test():
    assert gfx.symbolic_trace(lambda x: x * next(i for i in itertools.count() if i > 3), DATA[0])(DATA[0])[0] == 4.0
