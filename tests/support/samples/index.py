"""Indexing: each kind of subscript and their mixtures, masks, writing, gathering, triangles."""

import numpy as np

from gfx_ir import dtypes
from samples import Sample, booleans, integers, normal

S = Sample
X, MATRIX, VECTOR = normal(3, 4, 5), normal(3, 4), normal(6)
ROWS, COLUMNS = np.array([0, 2, 1]), np.array([1, 1, 3])
GRID = integers(2, 2, high=3)
MASK = np.array([[True, False, True, False], [False, False, True, True], [True, True, False, False]])
SORTED = np.array([-1.0, 0.0, 0.0, 2.0], np.float32)
FULL = slice(None)
VALUES = {"symbolic": "the number of elements depends on values", "jax": "the shape depends on values"}
LENGTH = {"symbolic": "a mask of numbers fixes the sizes"}

SUBSCRIPTS = (
    0,
    -1,
    (0, 1),
    (slice(1, None),),
    slice(0, 2),
    (..., 0),
    (..., slice(None, -1)),
    (FULL, None),
    (None, ..., None),
    (FULL, slice(0, None, 2)),
    (slice(None, None, -1),),
    (FULL, slice(3, 0, -1)),
    (1, ..., slice(-2, None)),
    (FULL, slice(1, 3), 2),
    ROWS,
    (ROWS,),
    (FULL, COLUMNS),
    (ROWS, COLUMNS),
    (FULL, FULL, ROWS),
    (..., ROWS),
    (ROWS, FULL, ROWS),
    (GRID,),
    (FULL, GRID),
    (ROWS[:, None], COLUMNS),
    (np.array(1),),
    (FULL, [0, 2]),
    (None, ROWS, FULL, slice(1, 3)),
    (0, FULL, ROWS),
    (ROWS, FULL, 0),
    (0, ..., ROWS),
    (FULL, 0, ROWS),
    (0, None, ROWS),
    (..., ROWS, 0),
)

SAMPLES = [S("getitem", (X, index)) for index in SUBSCRIPTS]
SAMPLES += [
    S("getitem", (MATRIX, MASK), skip=VALUES),
    S("getitem", (X, (MASK, 0)), skip=VALUES),
    S("getitem", (X, (MASK,)), skip=VALUES),
    S("index_put", (X, 0, normal(4, 5, seed=1))),
    S("index_put", (X, 0, normal(1, 1, 4, 5, seed=1))),
    S("index_put", (X, (slice(None), 1), 0.0)),
    S("index_put", (X, (..., slice(0, 2)), normal(4, 2, seed=1))),
    S("index_put", (X, (ROWS, COLUMNS), normal(3, 5, seed=2))),
    S("index_put", (X, (..., ROWS), 1.5)),
    S("index_put", (MATRIX, MASK, 0.0), skip=LENGTH),
    S("index_put", (MATRIX, (FULL, slice(None, None, -1)), normal(3, 4, seed=3))),
    S("index_put", (VECTOR, (np.array([0, 0, 2]),), 1.0, True)),
    S("index_put", (MATRIX, (ROWS, COLUMNS), normal(3, seed=4)), {"accumulate": True}),
    S("index_put", (MATRIX, (slice(1, None),), 2.0), {"accumulate": True}),
    *(S("index_combine", (MATRIX, (ROWS, COLUMNS), normal(3, seed=4), reduce)) for reduce in ("prod", "amin", "amax")),
    S("index_combine", (VECTOR, (np.array([0, 0, 2]),), 1.0, "amax")),
    S("index_combine", (MATRIX, (slice(1, None),), normal(2, 4, seed=4)[:, :1], "amin")),
    S("take", (X, ROWS), {"axis": 0}),
    S("take", (X, GRID), {"axis": 1}),
    S("take", (X, GRID), {"axis": -1}),
    S("take", (VECTOR, ROWS)),
    S("take", (X, 1), {"axis": 1}),
    S("take_along_axis", (MATRIX, integers(3, 2, high=4))),
    S("take_along_axis", (MATRIX, integers(2, 4, high=3), 0)),
    S("gather", (MATRIX, integers(3, 2, high=4), 1)),
    S("gather", (MATRIX, integers(2, 3, high=3), 0)),
    S("gather", (X, integers(2, 3, 5, high=5), -1)),
    S("scatter", (MATRIX, np.array([[0, 1, 2, 0], [1, 0, 0, 2]]), normal(2, 4, seed=1), 0)),
    S("scatter", (MATRIX, np.array([[0, 1], [2, 3], [1, 0]]), normal(3, 4, seed=1), 1)),
    S("scatter", (MATRIX, np.array([[0], [2], [1]]), 5.0, -1)),
    S("scatter", (MATRIX, integers(3, 4, high=4), normal(3, 4, seed=1), 1, "add")),
    S("tril", (MATRIX,)),
    S("tril", (X,), {"k": 1}),
    S("triu", (MATRIX,), {"k": -1}),
    S("triu", (X,)),
    S("diag", (MATRIX,)),
    S("diag", (VECTOR, -1)),
    S("diagonal", (MATRIX,)),
    S("diagonal", (X,), {"offset": 1, "axis1": -2, "axis2": -1}),
    S("diagonal", (MATRIX,), {"offset": -2}),
    S("diagonal", (X,), {"axis1": 2, "axis2": 0}),
    S("searchsorted", (SORTED, normal(2, 3))),
    S("searchsorted", (SORTED, np.array([0.0, 2.0, 3.0], np.float32)), {"side": "right"}),
    S("one_hot", (GRID, 3)),
    S("one_hot", (ROWS, 4, dtypes.float32)),
    S("masked_fill", (MATRIX, MASK, -np.inf)),
    S("masked_fill", (X, booleans(4, 1), 0.0)),
]
