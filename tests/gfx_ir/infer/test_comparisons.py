"""What comparisons tell of rows, columns and numbers holds of the arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gfx_ir import dtypes
from gfx_ir.infer.comparisons import Triangle, column, everywhere, is_causal
from gfx_ir.infer.content import content
from gfx_ir.infer.sequences import Seq
from gfx_ir.op import evaluate, lookup

COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
numbers = st.integers(-3, 3)


def told(name, *args):
    """What is told of a comparison whose arguments are not computed."""
    return content(lookup(name), args, dtypes.bool_, 2)


def array(found, shape):
    if type(found) is Triangle:
        return np.tri(*shape, found.offset, dtype=bool) == found.holds
    return np.full(shape, found.start)


@given(st.sampled_from(COMPARISONS), numbers, numbers, st.booleans())
def test_a_row_and_a_column(name, start, down, turned):
    """Both count up, of any lengths: the triangle is that of the arrays."""
    row = Seq(start, 1, 1, "n")
    upright = told_column(Seq(down, 1, 1, "m"))
    found = told(name, *((upright, row) if turned else (row, upright)))
    assert (found is None) == (name in ("equal", "not_equal"))
    for rows, columns in ((1, 1), (4, 3), (3, 5)):
        across, along = start + np.arange(columns), down + np.arange(rows)[:, None]
        wanted = evaluate(lookup(name), (along, across) if turned else (across, along))
        if found is not None:
            np.testing.assert_array_equal(array(found, (rows, columns)), wanted)


def told_column(row):
    return content(lookup("getitem"), (row, (slice(None), None)), dtypes.int64, 2)


@given(st.sampled_from(COMPARISONS), numbers, numbers, st.booleans())
def test_a_column_and_a_number(name, start, number, turned):
    """Where a truth is told it is that of all numbers from the first one on."""
    upright = told_column(Seq(start, 1, 1, "m"))
    found = told(name, *((number, upright) if turned else (upright, number)))
    many = np.arange(start, start + 10)[:, None]
    wanted = evaluate(lookup(name), (number, many) if turned else (many, number))
    assert found is None or (wanted == found.start).all()
    assert found is not None or not (wanted.all() or not wanted.any())


def test_columns_of_arrays():
    assert column(np.arange(4)[:, None]).row.step == 1
    assert column(np.arange(4)) is None
    assert column(np.arange(4).reshape(2, 2)) is None


@pytest.mark.parametrize("name,args,offset", [
    ("tril", (0,), 0), ("tril", (2,), 2), ("triu", (1,), 0), ("triu", (0,), -1)
])  # fmt: skip
def test_triangles(name, args, offset):
    found = content(lookup(name), (Seq(True, 0, 2), *args), dtypes.bool_, 2)
    assert (found.offset, found.holds) == (offset, name == "tril")
    assert is_causal(found) is (name == "tril" and not offset)
    assert content(lookup("logical_not"), (found,), dtypes.bool_, 2).holds is not found.holds


def test_a_triangle_is_spread_over_other_axes_alone():
    triangle = told("less_equal", Seq(0, 1, 1, "n"), told_column(Seq(0, 1, 1, "m")))
    stretched = lambda shape: content(lookup("expand"), (triangle, shape), dtypes.bool_, len(shape))
    assert stretched((7, -1, -1)).rank == 3
    assert stretched((7, -1, 5)) is None
    assert everywhere(triangle) is None
