"""Statistics along axes: weights, vectors, positions."""

import numpy as np

from samples import Sample, integers, normal, uniform

S = Sample
X, ROW, CUBE = normal(3, 6), normal(6, seed=1), normal(2, 3, 4, seed=2)
COUNTS, WEIGHTS = integers(6, low=1, high=4), uniform(6, seed=3)

SAMPLES = [
    *(
        S("convolve", pair, {"mode": mode})
        for pair in ((ROW, ROW[:3]), (ROW[:2], ROW), (COUNTS, COUNTS[:3]))
        for mode in ("full", "same", "valid")
    ),
    S("interp", (X * 2, np.sort(ROW), WEIGHTS)),
    S("interp", (X * 2, np.sort(ROW), WEIGHTS), {"left": -1.0, "right": 5.0}),
    S("polyval", (ROW, X)),
    S("polyval", (ROW[:1], X)),
    *(S("polyval", pair) for pair in ((CUBE[0], ROW[:4]), (CUBE[0], X[:, :1]), (CUBE, ROW[2]), (ROW[:3, None], X))),
    *(S("logcumsumexp", (x,), {"axis": axis}) for x, axis in ((X, 0), (X, -1), (CUBE, 1), (ROW * 300, 0))),
    S("logcumsumexp", ((CUBE * (20 + 3j)).astype("complex64"), 1), tol=1e-4),
    *(
        S("trapezoid", (CUBE,), form)
        for form in ({}, {"axis": 1}, {"dx": 0.5, "axis": 0}, {"x": ROW[:4]}, {"x": CUBE * 2})
    ),
    S("trapezoid", (CUBE, ROW[:3]), {"axis": 1}),
    *(S("cov", (x,), form, tol=1e-4) for x in (X, ROW) for form in ({}, {"correction": 0})),
    S("cov", (X,), {"fweights": COUNTS}, tol=1e-4),
    S("cov", (X,), {"fweights": COUNTS, "aweights": WEIGHTS}, tol=1e-4),
    S("corrcoef", (X,), tol=1e-4),
    S("corrcoef", (ROW,), tol=1e-4),
]
