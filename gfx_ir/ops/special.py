"""Special functions, element by element.

Names as in https://docs.pytorch.org/docs/stable/special.html and https://docs.scipy.org/doc/scipy/reference/special.html;
definitions: https://dlmf.nist.gov chapters 5 to 11, 18, 25.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from ..dtypes import int32
from ..errors import ShapeError
from ..op import Point
from ..template import Spelling
from ..types import LogicalTensor
from . import _seen
from ._catalogue import ops
from ._row import composite, op
from ._shapes import as_type, dividing, elementwise, floating, integral

FAMILY = "elementwise"


def spelled(text: str, *tensors: str) -> Spelling:
    """A call of SciPy; these have no half precision of their own, and compute doubles where one argument is a number."""

    def spelling(args: SimpleNamespace) -> str:
        arrays = [name for name in tensors if not _seen.is_plain(getattr(args, name))]
        found = [(name, _seen.dtype(getattr(args, name))) for name in arrays]
        known = [(name, element) for name, element in found if element is not None]
        least = 32 if arrays == list(tensors) else 64
        narrow = known and all(element.kind == "f" and element.bits < least for _, element in known)
        return f"{text}.astype({known[0][0]}.dtype)" if narrow else text

    return spelling


UNARY = (
    ("airy_ai", "special.airy(x)[0]", "The solution Ai of y'' = x y."),
    ("bessel_j0", "special.j0(x)", "The Bessel function of the first kind of order 0."),
    ("bessel_j1", "special.j1(x)", "The Bessel function of the first kind of order 1."),
    ("bessel_y0", "special.y0(x)", "The Bessel function of the second kind of order 0."),
    ("bessel_y1", "special.y1(x)", "The Bessel function of the second kind of order 1."),
    ("dawsn", "special.dawsn(x)", "exp(-x**2) times the integral of exp(t**2) from 0 to x."),
    ("entr", "special.entr(x)", "-x log(x), 0 at 0, -inf below."),
    ("erfcx", "special.erfcx(x)", "exp(x**2) * erfc(x)."),
    ("expi", "special.expi(x)", "The exponential integral Ei."),
    ("i0e", "special.i0e(x)", "exp(-|x|) * i0(x)."),
    ("i1", "special.i1(x)", "The modified Bessel function of the first kind of order 1."),
    ("i1e", "special.i1e(x)", "exp(-|x|) * i1(x)."),
    ("log_ndtr", "special.log_ndtr(x)", "The logarithm of ndtr."),
    ("modified_bessel_k0", "special.k0(x)", "The modified Bessel function of the second kind of order 0."),
    ("modified_bessel_k1", "special.k1(x)", "The modified Bessel function of the second kind of order 1."),
    ("ndtr", "special.ndtr(x)", "The share of the standard normal distribution below x."),
    ("ndtri", "special.ndtri(x)", "The inverse of ndtr."),
    ("scaled_modified_bessel_k0", "special.k0e(x)", "exp(x) * modified_bessel_k0(x)."),
    ("scaled_modified_bessel_k1", "special.k1e(x)", "exp(x) * modified_bessel_k1(x)."),
)
for _name, _text, _doc in UNARY:
    op(FAMILY, f"{_name}(x)", spelled(_text, "x"), infer=elementwise(dividing), doc=_doc)
op(
    FAMILY,
    "i0(x)",
    spelled("special.i0(x)", "x"),
    infer=elementwise(dividing),
    point=Point.ARRAY,
    doc="The modified Bessel function of the first kind of order 0.",
)
for _signature, _text, _doc in (
    ("gammainc(x1, x2)", "special.gammainc(x1, x2)", "The regularised lower incomplete gamma function P(x1, x2)."),
    ("gammaincc(x1, x2)", "special.gammaincc(x1, x2)", "1 - gammainc."),
    ("hyp1f1(a, b, x)", "special.hyp1f1(a, b, x)", "Kummer's confluent hypergeometric function."),
    ("hyp2f1(a, b, c, x)", "special.hyp2f1(a, b, c, x)", "Gauss's hypergeometric function."),
    ("owens_t(x1, x2)", "special.owens_t(x1, x2)", "Owen's T function."),
    ("betainc(a, b, x)", "special.betainc(a, b, x)", "The regularised incomplete beta function."),
    ("zeta(x1, x2)", "special.zeta(x1, x2)", "The sum over k >= 0 of (k + x2)**-x1."),
):
    _tensors = _text.partition("(")[2].rstrip(")").split(", ")
    op(FAMILY, _signature, spelled(_text, *_tensors), infer=elementwise(dividing), doc=_doc)
for _name, _doc in (
    ("polygamma", "The nth derivative of digamma."),
    ("expn", "The exponential integral of the whole order n."),
):
    op(
        FAMILY,
        f"{_name}(n, x)",
        lambda a, name=_name: f"special.{name}(n, x)" + (".astype(x.dtype)" if _is_float(a.x) else ""),
        infer=elementwise(lambda operands, rules: dividing(operands[1:], rules)),
        doc=_doc,
    )


def _is_float(x: Any) -> bool:
    found = _seen.dtype(x)
    return found is not None and found.kind == "f" and found.bits != 64


def _two(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, LogicalTensor]:
    x = as_type(args.x, rules)
    found = LogicalTensor(dividing((x,), rules)[0], x.dims)
    return found, found


for _name, _doc in (
    ("fresnel", "The integrals of sin(pi t**2 / 2) and of cos(pi t**2 / 2) from 0 to x."),
    ("sici", "The integral of sin(t) / t from 0 to x, and the cosine integral of x."),
):
    op(FAMILY, f"{_name}(x)", f"special.{_name}(x)", infer=_two, kinds=("tensor", "tensor"), doc=_doc)


# ---------------------------------------------------------------- patterns
@composite(FAMILY)
def xlogy(x1: Any, x2: Any) -> Any:
    """x1 * log(x2), 0 where x1 is 0 and x2 a number."""
    zero = ops.logical_and(ops.equal(x1, 0), ops.logical_not(ops.isnan(x2)))
    one = ops.ones_like(x1) if _seen.is_plain(x2) else 1.0  # two numbers would make float32 of float16
    return ops.where(zero, 0.0, ops.multiply(x1, ops.log(ops.where(zero, one, x2))))


@composite(FAMILY)
def xlog1py(x1: Any, x2: Any) -> Any:
    """x1 * log(1 + x2), 0 where x1 is 0 and x2 a number."""
    zero = ops.logical_and(ops.equal(x1, 0), ops.logical_not(ops.isnan(x2)))
    none = ops.zeros_like(x1) if _seen.is_plain(x2) else 0.0
    return ops.where(zero, 0.0, ops.multiply(x1, ops.log1p(ops.where(zero, none, x2))))


@composite(FAMILY)
def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), 1 at 0."""
    angle = ops.multiply(x, math.pi)
    zero = ops.equal(angle, 0)
    angle = ops.where(zero, 1.0, angle)
    return ops.where(zero, 1.0, ops.divide(ops.sin(angle), angle))


