"""itertools.count and repeat: loops that data ends from within count in a `while`; beside rows they are as long as those."""

import itertools
from itertools import count, repeat

import pytest
import torch

import gfx_trace as gfx
from three_ways import assert_as_python

DATA = [torch.ones(3, 2), torch.arange(6.0).reshape(3, 2), torch.full((3, 2), 0.3)]


def until_a_number(x, k=2):
    s = 0.0
    for i in itertools.count():
        if i >= k:
            break
        s = s + x * i
    return s


def in_steps(x, k=2):
    for i in count(k, 3):
        if x.sum() * i > 20:
            break
        x = x + 1
    return x, i


def beside_rows(x):
    for i, row in zip(itertools.count(1), x):
        x = x + row.sum() * i
    return x


def three_beside(x):
    s = 0.0
    for i, row, w in zip(count(start=2, step=3), x, repeat(0.5)):
        s = s + row * i * w
    return s


def down_from_an_open_one(x, k=2):
    s = 0.0
    for i, row in zip(count(k, -2), x):
        s = s + row * i
    return s


def mapped_with_one(x):
    return sum(map(lambda r, w: (r * w).sum(), x, repeat(3)))


def returns_from_it(x):
    for y in repeat(x * 2):
        x = x + y
        if x.sum() > 30:
            return x


def known_length(x):
    numbers = count()
    total = x * 0
    for i in numbers:
        if i > 3:
            break
        total = total + x * i
    return total + next(numbers)


def one_in_another(x):
    for i in count(1):
        for j in count(i):
            x = x + j
            if x.sum() > i * 10:
                break
        else:
            x = x - 1
        if i > 4:
            return x


def listed(x):
    return [r * i for i, r in zip(count(), x)]


def later_trips(x, k=3):
    for i in count():
        x = x * 0.5
        if i > 1 and (x.max() < 0.2 or i > k):
            break
    return x


def counted_by_a_nested_function(x):
    total = 0.0

    def add(y):
        nonlocal total
        total = total + y

    for i in count(1):
        add(x.sum() * i)
        if total > 20:
            return total


def counts_on_its_own(x):
    """What counts the trips is a variable beside those of the user, whatever these are called."""
    count = x.sum() * 0
    for i in itertools.count():
        count = count + x.sum() * (i + 1)
        if count > 9 or i > 4:
            break
    return count, i


CASES = [
    until_a_number, in_steps, beside_rows, three_beside, down_from_an_open_one, mapped_with_one, returns_from_it, known_length,
    one_in_another, listed, later_trips, counted_by_a_nested_function, counts_on_its_own,
]  # fmt: skip


@pytest.mark.parametrize("given", [(), (DATA[0],)], ids=["open", "typed"])
@pytest.mark.parametrize("fn", CASES)
def test_items_are_those_that_python_counts(fn, given):
    assert_as_python(fn, given, [(x,) for x in DATA])


def test_how_far_data_moved_one_is_not_known():
    def after(x):
        numbers = count(10)
        for n in numbers:
            x = x + n
            if x.sum() > 100:
                break
        return x * next(numbers)

    with pytest.raises(gfx.GfxError, match="decides how far it has moved on"):
        gfx.symbolic_trace(after, backend="torch")
