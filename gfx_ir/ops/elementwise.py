"""Ops that work element by element, their arguments broadcast against each other.

Names and semantics: https://data-apis.org/array-api/latest/API_specification/elementwise_functions.html
"""

from __future__ import annotations

import functools
import operator as operators
from types import SimpleNamespace

from ..infer.comparisons import at_most, below, comparison, equal, opposite
from ..infer.sequences import cast, linear, logical, multiplied, negated
from ..op import Point, Trait
from ..python_numbers import SIGNS
from ..template import Spelling
from ..types import LogicalTensor
from . import _seen
from ._row import keeping, op
from ._shapes import (
    as_type,
    boolean,
    broadcast,
    comparing,
    defaulting,
    dividing,
    elementwise,
    floating,
    free,
    integral,
    negating,
    numeric,
    operator,
    phase,
    promote,
    raising,
    real,
    rounding,
    same,
    shifting,
    stays_weak,
    subtracting,
    takes_open,
)
from ._views import put_conj, put_data, put_imag, put_real

FAMILY = "elementwise"


def _special(name: str) -> Spelling:
    """A function of SciPy; these have no half precision of their own."""

    def spelling(args: SimpleNamespace) -> str:
        element = _seen.dtype(args.x)
        if name == "expit" and element is not None and element.kind == "c":
            return "1 / (1 + np.exp(-x))"
        half = element is not None and element.kind == "f" and element.bits < 32
        return f"special.{name}(x).astype(x.dtype)" if half else f"special.{name}(x)"

    return spelling


def _logaddexp(args: SimpleNamespace) -> str:
    """NumPy's takes real numbers."""
    kinds = {getattr(_seen.dtype(x), "kind", "") for x in (args.x1, args.x2)}
    return "logaddexp(x1, x2)" if "c" in kinds else "np.logaddexp(x1, x2)"


def _sign_or_zero(args: SimpleNamespace) -> str:
    """NumPy tells no NaN among elements of an extension."""
    if _seen.extended(args.x):
        return "np.nan_to_num(np.sign(x.astype(np.float32))).astype(x.dtype)"
    return "np.nan_to_num(np.sign(x))"


def _sgn(args: SimpleNamespace) -> str:
    """Of complex numbers NaN stays NaN."""
    if _seen.dtype(args.x) is None:
        return "np.sign(x) if np.iscomplexobj(x) else np.nan_to_num(np.sign(x))"
    return "np.sign(x)" if getattr(_seen.dtype(args.x), "kind", "") == "c" else _sign_or_zero(args)


def _angle_or_zero(args: SimpleNamespace) -> str:
    """NumPy's of -0 is pi, which adding 0 makes 0."""
    element = _seen.dtype(args.x)
    if element is None:
        return "np.angle(x) if np.iscomplexobj(x) else np.angle(x + 0.0)"
    return "np.angle(x + 0.0)" if element.kind == "f" else "np.angle(x)"


def _trunc_divide(args: SimpleNamespace) -> str:
    """Of integers NumPy's quotient has another rounding or another dtype."""
    kinds = [getattr(_seen.dtype(x), "kind", "") for x in (args.x1, args.x2) if not _seen.is_plain(x)]
    return "np.trunc(x1 / x2)" if "f" in kinds else "trunc_divide(x1, x2)"


