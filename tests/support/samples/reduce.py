"""Reductions: every form of axis, keepdims, integers and booleans, ties and order."""

import numpy as np

from gfx_ir import dtypes
from samples import Sample, booleans, integers, normal

S = Sample
X, W = normal(2, 3, 4), normal(2, 3, 4, seed=1)
I, B = integers(2, 3, 4, low=-5), booleans(2, 3, 4)
I8 = integers(2, 3, low=-5, dtype="int8")
VECTOR = normal(5)
TIES = np.array([[3, 1, 3, 2], [1, 1, 0, 1]])
SIGNED = np.array([1.0, -np.nan, 3.0, 0.0, -0.0, -np.inf, 2.0], np.float32)
SIGNED[1:2].view("u4")[:] = 0xFFC00000  # what processors make of 0 / 0: a NaN with the sign bit set
FORMS = ({}, {"axis": 1}, {"axis": -1, "keepdims": True}, {"axis": (0, 2)}, {"keepdims": True})

SAMPLES = [
    S(name, (x,), form)
    for names, x in (("sum prod max min mean var std", X), ("all any", B), ("count_nonzero", I))
    for name in names.split()
    for form in FORMS
]
SAMPLES += [S(name, (X,), form) for name in ("argmax", "argmin") for form in FORMS if form.get("axis") != (0, 2)]
SAMPLES += [S(name, (X,), form) for name in ("logsumexp", "vector_norm") for form in FORMS]
HOLES = np.array([[3, np.nan, 1, 2], [np.nan, 0, 5, 4]], np.float32).astype(dtypes.dtype("bfloat16").numpy)
SAMPLES += [S(name, (HOLES,)) for name in ("sort", "argsort")] + [S("sort", (HOLES,), {"descending": True})]
PARTS = (integers(3, 4, high=2) + 1j * integers(3, 4, high=3, seed=1)).astype("complex64")
SAMPLES += [S(name, (PARTS,), form) for name in ("max", "min") for form in FORMS if form.get("axis") != (0, 2)]
SAMPLES += [S(name, (PARTS,), form) for name in ("sort", "argsort") for form in ({}, {"axis": 0, "descending": True})]
SAMPLES += [
    S("sum", (I,), {"axis": 0}),
    *(S(name, (X,), {"axis": ()}) for name in "sum prod mean var std max min all any count_nonzero logsumexp".split()),
    S("sum", (B,)),
    S("sum", (I8,), {"axis": 1}),
    S("sum", (X,), {"axis": 0, "dtype": dtypes.float64}, skip={"jax": "64 bits are off"}),
    S("prod", (I,), {"axis": (0, 1)}),
    S("max", (I,), {"axis": 0}),
    S("max", (X,), {"axis": 1, "one": True}),
    S("min", (X,), {"axis": 0, "keepdims": True, "one": True}),
    S("mean", (X,), {"axis": 0, "dtype": dtypes.dtype("float16")}, tol=2e-2),
    S("var", (X,), {"axis": 1, "correction": 1}),
    S("std", (VECTOR,), {"correction": 1, "keepdims": True}),
    S("all", (X,), {"axis": 0}),
    S("any", (I,)),
    S("argmax", (TIES,), {"axis": 1}),
    S("count_nonzero", (B,), {"axis": 1}),
    S("cumulative_sum", (X,), {"axis": 1}),
    S("cumulative_sum", (I,), {"axis": -1}),
    S("cumulative_sum", (B,), {"axis": 0}),
    S("cumulative_sum", (VECTOR,)),
    S("cumulative_sum", (X,)),
    S("cumulative_sum", (X,), {"axis": 0, "dtype": dtypes.dtype("float16")}, tol=2e-2),
    S("cumulative_prod", (X,), {"axis": 2}),
    S("cumulative_prod", (VECTOR,)),
    S("logsumexp", (np.array([[-np.inf, -np.inf], [1000.0, 1000.0]], np.float32),), {"axis": 1}),
    S("vector_norm", (X,), {"axis": 1, "ord": np.inf}),
    S("vector_norm", (X,), {"axis": 1, "ord": -np.inf}),
    S("vector_norm", (X,), {"axis": 1, "ord": 1}),
    S("vector_norm", (X,), {"axis": 1, "ord": 0}),
    S("vector_norm", (X,), {"axis": -1, "ord": 3}),
    S("sort", (X,)),
    S("sort", (X,), {"axis": 0}),
    S("sort", (X,), {"axis": 1, "descending": True}),
    S("sort", (I,), {"stable": False}),
    S("argsort", (X,)),
    S("argsort", (TIES,), {"descending": True}),
    S("sort", (TIES,), {"descending": True}),
    S("argsort", (TIES,), {"axis": 1}),
    S("argsort", (TIES,), {"axis": 1, "descending": True}),
    S("argsort", (X,), {"axis": 0, "stable": False}),
    S("topk", (X, 2)),
    S("topk", (X, 1), {"axis": 1}),
    S("topk", (VECTOR, 3), {"largest": False}),
    S("topk", (SIGNED, 3)),
    S("topk", (I, 2), {"axis": 0}),
    S("topk_total", (SIGNED, 7)),
    S("topk_total", (TIES, 2), {"axis": 0}),
    S("topk_total", (I, 2)),
    S("array_equal", (X, X.copy())),
    S("array_equal", (X, W)),
]
