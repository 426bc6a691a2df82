"""Element by element: each domain, broadcasting, integers, signs, Python scalars."""

import numpy as np

from gfx_ir import dtypes
from samples import Sample, booleans, integers, normal, uniform

S = Sample
X, Y = normal(2, 3), normal(2, 3, seed=1)
ROW, COLUMN = normal(3, seed=2), normal(2, 1, seed=3)
I, J = integers(2, 3, low=-9), integers(2, 3, low=1, high=5, seed=1)
SMALL = integers(2, 3, high=4, seed=3)
B, C = booleans(2, 3), booleans(2, 3, seed=1)
UNIT, POSITIVE, LARGE = uniform(2, 3), uniform(2, 3, low=0.5, high=4.0), uniform(2, 3, low=1.5, high=4.0)
ODD = np.array([-np.inf, -1.5, -0.0, 0.0, 2.5, np.inf, np.nan], np.float32)
HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.2], np.float32)
Z = (normal(2, 3, seed=4) + 1j * normal(2, 3, seed=5)).astype("complex64")
TIED = np.array([2 + 1j, 2 - 1j, 0, 1 + 3j, 2], np.complex64)
ORDERS = "less less_equal greater greater_equal maximum minimum"
D = normal(2, 3, seed=6, dtype="float64")
BRAIN = normal(2, 3, seed=7).astype(dtypes.dtype("bfloat16").numpy)
SCALAR = np.array(0.5, np.float32)

DOMAINS = (
    (
        X,
        "abs angle asinh atan cos cosh deg2rad digamma erf erfc exp exp2 expm1 negative positive rad2deg sigmoid sign sign_or_zero sin sinh square tan tanh",
    ),
    (UNIT, "acos asin atanh erfinv lgamma log log10 log1p log2 reciprocal rsqrt sqrt"),
    (LARGE, "acosh lgamma digamma"),
    (ODD, "angle angle_or_zero rint isfinite isinf isnan sgn sign sign_or_zero signbit sigmoid"),
    (HALVES, "ceil floor rint round trunc sign"),
    (
        I,
        "abs angle angle_or_zero deg2rad rint negative positive sign sign_or_zero square sin floor round bitwise_invert logical_not",
    ),
    (J, "sqrt exp log reciprocal rsqrt"),
    (B, "logical_not bitwise_invert"),
    (Z, "abs angle angle_or_zero conj imag real negative exp sgn square"),
    (D, "sin erf sigmoid lgamma"),
    (X, "real conj"),
)
PAIRS = (
    ((X, Y), "add subtract multiply divide atan2 copysign hypot logaddexp maximum minimum nextafter fmod remainder"),
    ((X, POSITIVE), "floor_divide remainder fmod trunc_divide"),
    ((POSITIVE, Y), "pow"),
    ((ODD, 0.5), "heaviside"),
    ((I, J), "heaviside"),
    ((X, Y), "heaviside"),
    ((X, Y), "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor"),
    ((X, ROW), "add less"),
    ((COLUMN, ROW), "multiply maximum equal"),
    (
        (I, J),
        "add multiply subtract divide floor_divide remainder fmod trunc_divide maximum equal bitwise_and bitwise_or bitwise_xor",
    ),
    ((I, SMALL), "bitwise_left_shift bitwise_right_shift"),
    ((J, SMALL), "pow"),
    ((B, C), "bitwise_and bitwise_or bitwise_xor logical_and logical_or equal"),
    ((X, 2.0), "add multiply pow maximum less"),
    ((X, 2), "subtract pow divide floor_divide"),
    ((2, X), "subtract divide"),
    ((I, 3), "add remainder floor_divide bitwise_and bitwise_right_shift"),
    ((X, SCALAR), "add divide"),
    ((B, True), "maximum minimum"),
    ((X, X.copy()), "equal"),
)

SAMPLES = [S(name, (x,)) for x, names in DOMAINS for name in names.split()]
SAMPLES += [S(name, pair) for pair, names in PAIRS for name in names.split()]
SAMPLES += [
    S("clip", (X, -0.5, 0.5)),
    S("clip", (X,), {"min": 0.0}),
    S("clip", (X,), {"max": 0}),
    S("clip", (I, 0, 5)),
    S("clip", (X, COLUMN, LARGE)),
    S("where", (B, X, Y)),
    S("where", (B, X, 0.0)),
    S("where", (booleans(3), COLUMN, ROW)),
    S("where", (B, I, 0)),
    S("astype", (X, dtypes.dtype("int32"))),
    S("astype", (X, dtypes.dtype("float16"))),
    S("astype", (I, dtypes.dtype("float32"))),
    S("astype", (I, dtypes.bool_)),
    S("astype", (B, dtypes.dtype("int64"))),
    *(S(name, (BRAIN, 1.5), tol=2e-2) for name in ("add", "multiply", "maximum", "remainder", "atan2")),
    S("clip", (BRAIN, 0, 0.5), tol=2e-2),
    S("where", (B, BRAIN, 0.0)),
    *(S(name, (TIED, x)) for name in ORDERS.split() for x in (TIED[::-1], TIED.real, 1j)),
    S("stop_gradient", (X,)),
    S("straight_through", (X, Y)),
    S("promote_with", (X,), {"dtype": dtypes.float64}),
    S("promote_with", (X,), {"dtype": dtypes.int32, "wide": True}),
    S("promote_with", (I,), {"dtype": dtypes.float32, "wide": True}),
    S("as_number_beside", (X, D)),
    S("as_number_beside", (D, X)),
    S("as_floats", (I, dtypes.float32)),
    S("as_floats", (X, dtypes.float64)),
    S("copy", (X,)),
]
