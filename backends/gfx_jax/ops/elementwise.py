"""Element by element: https://docs.jax.dev/en/latest/jax.numpy.html and jax.lax."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.control import is_placeholder
from gfx_ir.dtypes import int64
from gfx_ir.graph import Value
from gfx_ir.lifting import words
from gfx_ir.lifting.elements import BINARY, OPERATORS, UNARY, Elements, functions
from gfx_ir.lifting.ranks import known_alike
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from gfx_ir.template import Spelling

from ._lift import JNP, element, kind_of, plain, unary, unknown_dtype, whole

_SAME = JNP.table(functions(JNP), Elements(JNP).table())
# op: spelling, where it is another than NumPy's first name of it
SPELLINGS: dict[str, Spelling] = {
    "angle": "jnp.angle(x)",
    "angle_or_zero": "angle_or_zero(x)",
    "bitwise_invert": lambda a: "jnp.invert(x)" if plain(a.x) else "~x",
    "digamma": "digamma(x)",
    "erf": "jax.scipy.special.erf(x)",
    "erfc": "jax.scipy.special.erfc(x)",
    "erfinv": "jax.scipy.special.erfinv(x)",
    "lgamma": "jax.scipy.special.gammaln(x)",
    "logaddexp": lambda a: f"{'' if 'c' in (kind_of(a.x1), kind_of(a.x2)) else 'jnp.'}logaddexp(x1, x2)",
    "negative": "-x",
    "positive": "+x",
    "reciprocal": "1 / x",
    "rsqrt": lambda a: "1 / jnp.sqrt(x)" if whole(a.x) else "jax.lax.rsqrt(x)",
    "sigmoid": "jax.nn.sigmoid(x)",
    "sgn": "sgn(x)",
    "sign_or_zero": lambda a: "jnp.sign(x)" if whole(a.x) else "jnp.nan_to_num(jnp.sign(x))",
    "trunc_divide": lambda a: "jnp.trunc(x1 / x2)" if "f" in map(kind_of, (a.x1, a.x2)) else "trunc_divide(x1, x2)",
    **{name: f"x1 {symbol} x2" for name, (_, symbol, _, _) in OPERATORS.items()},
}
# op: the names that only JAX has
NAMES = {
    "abs": "lax.abs",
    "acos": "lax.acos",
    "acosh": "lax.acosh",
    "asin": "lax.asin",
    "asinh": "lax.asinh",
    "atan": "lax.atan",
    "atanh": "lax.atanh",
    "bitwise_invert": "lax.bitwise_not",
    "ceil": "lax.ceil",
    "cos": "lax.cos",
    "cosh": "lax.cosh",
    "digamma": "jax.scipy.special.digamma lax.digamma",
    "erf": "jax.scipy.special.erf lax.erf",
    "erfc": "jax.scipy.special.erfc lax.erfc",
    "erfinv": "jax.scipy.special.erfinv lax.erf_inv",
    "exp": "lax.exp",
    "exp2": "lax.exp2",
    "expm1": "lax.expm1",
    "floor": "lax.floor",
    "imag": "lax.imag",
    "isfinite": "lax.is_finite",
    "lgamma": "jax.scipy.special.gammaln lax.lgamma",
    "log": "lax.log",
    "log1p": "lax.log1p",
    "negative": "lax.neg",
    "real": "lax.real",
    "reciprocal": "lax.reciprocal",
    "rsqrt": "lax.rsqrt",
    "sigmoid": "jax.nn.sigmoid jax.scipy.special.expit lax.logistic",
    "sign": "lax.sign",
    "sin": "lax.sin",
    "sinh": "lax.sinh",
    "sqrt": "lax.sqrt",
    "square": "lax.square",
    "tan": "lax.tan",
    "tanh": "lax.tanh",
    "add": "lax.add",
    "bitwise_and": "lax.bitwise_and",
    "bitwise_left_shift": "lax.shift_left",
    "bitwise_or": "lax.bitwise_or",
    "bitwise_xor": "lax.bitwise_xor",
    "equal": "lax.eq",
    "greater": "lax.gt",
    "greater_equal": "lax.ge",
    "less": "lax.lt",
    "less_equal": "lax.le",
    "multiply": "lax.mul",
    "not_equal": "lax.ne",
    "pow": "lax.pow lax.integer_pow",
    "subtract": "lax.sub",
    "atan2": "lax.atan2",
    "fmod": "lax.rem",
    "maximum": "lax.max",
    "minimum": "lax.min",
    "nextafter": "lax.nextafter",
}


def _promoted(args: SimpleNamespace) -> str:
    """By a helper where x stands for a longer expression; to 64 bits, as many as the mode has."""
    if args.wide:
        return "promote_as_numpy(x, dtype)"
    dtype = "jnp.result_type(int)" if args.dtype is int64 else "dtype"
    short = not isinstance(args.x, Value) or is_placeholder(args.x.node)
    return f"x.astype(jnp.promote_types(x.dtype, {dtype}))" if short else f"promote_with(x, {dtype})"


def _row(name: str) -> Row:
    """A function of one array or of two."""
    lifts, two = dict(_SAME.get(name, {})), name in OPERATORS or name in BINARY
    first = next(iter(lifts), "").partition(" ")[0]
    if name in NAMES:
        lifts[NAMES[name]] = words.binary(lookup(name), JNP) if two else unary(lookup(name))
    if name == "divide":
        lifts["lax.div"] = _lax_div
    return Row(name, SPELLINGS.get(name, f"{first}({'x1, x2' if two else 'x'})"), lifts)


def _select(pred: Any, on_true: Any, on_false: Any) -> Any:
    known_alike("lax.select", on_true, on_false, sizes=True, numbers=False)
    known_alike("lax.select", pred, on_true, sizes=True)
    return ops.where(pred, on_true, on_false)


def _lax_div(x: Any, y: Any) -> Any:
    """lax.div truncates integers toward zero; a Python integer may stand beside floats."""
    kinds = {kind_of(v) for v in (x, y)}
    if kinds & {"f", "c"}:
        return ops.divide(x, y)
    if kinds <= {"i", "u", "b"} or any(isinstance(v, Value) and v.is_tensor and kind_of(v) for v in (x, y)):
        return ops.floor_divide(ops.subtract(x, ops.fmod(x, y)), y)
    raise unknown_dtype("lax.div", "or write jnp.divide(x, y), or x // y")


def _clip(
    arr: Any = None, /, min: Any = None, max: Any = None, *, a: Any = None, a_min: Any = None, a_max: Any = None
) -> Any:
    return ops.clip(a if arr is None else arr, a_min if min is None else min, a_max if max is None else max)


def _clip_method(x: Any, min: Any = None, max: Any = None) -> Any:
    return ops.clip(x, min, max)


def _astype(x: Any, dtype: Any, copy: bool = False, device: Any = None) -> Any:
    return ops.astype(x, element(dtype))


def _convert_element_type(operand: Any, new_dtype: Any) -> Any:
    return ops.astype(operand, element(new_dtype))


def _astype_spelling(args: SimpleNamespace) -> str:
    """Positions become as wide as JAX's mode admits, which a 64-bit dtype says with a warning."""
    row = backend("jax").rows.get(args.x.node.op.name) if isinstance(args.x, Value) and args.dtype == int64 else None
    if row is not None and row.narrow:
        return "x.astype(int)"
    return "jnp.asarray(x, dtype=dtype)" if plain(args.x) else "x.astype(dtype)"


def _clip_spelling(args: SimpleNamespace) -> str:
    if args.min is None:
        return "x" if args.max is None else "jnp.minimum(x, max)"
    return "jnp.maximum(x, min)" if args.max is None else "jnp.clip(x, min, max)"


ROWS = (
    *map(
        _row,
        dict.fromkeys(
            (*UNARY, *OPERATORS, *BINARY, *NAMES, "angle", "angle_or_zero", "sgn", "sign_or_zero", "trunc_divide")
        ),
    ),
    Row(
        "round",
        "jnp.round(x)",
        _SAME["round"] | {"Array.__round__": Elements(JNP).round},
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
            **_SAME["where"],
            "lax.select": _select,
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
        {"lax.stop_gradient": ops.stop_gradient},
    ),
    Row("promote_with", _promoted),
    Row("as_number_beside", "as_number_beside(x, like)"),
    Row("as_floats", "as_floats(x, dtype)"),
    Row("straight_through", "straight_through(x, value)"),
    Row("copy", "x", {"jnp.copy Array.copy": lambda a, order=None: ops.copy(a)}),
)
