"""Element by element: https://docs.jax.dev/en/latest/jax.numpy.html and jax.lax."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import dtype_of
from gfx_ir.op import lookup
from gfx_ir.template import Spelling
from gfx_ir.trees import tree_map

from ._lift import binary, element, expect, plain, refuse, swapped, unary, whole

# op: (spelling, names that mean it)
UNARY: dict[str, tuple[Spelling, str]] = {
    "abs": ("jnp.abs(x)", "jnp.abs jnp.absolute lax.abs Array.__abs__"),
    "acos": ("jnp.arccos(x)", "jnp.arccos jnp.acos lax.acos"),
    "acosh": ("jnp.arccosh(x)", "jnp.arccosh jnp.acosh lax.acosh"),
    "asin": ("jnp.arcsin(x)", "jnp.arcsin jnp.asin lax.asin"),
    "asinh": ("jnp.arcsinh(x)", "jnp.arcsinh jnp.asinh lax.asinh"),
    "atan": ("jnp.arctan(x)", "jnp.arctan jnp.atan lax.atan"),
    "atanh": ("jnp.arctanh(x)", "jnp.arctanh jnp.atanh lax.atanh"),
    "bitwise_invert": (
        lambda a: "jnp.invert(x)" if plain(a.x) else "~x",
        "jnp.invert jnp.bitwise_not jnp.bitwise_invert lax.bitwise_not Array.__invert__",
    ),
    "ceil": ("jnp.ceil(x)", "jnp.ceil lax.ceil"),
    "conj": ("jnp.conj(x)", "jnp.conj jnp.conjugate lax.conj Array.conj Array.conjugate"),
    "cos": ("jnp.cos(x)", "jnp.cos lax.cos"),
    "cosh": ("jnp.cosh(x)", "jnp.cosh lax.cosh"),
    "digamma": ("jax.scipy.special.digamma(x)", "jax.scipy.special.digamma lax.digamma"),
    "erf": ("jax.scipy.special.erf(x)", "jax.scipy.special.erf lax.erf"),
    "erfc": ("jax.scipy.special.erfc(x)", "jax.scipy.special.erfc lax.erfc"),
    "erfinv": ("jax.scipy.special.erfinv(x)", "jax.scipy.special.erfinv lax.erf_inv"),
    "exp": ("jnp.exp(x)", "jnp.exp lax.exp"),
    "exp2": ("jnp.exp2(x)", "jnp.exp2 lax.exp2"),
    "expm1": ("jnp.expm1(x)", "jnp.expm1 lax.expm1"),
    "floor": ("jnp.floor(x)", "jnp.floor lax.floor"),
    "imag": ("jnp.imag(x)", "jnp.imag lax.imag Array.imag@"),
    "isfinite": ("jnp.isfinite(x)", "jnp.isfinite lax.is_finite"),
    "isinf": ("jnp.isinf(x)", "jnp.isinf"),
    "isnan": ("jnp.isnan(x)", "jnp.isnan"),
    "lgamma": ("jax.scipy.special.gammaln(x)", "jax.scipy.special.gammaln lax.lgamma"),
    "log": ("jnp.log(x)", "jnp.log lax.log"),
    "log10": ("jnp.log10(x)", "jnp.log10"),
    "log1p": ("jnp.log1p(x)", "jnp.log1p lax.log1p"),
    "log2": ("jnp.log2(x)", "jnp.log2"),
    "logical_not": ("jnp.logical_not(x)", "jnp.logical_not"),
    "negative": ("-x", "jnp.negative lax.neg Array.__neg__"),
    "positive": ("+x", "jnp.positive Array.__pos__"),
    "real": ("jnp.real(x)", "jnp.real lax.real Array.real@"),
    "reciprocal": ("1 / x", "jnp.reciprocal lax.reciprocal"),
    "rsqrt": (lambda a: "1 / jnp.sqrt(x)" if whole(a.x) else "jax.lax.rsqrt(x)", "lax.rsqrt"),
    "sigmoid": ("jax.nn.sigmoid(x)", "jax.nn.sigmoid jax.scipy.special.expit lax.logistic"),
    "sign": ("jnp.sign(x)", "jnp.sign lax.sign"),
    "signbit": ("jnp.signbit(x)", "jnp.signbit"),
    "sin": ("jnp.sin(x)", "jnp.sin lax.sin"),
    "sinh": ("jnp.sinh(x)", "jnp.sinh lax.sinh"),
    "sqrt": ("jnp.sqrt(x)", "jnp.sqrt lax.sqrt"),
    "square": ("jnp.square(x)", "jnp.square lax.square"),
    "tan": ("jnp.tan(x)", "jnp.tan lax.tan"),
    "tanh": ("jnp.tanh(x)", "jnp.tanh jax.nn.tanh lax.tanh"),
    "trunc": ("jnp.trunc(x)", "jnp.trunc"),
}
# op: (spelling, names, the name of Python's operator, whether it has a reflected form)
OPERATORS = {
    "add": ("x1 + x2", "jnp.add lax.add", "add", True),
    "bitwise_and": ("x1 & x2", "jnp.bitwise_and lax.bitwise_and", "and", True),
    "bitwise_left_shift": ("x1 << x2", "jnp.left_shift jnp.bitwise_left_shift lax.shift_left", "lshift", True),
    "bitwise_or": ("x1 | x2", "jnp.bitwise_or lax.bitwise_or", "or", True),
    "bitwise_right_shift": (
        "x1 >> x2",
        "jnp.right_shift jnp.bitwise_right_shift lax.shift_right_arithmetic",
        "rshift",
        True,
    ),
    "bitwise_xor": ("x1 ^ x2", "jnp.bitwise_xor lax.bitwise_xor", "xor", True),
    "divide": ("x1 / x2", "jnp.divide jnp.true_divide", "truediv", True),
    "equal": ("x1 == x2", "jnp.equal lax.eq", "eq", False),
    "floor_divide": ("x1 // x2", "jnp.floor_divide", "floordiv", True),
    "greater": ("x1 > x2", "jnp.greater lax.gt", "gt", False),
    "greater_equal": ("x1 >= x2", "jnp.greater_equal lax.ge", "ge", False),
    "less": ("x1 < x2", "jnp.less lax.lt", "lt", False),
    "less_equal": ("x1 <= x2", "jnp.less_equal lax.le", "le", False),
    "multiply": ("x1 * x2", "jnp.multiply lax.mul", "mul", True),
    "not_equal": ("x1 != x2", "jnp.not_equal lax.ne", "ne", False),
    "pow": ("x1 ** x2", "jnp.power jnp.pow lax.pow lax.integer_pow", "pow", True),
    "remainder": ("x1 % x2", "jnp.remainder jnp.mod", "mod", True),
    "subtract": ("x1 - x2", "jnp.subtract lax.sub", "sub", True),
}
BINARY = {
    "atan2": ("jnp.arctan2(x1, x2)", "jnp.arctan2 jnp.atan2 lax.atan2"),
    "copysign": ("jnp.copysign(x1, x2)", "jnp.copysign"),
    "fmod": ("jnp.fmod(x1, x2)", "jnp.fmod lax.rem"),
    "hypot": ("jnp.hypot(x1, x2)", "jnp.hypot"),
    "logaddexp": ("jnp.logaddexp(x1, x2)", "jnp.logaddexp"),
    "logical_and": ("jnp.logical_and(x1, x2)", "jnp.logical_and"),
    "logical_or": ("jnp.logical_or(x1, x2)", "jnp.logical_or"),
    "logical_xor": ("jnp.logical_xor(x1, x2)", "jnp.logical_xor"),
    "maximum": ("jnp.maximum(x1, x2)", "jnp.maximum lax.max"),
    "minimum": ("jnp.minimum(x1, x2)", "jnp.minimum lax.min"),
    "nextafter": ("jnp.nextafter(x1, x2)", "jnp.nextafter lax.nextafter"),
}


def _operator(name: str, spelling: str, names: str, method: str, reflected: bool) -> Row:
    op = lookup(name)
    lifts = {f"{names} Array.__{method}__": binary(op)}
    if reflected:
        lifts[f"Array.__r{method}__"] = swapped(op)
    if name == "floor_divide":
        lifts["jnp.divmod Array.__divmod__"] = lambda x1, x2: (op(x1, x2), ops.remainder(x1, x2))
    if name == "multiply":
        lifts["jnp.deg2rad jnp.radians"] = lambda x: op(x, math.pi / 180)
        lifts["jnp.rad2deg jnp.degrees"] = lambda x: op(x, 180 / math.pi)
    if name == "divide":
        lifts["lax.div"] = _lax_div
    return Row(name, spelling, lifts)


def _round(a: Any, decimals: int | None = 0, out: None = None) -> Any:
    refuse("jnp.round", out=out)
    if not decimals:
        return ops.round(a)
    known = dtype_of(a)
    if known is not None and known.kind not in "fc" and decimals > 0:
        return ops.positive(a)
    factor = 10.0 ** abs(decimals)
    if decimals < 0:
        return ops.multiply(ops.round(ops.divide(a, factor)), factor)
    return ops.divide(ops.round(ops.multiply(a, factor)), factor)


def _lax_round(x: Any, rounding_method: Any = 0) -> Any:
    expect("lax.round", "rounding_method", int(rounding_method), 1)
    return ops.round(x)


def _lax_div(x: Any, y: Any) -> Any:
    """lax.div truncates integers toward zero."""
    if any(d is not None and d.kind not in "fc" for d in map(dtype_of, (x, y))):
        return ops.floor_divide(ops.subtract(x, ops.fmod(x, y)), y)
    return ops.divide(x, y)


def _clip(
    arr: Any = None, /, min: Any = None, max: Any = None, *, a: Any = None, a_min: Any = None, a_max: Any = None
) -> Any:
    return ops.clip(a if arr is None else arr, a_min if min is None else min, a_max if max is None else max)


def _clip_method(x: Any, min: Any = None, max: Any = None) -> Any:
    return ops.clip(x, min, max)


def _where(condition: Any, x: Any = None, y: Any = None, /, *, size: Any = None, fill_value: Any = None) -> Any:
    refuse("jnp.where", size=size, fill_value=fill_value)
    if x is None or y is None:
        refuse("jnp.where of one argument, a result whose shape hangs on data,", condition=condition)
    return ops.where(condition, x, y)


def _select_list(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    out = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        out = ops.where(condition, choice, out)
    return out


def _astype(x: Any, dtype: Any, copy: bool = False, device: Any = None) -> Any:
    return ops.astype(x, element(dtype))


def _convert_element_type(operand: Any, new_dtype: Any) -> Any:
    return ops.astype(operand, element(new_dtype))


def _nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    if posinf is None or neginf is None:
        dtype = dtype_of(x) or ops.dtype_of(x)
        posinf = ops.finfo(dtype, "max") if posinf is None else posinf
        neginf = ops.finfo(dtype, "min") if neginf is None else neginf
    out = ops.where(ops.isnan(x), nan, x)
    out = ops.where(ops.equal(out, float("inf")), posinf, out)
    return ops.where(ops.equal(out, float("-inf")), neginf, out)


def _isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    expect("jnp.isclose", "equal_nan", equal_nan, False)
    near = ops.less_equal(ops.abs(ops.subtract(a, b)), ops.add(atol, ops.multiply(rtol, ops.abs(b))))
    finite = ops.logical_and(ops.isfinite(a), ops.isfinite(b))
    return ops.logical_or(ops.logical_and(near, finite), ops.equal(a, b))


def _allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    return ops.all(_isclose(a, b, rtol, atol, equal_nan))


def _astype_spelling(args: SimpleNamespace) -> str:
    return "jnp.asarray(x, dtype=dtype)" if plain(args.x) else "x.astype(dtype)"


def _clip_spelling(args: SimpleNamespace) -> str:
    if args.min is None:
        return "x" if args.max is None else "jnp.minimum(x, max)"
    return "jnp.maximum(x, min)" if args.max is None else "jnp.clip(x, min, max)"


ROWS = (
    *(Row(name, spelling, {names: unary(lookup(name))}) for name, (spelling, names) in UNARY.items()),
    *(_operator(name, *rest) for name, rest in OPERATORS.items()),
    *(Row(name, spelling, {names: binary(lookup(name))}) for name, (spelling, names) in BINARY.items()),
    Row(
        "round",
        "jnp.round(x)",
        {"jnp.round jnp.around jnp.rint Array.round Array.__round__": _round, "lax.round": _lax_round},
    ),
    Row(
        "clip",
        _clip_spelling,
        {
            "jnp.clip": _clip,
            "Array.clip": _clip_method,
            "lax.clamp": lambda min, x, max: ops.clip(x, min, max),
        },
    ),
    Row(
        "where",
        "jnp.where(condition, x1, x2)",
        {
            "jnp.where": _where,
            "lax.select": lambda pred, on_true, on_false: ops.where(pred, on_true, on_false),
            "jnp.select": _select_list,
            "jnp.nan_to_num": _nan_to_num,
            "jnp.isclose": _isclose,
            "jnp.allclose": _allclose,
        },
    ),
    Row(
        "astype",
        _astype_spelling,
        {"jnp.astype Array.astype": _astype, "lax.convert_element_type": _convert_element_type},
    ),
    Row(
        "stop_gradient",
        "jax.lax.stop_gradient(x)",
        {"lax.stop_gradient": lambda x: tree_map(ops.stop_gradient, x)},
    ),
    Row("copy", "x", {"jnp.copy Array.copy": lambda a, order=None: ops.copy(a)}),
)
