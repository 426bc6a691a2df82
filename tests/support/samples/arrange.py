"""Laying elements out anew: steps in memory, windows, diagonals on both sides, positions."""

import numpy as np

from gfx_ir import dtypes
from samples import Sample, booleans, integers, normal

S = Sample
X, MATRIX, VECTOR = normal(2, 3, 4), normal(3, 4), normal(6)
COMPLEX = (normal(2, 3) + 1j * normal(2, 3, seed=1)).astype(np.complex64)
HOLES = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]], np.float32)
OVERLAP = {"write": "windows overlap"}
FIXED = {"symbolic": "the sizes asked for are numbers"}
PLACES = np.array([[0, 1, 2, 0], [1, 0, 0, 1]])

SAMPLES = [
    S("as_strided", (MATRIX, (2, 3), (4, 1), 1)),
    S("as_strided", (VECTOR, (4, 3), (1, 1))),
    S("as_strided", (VECTOR, (), (), 2)),
    S("unfold", (VECTOR, 0, 2, 2)),
    S("unfold", (X, 1, 2), skip=OVERLAP),
    S("unfold", (X, -1, 3, 1), skip=OVERLAP),
    S("unfold", (X, -1, 2, 2)),
    S("unfold", (X, 1, 1, 2)),
    S("take_run", (X, np.array(1), 2, 1)),
    S("take_run", (X, np.array(2), 1, -1)),
    S("view_as_real", (COMPLEX,)),
    S("view_as_complex", (normal(3, 2),)),
    S("as_complex", (normal(3, 2), normal(3, 2, seed=1))),
    S("diag_embed", (VECTOR,)),
    S("diag_embed", (MATRIX, 1)),
    S("diag_embed", (MATRIX, -2), {"axis1": 0, "axis2": 2}),
    S("diag_embed", (booleans(3),)),
    S("block_diag", ((MATRIX, normal(1, 2), normal(2, 1)),)),
    S("block_diag", ((MATRIX,),)),
    S("tril_indices", (3,)),
    S("tril_indices", (3, 4, -1)),
    S("triu_indices", (4, 2)),
    S("triu_indices", (3, None, 1)),
    S("vander", (VECTOR,)),
    S("vander", (normal(4), 3, True)),
    S("vander", (MATRIX,), {"n": 3}),
    S("masked_scatter", (MATRIX, booleans(3, 4), normal(20))),
    S("masked_scatter", (MATRIX, booleans(4), normal(3, 4, seed=1))),
    S("argwhere", (HOLES,)),
    S("argwhere", (HOLES, 2), skip=FIXED),
    S("argwhere", (HOLES, 5, -1), skip=FIXED),
    S("nonzero", (HOLES,)),
    S("nonzero", (np.array([True, False, True]),)),
    *(
        S("scatter_reduce", (MATRIX, PLACES, normal(2, 4, seed=1), 0, reduce, own))
        for reduce in ("sum", "prod", "mean", "amin", "amax")
        for own in (True, False)
    ),
    S("scatter_reduce", (MATRIX, integers(3, 2, high=4), normal(3, 4, seed=2), -1, "amax")),
    S("scatter_reduce", (integers(3, 4), PLACES, 7, 0, "mean")),
]
SAMPLES += [
    S("logspace", (0.0, 2.0, 5)),
    S("logspace", (0.0, 3.0, 4), {"base": 2.0, "dtype": dtypes.float32}),
    S("logspace", (0, 2, 4), {"endpoint": False, "dtype": dtypes.float32}),
    S("logspace", (np.array(0.0), np.array(2), 5), {"dtype": dtypes.int64}),
]