@composite(FAMILY)
def spherical_bessel_j0(x: Any) -> Any:
    """sin(x) / x, 1 at 0 and 0 at infinity."""
    zero, far = ops.equal(x, 0), ops.isinf(x)
    safe = ops.where(ops.logical_or(zero, far), 1.0, x)
    return ops.where(far, 0.0, ops.where(zero, 1.0, ops.divide(ops.sin(safe), safe)))


@composite(FAMILY)
def logit(x: Any, eps: Any = None) -> Any:
    """log(x / (1 - x)), x kept within [eps, 1 - eps]."""
    if eps is not None:
        x = ops.clip(x, eps, ops.subtract(1.0, eps))
    return ops.log(ops.divide(x, ops.subtract(1.0, x)))


@composite(FAMILY)
def multigammaln(x: Any, d: Any) -> Any:
    """The logarithm of the multivariate gamma function of dimension d."""
    if not isinstance(d, int):
        raise ShapeError("multigammaln takes a dimension that is known at capture", hint="give it as a plain int")
    out = ops.lgamma(x)
    for j in range(1, d):
        out = ops.add(out, ops.lgamma(ops.subtract(x, 0.5 * j)))
    return ops.add(out, 0.25 * d * (d - 1) * math.log(math.pi))


@composite(FAMILY)
def betaln(x1: Any, x2: Any) -> Any:
    """The logarithm of the beta function."""
    return ops.subtract(ops.add(ops.lgamma(x1), ops.lgamma(x2)), ops.lgamma(ops.add(x1, x2)))


