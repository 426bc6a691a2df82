"""Numbers of Python's in lists that staged loops fill: taken out they are numbers again, of their own kind."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError
from gfx_ir.trees import leaves

XS = [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [-1.5, 0.5, 2.0]]


def a_class(x):
    o = [int(v) for v in x]
    return x * (2 if isinstance(o[0], int) and not hasattr(o[1:][0], "shape") else 3)


def a_key(x):
    o = []
    for v in x:
        o.append(int(v))
    return x * {1: 5.0}.get(o[0], 7.0)


def booleans_in_a_loop(x):
    total = 0
    for i, flag in enumerate([bool(v > 1) for v in x]):
        total = total + (flag + True) * i
    return x * total


def unpacked_and_zipped(x):
    a, b, _ = flags = [bool(v > 1) for v in x]
    for flag, v in zip(reversed(flags), x):
        a = a + (flag + flag) * int(v)
    return x * (a + ~b)


def of_both_sides(x):
    if x[0] > 1:
        flags = [bool(v > 1) for v in x]
    else:
        flags = [bool(v > 0) for v in x]
    return x * (flags[0] + flags[2])


def in_a_list_again(x):
    o = [bool(v > 1) for v in x]
    return x * [flag + flag for flag in o][2]


def written_in_place(x):
    o = [float(v) for v in x]
    r = o[0]
    r += 1.0
    return x * o[0] + r


def whole_lists(x):
    o = [float(v) / 3 for v in x]
    flags = [bool(v > 1) for v in x]
    return sum(o), max(o), any(flags), sum(flags), type(sum([int(v) for v in x])) is int


def two_in_a_trip(x):
    o = []
    for v in x:
        o += [int(v), int(v) + 1]
    return x * o[1] + len(o)


def of_an_open_class(x):
    o = [v.item() for v in x]
    return o[0], o[1:]


def joined_to_a_list(x):
    return x * len([0] + [int(v) for v in x])


def the_list_itself(x):
    return [float(v) / 3 for v in x]


def changed(x):
    o = [int(v) for v in x]
    o[0] = 9
    return tuple(o)


WHOLE = [
    a_class, a_key, booleans_in_a_loop, unpacked_and_zipped, of_both_sides, in_a_list_again, written_in_place, whole_lists,
    two_in_a_trip, the_list_itself, changed, of_an_open_class, joined_to_a_list,
]  # fmt: skip


def of_two_kinds(x):
    o = []
    for v in x:
        o.append(int(v))
        o.append(v / 2)
    return o


def compared(x):
    return x * (2 if [int(v) for v in x] == [1, 2, 3] else 3)


LENGTH = [of_two_kinds, compared]
"""What asks for the length, or the dtype, of what the loop goes over."""


def the_text(x):
    return x * len(str([int(v) for v in x]))


def in_a_set(x):
    return x * len({*[int(v) for v in x]})


def of_another_kind_behind(x):
    o = [int(v) for v in x]
    o.append(0.5)
    return x * o[0]


REFUSED = [the_text, in_a_set, of_another_kind_behind]


def check(case, program):
    module = program.module("jax")
    compiled = jax.jit(module.load(), static_argnames=module.static_argnames)
    for x in XS:
        want = list(leaves(case(torch.tensor(x))))
        for run in (program, program.module("torch").load()):
            got = list(leaves(run(torch.tensor(x))))
            for mine, theirs in zip(got, want, strict=True):
                assert type(mine) is type(theirs)
                np.testing.assert_allclose(mine, theirs, rtol=1e-12 if type(theirs) is float else 1e-6)
        for mine, theirs in zip(leaves(compiled(jnp.asarray(x))), want, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-6)


@pytest.mark.parametrize("typed", (False, True), ids=("untyped", "typed"))
@pytest.mark.parametrize("case", WHOLE, ids=lambda f: f.__name__)
def test_items_are_numbers_of_python_s(case, typed):
    check(case, gfx.symbolic_trace(case, *([torch.tensor(XS[0])] if typed else ()), backend="torch"))


@pytest.mark.parametrize("case", LENGTH, ids=lambda f: f.__name__)
def test_what_asks_for_a_length_or_a_dtype_says_so(case):
    check(case, gfx.symbolic_trace(case, torch.tensor(XS[0])))
    with pytest.raises(GfxError, match="GFX cannot"):
        gfx.symbolic_trace(case, backend="torch")


@pytest.mark.parametrize("typed", (False, True), ids=("untyped", "typed"))
@pytest.mark.parametrize("case", REFUSED, ids=lambda f: f.__name__)
def test_what_no_tensor_of_rows_tells_is_refused(case, typed):
    with pytest.raises(GfxError, match="GFX cannot"):
        gfx.symbolic_trace(case, *([torch.tensor(XS[0])] if typed else ()), backend="torch")


# ---------------------------------------------------------------------- booleans where whole numbers may be, too
def a_sum_that_begins_with_a_boolean(x):
    total = bool(x[0] > 1)
    for v in x[1:]:
        total = total + bool(v > 1)
    return x * total


def flags_and_numbers_in_turn(x):
    total = False
    for v in x:
        if v > 1:
            total = total + 1
        else:
            total = bool(v > 0)
    return x * total


def swapped(x):
    a, b = True, False
    for v in x:
        a, b = b + bool(v > 1), a
    return x * a + b


def one_of_two_booleans(x):
    flag = True if x[1] > 1 else bool(x[0] > 1)
    other = False if x[0] > 1 else True
    return x * (flag + flag + (other + other))


def the_boolean_of_a_test(x):
    flag = True if x[0] > 1 else False
    return flag, x * (flag + flag)


def one_of_two_tensors(x):
    return x[0] > 1 and x[1] > 1, x[0] > 1 or x[1] > 1


@pytest.mark.parametrize("typed", (False, True), ids=("untyped", "typed"))
@pytest.mark.parametrize(
    "case",
    [
        a_sum_that_begins_with_a_boolean, flags_and_numbers_in_turn, swapped, one_of_two_booleans, the_boolean_of_a_test,
        one_of_two_tensors,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_booleans_that_tests_and_loops_hand_on_add_up(case, typed):
    check(case, gfx.symbolic_trace(case, *([torch.tensor(XS[0])] if typed else ()), backend="torch"))