UNARY = (
    ("abs", "abs(x)", operator(real)),
    ("acos", "np.arccos(x)", floating),
    ("acosh", "np.arccosh(x)", floating),
    ("angle", "np.angle(x)", phase),
    ("angle_or_zero", _angle_or_zero, phase),
    ("asin", "np.arcsin(x)", floating),
    ("asinh", "np.arcsinh(x)", floating),
    ("atan", "np.arctan(x)", floating),
    ("atanh", "np.arctanh(x)", floating),
    ("bitwise_invert", "~x", operator(integral)),
    ("cbrt", "np.cbrt(x)", floating),
    ("ceil", "np.ceil(x)", rounding),
    ("conj", "np.conj(x)", promote),
    ("cos", "np.cos(x)", floating),
    ("cosh", "np.cosh(x)", floating),
    ("deg2rad", "np.deg2rad(x)", floating),
    ("digamma", _special("digamma"), dividing),
    ("erf", _special("erf"), dividing),
    ("erfc", _special("erfc"), dividing),
    ("erfinv", _special("erfinv"), dividing),
    ("exp", "np.exp(x)", floating),
    ("exp2", "np.exp2(x)", floating),
    ("expm1", "np.expm1(x)", floating),
    ("floor", "np.floor(x)", rounding),
    ("isfinite", "np.isfinite(x)", boolean),
    ("isinf", "np.isinf(x)", boolean),
    ("isnan", "np.isnan(x)", boolean),
    ("lgamma", _special("gammaln"), dividing),
    ("log", "np.log(x)", floating),
    ("log10", "np.log10(x)", floating),
    ("log1p", "np.log1p(x)", floating),
    ("log2", "np.log2(x)", floating),
    ("logical_not", "np.logical_not(x)", boolean),
    ("negative", "-x", operator(negating)),
    ("positive", "+x", operator(promote)),
    ("rad2deg", "np.rad2deg(x)", floating),
    ("reciprocal", "1 / x", operator(dividing)),
    ("rint", "np.rint(x)", defaulting),
    ("round", "np.round(x)", rounding),
    ("rsqrt", "1 / np.sqrt(x)", floating),
    ("sigmoid", _special("expit"), dividing),
    ("sign", "np.sign(x)", promote),
    ("sgn", _sgn, promote),
    ("sign_or_zero", _sign_or_zero, promote),
    ("signbit", "np.signbit(x)", boolean),
    ("sin", "np.sin(x)", floating),
    ("sinh", "np.sinh(x)", floating),
    ("sqrt", "np.sqrt(x)", floating),
    ("square", "np.square(x)", numeric),
    ("tan", "np.tan(x)", floating),
    ("tanh", "np.tanh(x)", floating),
    ("trunc", "np.trunc(x)", rounding),
)
BINARY = (
    ("add", "x1 + x2", operator(promote)),
    ("atan2", "np.arctan2(x1, x2)", floating),
    ("bitwise_and", "x1 & x2", operator(integral)),
    ("bitwise_left_shift", "x1 << x2", operator(shifting)),
    ("bitwise_or", "x1 | x2", operator(integral)),
    ("bitwise_right_shift", "x1 >> x2", operator(shifting)),
    ("bitwise_xor", "x1 ^ x2", operator(integral)),
    ("copysign", "np.copysign(x1, x2)", floating),
    ("divide", "x1 / x2", operator(dividing)),
    ("equal", "x1 == x2", comparing),
    ("floor_divide", "x1 // x2", operator(numeric)),
    ("fmod", "np.fmod(x1, x2)", numeric),
    ("greater", "x1 > x2", comparing),
    ("greater_equal", "x1 >= x2", comparing),
    ("heaviside", "np.heaviside(x1, x2)", floating),
    ("hypot", "np.hypot(x1, x2)", floating),
    ("less", "x1 < x2", comparing),
    ("less_equal", "x1 <= x2", comparing),
    ("logaddexp", _logaddexp, floating),
    ("logical_and", "np.logical_and(x1, x2)", boolean),
    ("logical_or", "np.logical_or(x1, x2)", boolean),
    ("logical_xor", "np.logical_xor(x1, x2)", boolean),
    ("maximum", "np.maximum(x1, x2)", promote),
    ("minimum", "np.minimum(x1, x2)", promote),
    ("multiply", "x1 * x2", operator(promote)),
    ("nextafter", "np.nextafter(x1, x2)", floating),
    ("not_equal", "x1 != x2", comparing),
    ("pow", "x1 ** x2", operator(raising)),
    ("remainder", "x1 % x2", operator(numeric)),
    ("subtract", "x1 - x2", operator(subtracting)),
    ("trunc_divide", _trunc_divide, numeric),
)

_TRAITS = {
    Trait.IDEMPOTENT: "abs ceil floor positive rint round sgn sign sign_or_zero trunc",
    Trait.INVOLUTION: "bitwise_invert conj logical_not negative",
    Trait.TOTAL: "abs add angle_or_zero asinh atan ceil conj deg2rad equal erf erfc floor greater greater_equal heaviside isfinite isinf"
    " isnan less less_equal logical_and logical_not logical_or logical_xor maximum minimum multiply negative not_equal positive"
    " rad2deg rint round sigmoid sgn sign sign_or_zero signbit sin cos square subtract tanh trunc",
    Trait.STEADY: "abs add atan copysign cos erf hypot maximum minimum multiply negative positive sigmoid sin subtract tanh",
    Trait.AFFINE: "add negative subtract",
    Trait.UNSAVED: "add negative positive sign sign_or_zero subtract",
    Trait.NOT_NEGATIVE: "abs acos acosh cosh erfc exp exp2 hypot rsqrt sigmoid sqrt square",
    Trait.KEEPS_SIGN: "add asin asinh atan atanh atan2 copysign deg2rad divide erf expm1 floor_divide fmod heaviside log1p maximum"
    " minimum multiply positive pow rad2deg reciprocal remainder rint sgn sign sign_or_zero sinh tanh trunc_divide",
    Trait.COMMUTATIVE: "add bitwise_and bitwise_or bitwise_xor equal hypot logaddexp logical_and logical_or logical_xor "
    "maximum minimum multiply not_equal",
    Trait.BOTH: "logical_and",
    Trait.UNDERIVED: "nextafter",
}
_OF_MATH = (
    "acos acosh asin asinh atan atan2 atanh copysign cos cosh erf erfc exp exp2 expm1 fmod hypot isfinite isinf isnan lgamma log log10"
    " log1p log2 sin sinh sqrt tan tanh".split()
)
_NEUTRAL = {"add": -0.0, "subtract": 0, "multiply": 1, "divide": 1, "pow": 1}
_SEQUENCES = {
    "add": linear(1), "subtract": linear(-1), "multiply": multiplied, "negative": negated, "less": comparison(below),
    "less_equal": comparison(at_most), "equal": comparison(equal), "greater": comparison(at_most, False),
    "greater_equal": comparison(below, False), "not_equal": comparison(equal, False),
    **dict.fromkeys(("logical_and", "bitwise_and"), logical(operators.and_)),
    **dict.fromkeys(("logical_or", "bitwise_or"), logical(operators.or_)),
    **dict.fromkeys(("logical_xor", "bitwise_xor"), logical(operators.xor)),
    **dict.fromkeys(("logical_not", "bitwise_invert"), opposite(logical(operators.not_))),
}  # fmt: skip
_TOTAL = {
    "divide": lambda args: type(args.x2) in (int, float) and args.x2 != 0,
    "pow": lambda args: type(args.x2) is int and args.x2 > 0,
}


