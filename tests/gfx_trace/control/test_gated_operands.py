"""Operands of `and` and `or` that no one value of a graph is: what follows asks which of them it was."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

DATA = (torch.tensor([1.0, 2.0]), torch.tensor([-1.0, 0.5]), torch.tensor([0.0, 0.0]))


def or_of_and(x):
    return (x.sum() > 0 and x.mean()) or -1.0


def and_of_or(x):
    return (x.sum() <= 0 or x.mean()) and x.max() * 2


def in_a_variable(x):
    found = x.sum() > 0 and x.max()
    return x * (found or 3.0)


def asked_twice(x):
    found = x.sum() > 0 and x.max()
    y = x + 1 if found else x - 1
    return y, 1 if not found else 2


def three(x):
    return x * ((x[0] > 0 and x[1] > 0 and x.sum()) or (x[0] < 0 and x.prod()) or 0.5)


def of_whole_numbers(x):
    return (x[0] > 0 and x.argmax()) or 7


def with_an_assignment(x):
    return ((total := x.sum()) > 0 and total.exp()) or total - 1


def a_number_if_it_holds(x):
    return (x.sum() > 0 and 0.5) or x.half()[0]


def a_number_if_both_hold(x):
    return (x[0] > 0 and x[1] > 0 and 2) or (x[0] < 0 and 0.25) or x.half()[1]


def of_lists(x):
    return ((x.sum() > 0 and [x]) or [x, -x])[0] * 1.0


def left_alone(x):
    if x.sum() > 0:
        scratch = x.int()
        y = x + scratch
    else:
        scratch = x
        y = scratch * 2
    return y


def behind_another_test(x):
    n = x.argmax()
    if x[0] != 5 and ((not n and 2) and x[1] > 0):
        return x * 3
    return x


CASES = (
    behind_another_test,
    or_of_and,
    and_of_or,
    in_a_variable,
    asked_twice,
    three,
    of_whole_numbers,
    with_an_assignment,
    left_alone,
    a_number_if_it_holds,
    a_number_if_both_hold,
)


@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
@pytest.mark.parametrize("fn", CASES)
def test_each_operand_is_asked_where_it_is_taken(fn, to):
    result = gfx.transpile(fn, DATA[0], to=to)
    for x in DATA:
        want, got = fn(x.clone()), result(x.numpy() if to != "torch" else x)
        for a, b in zip(want if isinstance(want, tuple) else (want,), got if isinstance(got, tuple) else (got,)):
            np.testing.assert_allclose(np.asarray(b, np.float64), np.asarray(a, np.float64), rtol=1e-6)


def test_lists_of_different_lengths_are_refused_where_they_are_read():
    with pytest.raises(UnsupportedConstruct, match=r"structure.*of_lists"):
        gfx.transpile(of_lists, DATA[0], to="torch")


def of_a_dtype(x):
    n = x.int() if x.sum() > 0 else x
    return n + 1


def test_two_dtypes_are_refused_with_the_line_of_their_test():
    with pytest.raises(UnsupportedConstruct, match=r"dtype int32 on one side and float32 .* in of_a_dtype"):
        gfx.transpile(of_a_dtype, DATA[0], to="torch")


def cut(length, whole=6):
    """The middle of an axis, as the modes of a Fourier layer are cut."""
    left = whole - min(length, whole)
    return slice(left // 2, -left // 2) if left else slice(left, None)


TABLE = torch.arange(36.0).reshape(6, 6)


def of_a_tensor(x):
    return (TABLE + 0)[cut(x.shape[0]), 1:], (TABLE * 2)[cut(x.shape[1])]


def of_several(x):
    return TABLE[tuple(cut(n) for n in x.shape)]


def with_a_new_axis(x):
    axis = None if x.shape[0] > 3 else slice(None)
    return TABLE[axis, 1], TABLE[..., axis]


def written(x):
    y = torch.zeros(6, 6)
    y[cut(x.shape[0]), 1:] = 1.0
    y[1:, cut(x.shape[1])] += 2.0
    return y


@pytest.mark.parametrize("f", [of_a_tensor, of_several, with_a_new_axis, written])
def test_positions_that_open_sizes_choose(f):
    made = gfx.transpile(f, torch.ones(4, 6), to="jax", dynamic=True)
    for shape in ((4, 6), (2, 3), (6, 6), (9, 7)):
        assert gfx.check(made, torch.ones(shape)).ok
