"""Loops whose break is open in a later trip only: the trips that are left are staged, and run where none before ended the loop."""

import itertools

import pytest
import torch

import gfx_trace as gfx
from sweeps import one_in
from three_ways import assert_as_python

DATA = [torch.ones(2), torch.full((2,), 20.0), torch.full((2,), 0.3), torch.tensor([-1.0, 90.0])]


def nothing_behind_the_break(x, k=3):
    i = 0
    while True:
        x = x * 0.5
        j = i
        i = i + 1
        if j > 1 and (x.max() < 0.2 or j > k):
            break
    return x


def with_a_test(x, k=3):
    i = 0
    while i < 12:
        x = x * 0.5
        i = i + 1
        if i > 2 and x.max() < 0.2 + k:
            break
    return x, i


def only_in_the_second_trip(x, k=3):
    i = 0
    while i < k:
        x = x + 1
        i = i + 1
        if i == 2 and x.max() > 3:
            break
    return x, i


def returns(x, k=3):
    i = 0
    while i < 9:
        x = x * 0.5
        i = i + 1
        if i > 2 and x.max() < k:
            return x, i
    return -x, i


def breaks_and_returns(x, k=3):
    i = 0
    while True:
        x = x - 1
        i = i + 1
        if i > 1 and x.max() < k:
            break
        if i > 2 and x.sum() < k * 2:
            return x * 10, i
    return x, i


def otherwise(x, k=3):
    i = 0
    while i < k + 2:
        x = x * 0.5
        i = i + 1
        if i > 2 and x.max() < 1:
            break
    else:
        x = x + 100
    return x, i


def numbers_alone(x, k=3):
    i, n = 0, 1
    while True:
        n = n * 2
        i = i + 1
        if i > 2 and n > k * 4:
            break
    return x + n, i


def numbers_that_data_ends(x, k=3):
    i, n = 0, 1
    while True:
        n = n * 2
        i = i + 1
        if i == 3 and x.max() > 10:
            break
        if n > k * 40:
            break
    return x + n, i


def one_in_another(x, k=3):
    for row in x:
        i = 0
        while True:
            row = row * 0.5
            j = i
            i = i + 1
            if j > 1 and (row < 0.2 or j > k):
                break
        x = x + row
    return x


def over_a_list(x, k=3):
    for i in [0, 1, 2, 3, 4, 5]:
        x = x * 0.5
        if i > 1 and (x.max() < 0.2 or i > k):
            break
    return x, i


def counted_without_end(x, k=3):
    for i in itertools.count():
        x = x * 0.5
        if i > 1 and (x.max() < 0.2 or i > k):
            break
    return x


def continues(x, k=3):
    i = 0
    while True:
        i = i + 1
        if i < 3:
            continue
        x = x - 2
        if x.max() < k:
            break
    return x, i


CASES = [
    nothing_behind_the_break, with_a_test, only_in_the_second_trip, returns, breaks_and_returns, otherwise, numbers_alone,
    numbers_that_data_ends, one_in_another, over_a_list, counted_without_end, continues,
]  # fmt: skip


@pytest.mark.parametrize("fn, given", one_in(3, itertools.product(CASES, [(), (DATA[0], gfx.Open)])))
def test_a_loop_ends_where_python_ends_it(fn, given):
    assert_as_python(fn, given, itertools.product(DATA, (1, 3)))
