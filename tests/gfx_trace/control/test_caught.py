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
