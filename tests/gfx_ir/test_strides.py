"""Strides: kept, dense, or around one dense axis; every example of the RFC."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gfx_ir.errors import InvalidShape
from gfx_ir.strides import completed, overlap


@pytest.mark.parametrize(
    ("dims", "strides", "expected"),
    [
        ((1, 2, 3), (None, None, 1), (6, 3, 1)),
        ((1, 2, 3), (None, 1, None), (6, 1, 2)),
        ((1, 2, 3), (1, None, None), (1, 3, 1)),
        ((2, 3, 4), (None, None, None), (12, 4, 1)),
        ((2, 3, 4), None, (12, 4, 1)),
        ((2, 3, 4), (12, 4, 1), (12, 4, 1)),
        ((1, 2, 3), (24, 12, 4), (24, 12, 4)),
        ((2, 8, 4, 4), (None, 1, None, None), (128, 1, 32, 8)),  # channels last
        ((0, 3), None, (3, 1)),
        ((), (), ()),
    ],
)
def test_strides_are_completed(dims, strides, expected):
    assert completed(dims, strides) == expected


@pytest.mark.parametrize(
    ("dims", "strides"),
    [
        ((1, 2, 3), (None, 1, 2)),
        ((1, 2, 3), (None, 2, None)),
        ((2, 3), (1, 1, None)),
        ((2, 3), (1,)),
        ((1, 2, 3), (1, 1, None)),
    ],
)
def test_other_strides_are_refused(dims, strides):
    with pytest.raises(InvalidShape):
        completed(dims, strides)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_completed_strides_are_dense_around_their_axis(dims, data):
    axis = data.draw(st.integers(0, len(dims) - 1))
    strides = completed(dims, [1 if at == axis else None for at in range(len(dims))])
    assert strides[axis] == 1 and not overlap(dims, strides)
    places = sum(
        (np.arange(n).reshape([-1 if at == k else 1 for k in range(len(dims))]) * step)
        for at, (n, step) in enumerate(zip(dims, strides))
    )
    assert sorted(np.ravel(places)) == list(range(int(np.prod(dims))))


@pytest.mark.parametrize(
    ("dims", "strides", "shared"),
    [((2, 3), (0, 1), True), ((3, 2), (2, 3), False), ((3, 3), (1, 2), True), ((1, 3), (0, 1), False)],
)
def test_overlapping_strides_are_told(dims, strides, shared):
    assert overlap(dims, strides) is shared
