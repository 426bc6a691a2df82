"""Generators whose `finally`, `with` or `except` runs where they are closed: where a test on captured data decides where that is, they
are refused; anywhere else it runs where Python runs it."""

import contextlib

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")

X = [torch.full((2,), value) for value in (0.1, 1.0, 5.0)]


class Count:
    def __init__(self):
        self.n = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.n = self.n + 1


def finally_(x, count):
    try:
        for i in range(4):
            yield x * i
    finally:
        count.n = count.n + 1


def with_(x, count):
    with count:
        for i in range(4):
            yield x * i


def of_another(x, count):
    yield x
    yield from finally_(x, count)


def caught(x, count):
    try:
        for i in range(4):
            yield x * i
    except BaseException:
        count.n = count.n + 1


def caught_bare(x, count):
    try:
        for i in range(4):
            yield x * i
    except:
        count.n = count.n + 1
        raise


CLOSED = [finally_, with_, of_another, caught, caught_bare]


def other_errors(x, count):
    try:
        for i in range(4):
            yield x * i
    except (ValueError, KeyError):
        count.n = count.n + 1


def begun_within(x, count):
    yield x
    with contextlib.nullcontext():
        count.n = count.n + 2
    yield x * 2
    yield x * 3


def broken(items, x, test):
    count, total = Count(), x * 0
    for v in items(x, count):
        total = total + v
        if test(total):
            break
    return total, count.n


def returned(items, x, test):
    count, total = Count(), x * 0
    for v in items(x, count):
        total = total + v
        if test(total):
            return total, count.n
    return total * 2, count.n


def any_of(items, x, test):
    count = Count()
    found = any(test(v) for v in items(x, count))
    return torch.where(torch.as_tensor(found), x, x * 2), count.n


LEFT = [broken, returned, any_of]


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("items", CLOSED)
def test_it_is_refused_where_the_arguments_decide(items, left):
    def on_data(x):
        return left(items, x, lambda v: v.sum() > 5)

    def on_a_number(x, n: int):
        return left(items, x, lambda v: n > 0)

    for fn in (on_data, on_a_number):
        with pytest.raises(CaptureError, match=r"captured data decides (where it is left|how far it has moved)"):
            gfx.symbolic_trace(fn, backend="torch")


def known(left, items):
    return lambda x: left(items, x, lambda v: len(v) < 3)


def asked_by_data(left, items):
    return lambda x: left(items, x, lambda v: v.sum() > 5)


def exhausted(left, items):
    def fn(x):
        count, total = Count(), x * 0
        for v in items(x, count):
            if v.sum() > 5:
                total = total + v
        return total, count.n

    return fn


@pytest.mark.parametrize(
    ("make", "items"),
    [
        *[(make, items) for make in (known, exhausted) for items in CLOSED],
        *[(asked_by_data, items) for items in (other_errors, begun_within)],
    ],
)
def test_it_runs_where_python_runs_it(make, items):
    fn = make(broken, items)
    program = gfx.symbolic_trace(fn, X[0], backend="torch")
    for x in X:
        for got in (program(x), program.to("torch")(x)):
            assert str(got) == str(fn(x))
