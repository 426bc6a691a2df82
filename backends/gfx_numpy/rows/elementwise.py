"""Element by element: https://numpy.org/doc/stable/reference/ufuncs.html."""

from __future__ import annotations

import math
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import dtype_of
from gfx_ir.op import lookup

from ._lift import as_array, binary, element, expect, refuse, swapped, unary

UNARY = {
    "abs": "np.abs np.absolute ndarray.__abs__",
    "acos": "np.arccos",
    "acosh": "np.arccosh",
    "asin": "np.arcsin",
    "asinh": "np.arcsinh",
    "atan": "np.arctan",
    "atanh": "np.arctanh",
    "bitwise_invert": "np.invert ndarray.__invert__",
    "ceil": "np.ceil",
    "conj": "np.conj np.conjugate ndarray.conj ndarray.conjugate",
    "cos": "np.cos",
    "cosh": "np.cosh",
    "exp": "np.exp",
    "exp2": "np.exp2",
    "expm1": "np.expm1",
    "floor": "np.floor",
    "imag": "np.imag ndarray.imag@",
    "isfinite": "np.isfinite",
    "isinf": "np.isinf",
    "isnan": "np.isnan",
    "log": "np.log",
    "log10": "np.log10",
    "log1p": "np.log1p",
    "log2": "np.log2",
    "logical_not": "np.logical_not",
    "negative": "np.negative ndarray.__neg__",
    "positive": "np.positive ndarray.__pos__",
    "real": "np.real ndarray.real@",
    "reciprocal": "np.reciprocal",
    "sign": "np.sign",
    "signbit": "np.signbit",
    "sin": "np.sin",
    "sinh": "np.sinh",
    "sqrt": "np.sqrt",
    "square": "np.square",
    "tan": "np.tan",
    "tanh": "np.tanh",
    "trunc": "np.trunc np.fix",
}
# op: (names, the name of Python's operator, whether it has a reflected form)
OPERATORS = {
    "add": ("np.add", "add", True),
    "bitwise_and": ("np.bitwise_and", "and", True),
    "bitwise_left_shift": ("np.left_shift", "lshift", True),
    "bitwise_or": ("np.bitwise_or", "or", True),
    "bitwise_right_shift": ("np.right_shift", "rshift", True),
    "bitwise_xor": ("np.bitwise_xor", "xor", True),
    "divide": ("np.divide", "truediv", True),
    "equal": ("np.equal", "eq", False),
    "floor_divide": ("np.floor_divide", "floordiv", True),
    "greater": ("np.greater", "gt", False),
    "greater_equal": ("np.greater_equal", "ge", False),
    "less": ("np.less", "lt", False),
    "less_equal": ("np.less_equal", "le", False),
    "multiply": ("np.multiply", "mul", True),
    "not_equal": ("np.not_equal", "ne", False),
    "pow": ("np.power", "pow", True),
    "remainder": ("np.remainder", "mod", True),
    "subtract": ("np.subtract", "sub", True),
}
BINARY = {
    "atan2": "np.arctan2",
    "copysign": "np.copysign",
    "fmod": "np.fmod",
    "hypot": "np.hypot",
    "logaddexp": "np.logaddexp",
    "logical_and": "np.logical_and",
    "logical_or": "np.logical_or",
    "logical_xor": "np.logical_xor",
    "maximum": "np.maximum",
    "minimum": "np.minimum",
    "nextafter": "np.nextafter",
}


def _operator(name: str, names: str, method: str, reflected: bool) -> Row:
    op = lookup(name)
    lifts = {f"{names} ndarray.__{method}__": binary(op)}
    if name == "floor_divide":
        lifts["np.divmod ndarray.__divmod__"] = lambda x1, x2, /: (op(x1, x2), ops.remainder(x1, x2))
    if name == "multiply":
        lifts["np.deg2rad np.radians"] = lambda x, /: op(x, math.pi / 180)
        lifts["np.rad2deg np.degrees"] = lambda x, /: op(x, 180 / math.pi)
    if reflected:
        lifts[f"ndarray.__r{method}__"] = swapped(op)
    return Row(name, None, lifts)


def _round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    refuse("np.round", out=out)
    a = as_array(a)
    if not decimals:
        return ops.round(a)
    known = dtype_of(a)
    if known is not None and known.kind not in "fc" and decimals > 0:
        return ops.positive(a)
    factor = 10.0 ** abs(decimals)
    if decimals < 0:
        return ops.multiply(ops.round(ops.divide(a, factor)), factor)
    return ops.divide(ops.round(ops.multiply(a, factor)), factor)


def _clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None, **options: Any
) -> Any:
    refuse("np.clip", out=out, **options)
    return ops.clip(as_array(a), as_array(min if a_min is None else a_min), as_array(max if a_max is None else a_max))


def _clip_method(x: Any, min: Any = None, max: Any = None, out: Any = None, **options: Any) -> Any:
    return _clip(x, min, max, out, **options)


def _where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None or y is None:
        refuse("np.where of one argument, a result whose shape hangs on data,", condition=condition)
    return ops.where(as_array(condition), as_array(x), as_array(y))


def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    out = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        out = ops.where(condition, choice, out)
    return out


def _astype_method(
    x: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    expect("ndarray.astype", "casting", casting, "unsafe", "same_kind")
    return ops.astype(x, element(dtype))


def _nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    expect("np.nan_to_num", "copy", copy, True)
    if posinf is None or neginf is None:
        dtype = dtype_of(x) or ops.dtype_of(x)
        posinf = ops.finfo(dtype, "max") if posinf is None else posinf
        neginf = ops.finfo(dtype, "min") if neginf is None else neginf
    out = ops.where(ops.isnan(x), nan, x)
    out = ops.where(ops.equal(out, float("inf")), posinf, out)
    return ops.where(ops.equal(out, float("-inf")), neginf, out)


def _isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    expect("np.isclose", "equal_nan", equal_nan, False)
    a, b = as_array(a), as_array(b)
    near = ops.less_equal(ops.abs(ops.subtract(a, b)), ops.add(atol, ops.multiply(rtol, ops.abs(b))))
    finite = ops.logical_and(ops.isfinite(a), ops.isfinite(b))
    return ops.logical_or(ops.logical_and(near, finite), ops.equal(a, b))


ROWS = (
    *(Row(name, None, {names: unary(lookup(name))}) for name, names in UNARY.items()),
    *(_operator(name, *rest) for name, rest in OPERATORS.items()),
    *(Row(name, None, {names: binary(lookup(name))}) for name, names in BINARY.items()),
    Row("round", None, {"np.round np.around ndarray.round": _round, "np.rint": unary(ops.round)}),
    Row("clip", None, {"np.clip": _clip, "ndarray.clip": _clip_method}),
    Row(
        "where",
        None,
        {
            "np.where": _where,
            "np.select": _select,
            "np.nan_to_num": _nan_to_num,
            "np.isclose": _isclose,
            "np.allclose": lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: ops.all(
                _isclose(a, b, rtol, atol, equal_nan)
            ),
        },
    ),
    Row(
        "astype",
        None,
        {
            "ndarray.astype": _astype_method,
            "np.astype": lambda x, dtype, /, *, copy=True, device=None: ops.astype(x, element(dtype)),
        },
    ),
    Row("copy", None, {"np.copy ndarray.copy": lambda a, order="C", subok=False: ops.copy(as_array(a))}),
)