@composite(FAMILY)
def poch(x1: Any, x2: Any) -> Any:
    """The rising factorial gamma(x1 + x2) / gamma(x1) of positive numbers."""
    return ops.where(ops.equal(x2, 0), 1.0, ops.exp(ops.subtract(ops.lgamma(ops.add(x1, x2)), ops.lgamma(x1))))


@composite(FAMILY)
def integer_pow(x1: Any, x2: Any) -> Any:
    """x1 ** x2 of whole numbers, its fraction cut off where x2 is negative."""
    whole = ops.logical_or(ops.greater_equal(x2, 0), ops.equal(ops.abs(x1), 1))
    return ops.where(whole, ops.pow(x1, ops.abs(x2)), 0)


# ---------------------------------------------------------------- parts of numbers
def _frexp_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, LogicalTensor]:
    x = as_type(args.x, rules)
    return LogicalTensor(floating((x,), rules)[0], x.dims), LogicalTensor(int32, x.dims)


op(
    FAMILY,
    "frexp(x)",
    "np.frexp(x)",
    infer=_frexp_type,
    kinds=("tensor", "tensor"),
    doc="A fraction of at least a half and below 1, and the power of 2 that makes it x.",
)


def _modf_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, LogicalTensor]:
    x = as_type(args.x, rules)
    part = LogicalTensor(floating((x,), rules)[0], x.dims)
    return part, part


op(
    FAMILY,
    "modf(x)",
    "np.modf(x)",
    infer=_modf_type,
    kinds=("tensor", "tensor"),
    doc="What is behind the point, and what is before it.",
)


for _name, _doc in (("gcd", "The greatest common divisor."), ("lcm", "The least common multiple.")):
    op(FAMILY, f"{_name}(x1, x2)", f"np.{_name}(x1, x2)", infer=elementwise(integral), doc=_doc, python=f"math.{_name}")


# ---------------------------------------------------------------- polynomials of degree n
POLYNOMIALS = {
    "chebyshev_polynomial_t": ("x", "T"),
    "chebyshev_polynomial_u": ("x", "U"),
    "chebyshev_polynomial_v": ("x", "V"),
    "chebyshev_polynomial_w": ("x", "W"),
    "shifted_chebyshev_polynomial_t": ("2 * x - 1", "T"),
    "shifted_chebyshev_polynomial_u": ("2 * x - 1", "U"),
    "shifted_chebyshev_polynomial_v": ("2 * x - 1", "V"),
    "shifted_chebyshev_polynomial_w": ("2 * x - 1", "W"),
    "hermite_polynomial_h": ("x", "H"),
    "hermite_polynomial_he": ("x", "He"),
    "laguerre_polynomial_l": ("x", "L"),
    "legendre_polynomial_p": ("x", "P"),
}
"""Op: what the recurrence is evaluated at, and which recurrence."""
for _name, (_at, _kind) in POLYNOMIALS.items():
    op(
        FAMILY,
        f"{_name}(x, n)",
        f"orthogonal_polynomial({_at}, n, {_kind!r})",
        infer=elementwise(dividing),
        doc="The polynomial of degree n at x; n is cut to a whole number, and the result 0 where n < 0.",
    )
