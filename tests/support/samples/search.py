"""Sets, counts, order statistics: ties, NaN, axes, weights, sizes given."""

import numpy as np

from samples import Sample, integers, normal

S = Sample
X, VECTOR, I = normal(2, 3, 4), normal(5), integers(3, 4, high=4)
TIES = np.array([[3, 1, 3, 2, 1], [1, 1, 0, 1, 0]])
NAN = np.array([[1.0, np.nan, 0.5, 2.0], [3.0, 1.0, 2.0, 0.0]], np.float32)
PARTS = (integers(3, 4, high=2) + 1j * integers(3, 4, high=3, seed=1)).astype("complex64")
ROWS = np.array([[1, 2], [1, 2], [0, 1], [1, 2]])
EDGES = np.linspace(-1.0, 1.0, 5)
LENGTH = {"symbolic": "a size is asked for"}

SAMPLES = [
    S("unique", (TIES,)),
    S("unique", (TIES,), {"inverse": True, "counts": True}),
    S("unique", (NAN,), {"index": True, "inverse": True, "counts": True}),
    S("unique", (TIES,), {"counts": True, "equal_nan": False}),
    S("unique", (ROWS,), {"axis": 0, "inverse": True}),
    S("unique", (ROWS,), {"axis": 1}),
    S("unique", (TIES, None, False, False, True), {"size": 6}, skip=LENGTH),
    S("unique", (TIES,), {"size": 2, "index": True}, skip=LENGTH),
    S("unique", (TIES,), {"size": 6, "fill_value": -1}, skip=LENGTH),
    S("unique_consecutive", (TIES,)),
    S("unique_consecutive", (TIES,), {"inverse": True, "counts": True}),
    S("unique_consecutive", (ROWS,), {"axis": 0, "counts": True}),
    S("isin", (TIES, np.array([1, 2]))),
    S("isin", (TIES, np.array([[3], [0]])), {"invert": True}),
    S("bincount", (np.array([1, 0, 3, 1]),)),
    S(
        "bincount",
        (np.array([1, 0, 3, 1]), normal(4, dtype="float64")),
        {"minlength": 6},
        skip={"jax": "64 bits are off"},
    ),
    S("bincount", (np.array([1, 0, 3, 1]),), {"length": 3}),
    S("bincount", (np.array([1, 0, 3, 1]),), {"length": 5}),
    S("histogram", (VECTOR, EDGES.astype("float32"))),
    S("histogram", (np.array([1, 0, 3, 1]), np.array([0, 1, 3])), skip={"dtype": "follows the framework"}),
    S(
        "histogram",
        (np.array([1, 0, 3, 1]), EDGES, np.arange(4)),
        skip={"dtype": "follows the framework", "jax": "64 bits are off"},
    ),
    S(
        "histogram",
        (VECTOR, EDGES.astype("float32")),
        {"weights": normal(5, seed=1), "density": True},
        skip={"dtype": "follows the framework"},
    ),
    S(
        "histogramdd",
        (normal(6, 2), (EDGES.astype("float32"), EDGES.astype("float32"))),
        skip={"dtype": "follows the framework"},
    ),
    *(
        S(name, (NAN if name.startswith("nan") else X, 0.3), form)
        for name in ("quantile", "nanquantile")
        for form in (
            {},
            {"axis": 1},
            {"axis": -1, "keepdims": True},
            {"keepdims": True},
            {"axis": (0, 1)},
            {"axis": (0, 1), "keepdims": True},
        )
    ),
    S("quantile", (X, np.array([0.25, 0.9], np.float32)), {"axis": 2}),
    S("quantile", (X, np.array([0.25, 0.9], np.float32)), {"axis": (0, 2), "keepdims": True}),
    *(S("quantile", (X, 0.4), {"axis": 1, "method": method}) for method in ("lower", "higher", "midpoint", "nearest")),
    S("quantile", (I, 0.5)),
    S("median", (X,), {"axis": 2}),
    S("median", (X,)),
    S("nanmedian", (NAN,), {"axis": 1, "keepdims": True}),
    *(
        S(name, (NAN,), {"axis": axis, "omit_nan": omit})
        for name in ("lower_median", "lower_argmedian")
        for axis in (0, 1)
        for omit in (True, False)
    ),
    S("lower_median", (VECTOR,)),
    S("lower_median", (X,), {"axis": -1, "keepdims": True}),
    S("lower_argmedian", (X,), {"keepdims": True}),
    *(
        S(name, (TIES,), form)
        for name in ("mode", "argmode")
        for form in ({}, {"axis": 0}, {"axis": 1, "keepdims": True})
    ),
    *(
        S(name, (x,), {"axis": axis})
        for name in ("cumulative_max", "cumulative_min")
        for x, axis in ((X, 1), (NAN, -1), (I, 0))
    ),
    *(S(f"cumulative_{name}", (PARTS,), {"axis": axis}) for name in ("max", "min") for axis in (0, 1)),
    S("cumulative_max", (TIES > 1,), {"axis": 1}),
    *(
        S(name, (x,), {"axis": axis})
        for name in ("cumulative_argmax", "cumulative_argmin")
        for x, axis in ((X, -2), (NAN, -1), (TIES, -1))
    ),
    S("search_rows", (np.sort(I), integers(3, 2, high=5, seed=1))),
    S("search_rows", (np.sort(X), X), {"side": "right"}),
]