def _traits(name: str) -> Trait:
    return functools.reduce(operators.or_, [t for t, names in _TRAITS.items() if name in names.split()], Trait.NONE)


for _params, _rows in (("x", UNARY), ("x1, x2", BINARY)):
    for _name, _spelling, _rule in _rows:
        if _rows is BINARY and _rule not in (boolean, comparing):
            _spelling = keeping(_spelling, "x1", "x2")
        _python = f"math.{_name}" if _name in _OF_MATH else ""
        _facts = {"neutral": _NEUTRAL.get(_name), "total": _TOTAL.get(_name), "sequence": _SEQUENCES.get(_name)}
        _more = {"traits": _traits(_name), "sign": SIGNS.get(_name, ""), "python": _python, **_facts}
        _put, _shares = put_conj if _name == "conj" else None, _name == "positive"
        op(FAMILY, f"{_name}({_params})", _spelling, _shares, infer=elementwise(_rule), put=_put, **_more)


def _clip(args: SimpleNamespace) -> str:
    if args.min is None:
        return "x" if args.max is None else "np.minimum(x, max)"
    return "np.maximum(x, min)" if args.max is None else "np.clip(x, min, max)"


@takes_open
def _clip_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    operands = [as_type(a, rules) for a in (args.x, args.min, args.max) if a is not None]
    dtype, weak = promote(operands, rules)
    return LogicalTensor(dtype, broadcast(*(t.dims for t in operands)), weak=stays_weak(weak, rules))


@takes_open
def _where_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    condition, *chosen = (as_type(a, rules) for a in (args.condition, args.x1, args.x2))
    dtype, weak = promote(chosen, rules)
    return LogicalTensor(dtype, broadcast(condition.dims, *(t.dims for t in chosen)), weak=stays_weak(weak, rules))


op(
    FAMILY,
    "clip(x, min=None, max=None)",
    keeping(_clip, "x", "min", "max", numbers=False),
    infer=_clip_type,
    traits=Trait.ELEMENTWISE | Trait.TOTAL | Trait.KEEPS_SIGN | Trait.STEADY,
    shares=True,
)
op(
    FAMILY,
    "where(condition, x1, x2)",
    keeping("np.where(condition, x1, x2)", "x1", "x2"),
    infer=_where_type,
    traits=Trait.ELEMENTWISE | Trait.TOTAL | Trait.KEEPS_SIGN | Trait.STEADY | Trait.CHOOSES,
    point=Point.EITHER,
)
op(
    FAMILY,
    "real(x)",
    "np.real(x)",
    infer=elementwise(real),
    put=put_real,
    compute=free,
    traits=Trait.TOTAL,
    sequence=cast,
)
op(FAMILY, "imag(x)", "np.imag(x)", infer=elementwise(real), put=put_imag, compute=free, traits=Trait.TOTAL)
op(
    FAMILY,
    "stop_gradient(x)",
    "x",
    infer=elementwise(operator(same)),
    put=put_data,
    compute=free,
    traits=Trait.IDEMPOTENT | Trait.TOTAL | Trait.STEADY | Trait.GRADIENT,
)
op(
    FAMILY,
    "straight_through(x, value)",
    "value",
    infer=elementwise(same),
    compute=free,
    shares=True,
    traits=Trait.TOTAL | Trait.GRADIENT,
    doc="The data of `value` with the gradient of x, as an in-place write leaves them "
    "that is not recorded. Source: the straight-through estimator of Bengio, Léonard and Courville (2013), arXiv:1308.3432.",
)
_copied = Trait.FRESH | Trait.SELECTS | Trait.TOTAL | Trait.KEEPS_SIGN | Trait.UNSAVED | Trait.STEADY
op(FAMILY, "copy(x)", "np.copy(x)", infer=elementwise(same), traits=_copied, point=Point.KEPT)
