"""What a comprehension or generator expression assigns by `:=` is a variable of the function around it."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python

XS = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1.0, -2.0, 0.5, 4.0]), torch.tensor([2.0, -7.0, 1.0])


def folded(x):
    last = x[0] * 0
    return sum((last := last + v) * v for v in x) + last


def hit(x):
    last = x[0] * 0
    found = any((last := v) > 1 for v in x)
    return last + (10.0 if found else 0.0)


def behind_a_test(x):
    last = x[0]
    holds = all(v > 100 or (last := v) < 2 for v in x)
    return last * (2.0 if holds else 1.0)


def listed(x):
    last = x[0] * 0
    return sum([(last := last + v) * 2 for v in x], last)


def filtered(x):
    return sum(y for v in x if (y := v * 2) > 1)


def of_pairs(x):
    last = x[0]
    return sum(a * (last := b) for a, b in zip(x, x * 2)) + last


def of_loops(x):
    last = x[0]
    return sum([(last := last + v * w) for v in x for w in (1.0, 2.0)]) + last


def first(x):
    last = x[0]
    return next((v for v in x if (last := v * 2) > 3), x[0]) + last


def in_turn(x):
    last, total = x[0] * 0, x[0] * 0
    for item in ((last := v) * 2 for v in x):
        total = total + item * last
        last = last + 1
    return total + last


def keyed(x):
    last = x[0]
    made = {i: (last := last + i) for i in range(3)}
    return last + made[1]


def of_a_list(x):
    last = x[0]
    found = any((last := v) > 2 for v in [x[0], x[1], x[2]])
    return last + (10.0 if found else 0.0)


FUNCTIONS = (folded, hit, behind_a_test, listed, filtered, of_pairs, of_loops, first, in_turn, keyed, of_a_list)


@pytest.mark.parametrize("fn", FUNCTIONS)
@pytest.mark.parametrize("typed", (False, True))
def test_it_is_assigned_item_by_item(fn, typed):
    assert_as_python(fn, XS[:1] if typed else (), [(x,) for x in XS if not typed or len(x) == 3])


def in_a_lambda(x):
    asked = lambda y: any((last := v) > 1 for v in [y[0], y[1]]) and last
    return asked(x) + x[0]


def test_in_a_lambda_it_is_refused_where_data_decides_how_far():
    with pytest.raises(CaptureError, match="writes, and data decides"):
        gfx.symbolic_trace(in_a_lambda, backend="torch")
