"""Which except clauses a raise or an assert under a test on data meets: those that catch its class."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

UP, DOWN = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1.0, -2.0, -3.0])
SIZES = {"a": 2.0}


def another_class(x):
    try:
        scale = SIZES["b"]
        if x.sum() < 0:
            raise ValueError("not reached")
    except KeyError:
        scale = 3.0
        if x.sum() < 0:
            raise LookupError(f"both {x.sum()}") from None
    return x * scale


def within_a_side(x):
    if x[0] < 0:
        try:
            if x.sum() < 0:
                raise ValueError(f"negative {x.sum()}")
            scale = SIZES["b"]
        except (KeyError, TypeError):
            scale = 2.0
        x = x * scale
    return x


@pytest.mark.parametrize("fn", [another_class, within_a_side])
def test_a_clause_for_another_class_does_not_matter(fn):
    with pytest.raises(Exception) as wanted:
        fn(DOWN)
    for program in (gfx.symbolic_trace(fn, UP), gfx.symbolic_trace(fn, backend="torch")):
        for call in (program, program.to("torch")):
            assert torch.equal(call(UP), fn(UP))
            with pytest.raises(type(wanted.value)) as got:
                call(DOWN)
            assert str(got.value) == str(wanted.value)


def an_assert(x):
    try:
        assert x.sum() > 0, "negative"
    except AssertionError:
        x = -x
    return x


def any_class(x):
    try:
        if x.sum() < 0:
            raise ValueError("negative")
    except:  # noqa: E722 - it catches everything
        x = -x
    return x


def a_division(x, n: int):
    try:
        scale = 1 / n
    except ZeroDivisionError:
        scale = 0.0
    return x * scale


def an_index(x, n: int):
    try:
        scale = (1.0, 2.0)[n]
    except LookupError:
        scale = 0.0
    return x * scale


@pytest.mark.parametrize("fn", [an_assert, any_class, a_division, an_index])
def test_what_a_clause_may_catch_is_refused(fn):
    with pytest.raises(UnsupportedConstruct, match=r"raise.*traced test.*except clause.*test_caught"):
        gfx.symbolic_trace(fn, UP)


def sorts_in_place(x):
    names = ["a", "b", "c"]
    names.sort(key=lambda name: x["abc".index(name)])
    return names


def test_sorting_in_place_by_data_is_refused_where_it_stands():
    with pytest.raises(UnsupportedConstruct, match=r"sorted\(\).*test_caught\.py"):
        gfx.symbolic_trace(sorts_in_place, UP)


def item(x, k):
    return x * SIZES["b"] if k > 2 else x


def taken(x, k):
    out = [1.0]
    if k < 2:
        return x
    out[0] = 2.0
    out.pop()
    return x * out[0]


def name(x, k):
    for _ in range(k):
        x = x + not_there  # noqa: F821
    return x


def message(x, k):
    assert k < 2, SIZES["c"]
    return x


def helper(x, k):
    return x if k < 2 else taken(x, 4)


def test_a_name_that_is_not_there_on_one_side_is_refused_with_its_line():
    def run(x, k: int = 2):
        return name(x, k)

    with pytest.raises(UnsupportedConstruct, match=r"it fails \(NameError: .*hang on data.*test_caught.py:"):
        gfx.symbolic_trace(run, backend="torch")


@pytest.mark.parametrize("fn", [item, taken, message, helper])
def test_an_error_of_pythons_own_on_one_side_is_raised_there(fn):
    def run(x, k: int = 2):
        return fn(x, k)

    captured = gfx.symbolic_trace(run, backend="torch")
    for k in range(4):
        try:
            wanted = run(UP, k)
        except LookupError as error:
            with pytest.raises(type(error)):
                captured(UP, k)
        else:
            assert torch.equal(captured(UP, k), wanted)


def test_what_stands_in_a_list_that_got_shorter_is_joined_as_a_whole():
    def shorter(x: torch.Tensor, k: int = 2):
        q = [1.0, 2.0, 3.0]
        if x.sum() > 0:
            q[2] = 5.0
            q.pop()
        else:
            q.append(4.0)
            q[3] = 7.0
            del q[2:]
            q[0] = 9.0
        return x * q[0] * q[1] * len(q)

    program = gfx.symbolic_trace(shorter)
    for x in (UP, DOWN):
        assert program(x).tolist() == shorter(x).tolist()
