"""Special functions over their domains, beside their poles and at the ends."""

import numpy as np

from gfx_ir.ops.special import POLYNOMIALS
from samples import Sample, integers, normal, uniform

S = Sample
X, UNIT, POSITIVE = normal(2, 3), uniform(2, 3), uniform(2, 3, low=0.2, high=20.0, seed=1)
WIDE = np.array([-30.0, -7.5, -2.0, 0.0, 0.3, 4.0, 25.0], np.float32)
D = normal(2, 3, seed=2, dtype="float64")
ENDS = np.array([0.0, 1.0, 0.0, 2.0], np.float32), np.array([0.0, 0.0, np.nan, 3.0], np.float32)

SAMPLES = [
    S(name, (x,), tol=1e-4)
    for names, domains in (
        ("bessel_j0 bessel_j1 spherical_bessel_j0 i0e i1e ndtr log_ndtr sinc", (X, WIDE, D)),
        ("bessel_y0 bessel_y1 modified_bessel_k0 modified_bessel_k1", (UNIT, POSITIVE)),
        ("scaled_modified_bessel_k0 scaled_modified_bessel_k1 entr erfcx", (UNIT, POSITIVE)),
        ("airy_ai i0 i1", (X, UNIT, D)),
        ("ndtri logit", (UNIT,)),
    )
    for name in names.split()
    for x in domains
]
SAMPLES += [S(name, (POSITIVE, UNIT * 5), tol=1e-4) for name in ("gammainc", "gammaincc", "betaln")]
SAMPLES += [S("cbrt", (x,)) for x in (X, WIDE, D)]
SAMPLES += [S("dawsn", (x,), tol=1e-5) for x in (X, WIDE, D, POSITIVE)]
SAMPLES += [S(name, (x,), tol=1e-4) for name in ("fresnel", "sici") for x in (UNIT, POSITIVE)]
SAMPLES += [
    S("hyp1f1", (POSITIVE, POSITIVE[::-1], UNIT), tol=1e-3),
    S("hyp2f1", (UNIT, UNIT + 1, POSITIVE + 2, UNIT / 2), tol=1e-3),
    S("owens_t", (X, UNIT), tol=1e-4),
    S("poch", (POSITIVE, np.round(POSITIVE[::-1] / 5)), tol=1e-3),
]
SAMPLES += [S("expi", (x,), tol=1e-4) for x in (X, UNIT, POSITIVE * 4, WIDE[WIDE != 0])]
SAMPLES += [S("expn", (n, x), tol=1e-4) for n in (1, 2, 5) for x in (UNIT, POSITIVE)]
SAMPLES += [S("expn", (n, np.array([0, 2, np.inf], np.float32)), tol=1e-4) for n in (0, 1, 2, 3)]
SAMPLES += [S("expn", (integers(2, 3, low=0, high=6).astype("float32"), POSITIVE), tol=1e-4)]
SAMPLES += [
    S("betainc", (a, b, x), tol=1e-4)
    for a, b, x in ((POSITIVE, POSITIVE[::-1], UNIT), (0.5, UNIT, UNIT), (POSITIVE, 3.0, X), (D**2, 2.0, UNIT))
]
SAMPLES += [S("zeta", (POSITIVE + 1, UNIT * 3), tol=1e-4), S("zeta", (POSITIVE[0] + 1, 2.0), tol=1e-4)]
SAMPLES += [S("zeta", (n[:, None], n), tol=1e-4) for n in (np.arange(-3.0, 6).astype("float32"), np.arange(-3, 6))]
BESIDE = {"dtype": "by NumPy's rules SciPy's are doubles beside a number; NumPy's programs have neither"}
SAMPLES += [S(name, pair) for name in ("xlogy", "xlog1py") for pair in ((POSITIVE, UNIT), ENDS)]
SAMPLES += [S(name, (UNIT, 2.0), skip=BESIDE) for name in ("xlogy", "xlog1py")]
SAMPLES += [S("logit", (X,), {"eps": 0.1}), S("multigammaln", (POSITIVE + 2, 3)), S("multigammaln", (POSITIVE, 1))]
SAMPLES += [S("polygamma", (n, x), tol=1e-4) for n in (0, 1, 3) for x in (POSITIVE, 0.3 - POSITIVE)]
SAMPLES += [
    S(name, (x, n), tol=1e-3)
    for name in POLYNOMIALS
    for x, n in ((X, integers(2, 3, low=-1, high=7).astype("float32")), (UNIT, integers(3, high=9).astype("float32")))
]
SAMPLES += [S("frexp", (x,)) for x in (X, POSITIVE, D)]
SAMPLES += [
    S("modf", (x,)) for x in (X, D, np.array([-np.inf, -1.5, -0.0, 2.0, np.inf, np.nan], np.float32), integers(5))
]
SAMPLES += [S(name, (integers(2, 3, low=-9), integers(3, seed=1))) for name in ("gcd", "lcm")]
TURN = "its imaginary parts are those of another turn"
COMPLEX = (normal(2, 3, seed=7) + 3j * normal(2, 3, seed=8)).astype("complex64")
SAMPLES += [
    S("sigmoid", (COMPLEX,)),
    S("logaddexp", (COMPLEX, COMPLEX[::-1]), skip={"jax": TURN}),
    S("logsumexp", (COMPLEX,), {"axis": 1}),
]
SAMPLES += [
    S("integer_pow", (integers(2, 3, low=-3, high=4), integers(2, 3, low=-3, high=4, seed=1))),
    S("integer_pow", (2, integers(2, 3, low=-3, high=4))),
]
