"""Functions of jax.lax that compute element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import DTYPES, complex64
from gfx_ir.ops import _seen

from ..ops._lift import element, expect, kind_of, refuse, unknown_dtype


def _conj(x: Any, input_dtype: Any = None) -> Any:
    """lax.conj: complex also of real numbers."""
    if kind_of(x) == "c":
        return ops.conj(x)
    if _seen.dtype(x) is None:
        raise unknown_dtype("lax.conj", "or write jnp.conj(x)")
    return ops.astype(x, complex64)


def _round(x: Any, rounding_method: Any = 0) -> Any:
    """lax.round: halves away from zero, or to the even number."""
    if int(rounding_method) == 1:
        return ops.round(x)
    whole = ops.trunc(x)
    away = ops.greater_equal(ops.abs(ops.subtract(x, whole)), 0.5)
    return ops.where(away, ops.add(whole, ops.sign(x)), whole)


def _select_n(which: Any, *cases: Any) -> Any:
    """lax.select_n: by truth values the second of two cases, by numbers the case of that number."""
    if len(cases) == 1:
        return cases[0]
    if len(cases) == 2:
        test = which if kind_of(which) == "b" else ops.not_equal(which, 0)
        return ops.where(test, cases[1], cases[0])
    found = cases[-1]
    for at in reversed(range(len(cases) - 1)):
        found = ops.where(ops.equal(which, at), cases[at], found)
    return found


def _shift_right_logical(x: Any, y: Any) -> Any:
    """Zeros come in from the left: what an arithmetic shift leaves of the sign is cut off."""
    dtype = _seen.dtype(x)
    if dtype is None:
        raise unknown_dtype("lax.shift_right_logical", "or use an unsigned dtype and >>")
    shifted = ops.bitwise_right_shift(x, y)
    if dtype.kind == "u":
        return shifted
    kept = ops.subtract(ops.bitwise_left_shift(ops.ones_like(x), ops.subtract(dtype.bits, ops.maximum(y, 1))), 1)
    found = ops.where(ops.equal(y, 0), x, ops.bitwise_and(shifted, kept))
    return ops.where(ops.logical_or(ops.less(y, 0), ops.greater_equal(y, dtype.bits)), 0, found)


def _shift_right_arithmetic(x: Any, y: Any) -> Any:
    """What comes in from the left is the first bit, also where that is no sign."""
    dtype = _seen.dtype(x)
    if dtype is None:
        raise unknown_dtype("lax.shift_right_arithmetic", "or write x >> y")
    if dtype.kind != "u":
        return ops.bitwise_right_shift(x, y)
    signed = DTYPES[f"int{dtype.bits}"]
    return ops.bitcast(ops.bitwise_right_shift(ops.bitcast(x, signed), ops.astype(y, signed)), dtype)


_BITS = {(5, 10): "float16", (8, 7): "bfloat16", (8, 23): "float32", (11, 52): "float64"}


def _reduce_precision(operand: Any, exponent_bits: int, mantissa_bits: int) -> Any:
    """lax.reduce_precision to the bits of a dtype: to that dtype and back."""
    dtype, name = _seen.dtype(operand), _BITS.get((exponent_bits, mantissa_bits))
    if name is None or dtype is None:
        refuse("lax.reduce_precision to the bits of no dtype", exponent_bits=exponent_bits, mantissa_bits=mantissa_bits)
    assert name is not None
    narrow = DTYPES[name]
    return operand if narrow == dtype else ops.astype(ops.astype(operand, narrow), dtype)


def _device_put(x: Any, device: Any = None, *, src: Any = None, donate: bool = False, may_alias: Any = None) -> Any:
    expect("jax.device_put", "donate", donate, False)
    return ops.copy(x)


ELEMENTS: dict[str, Callable[..., Any]] = {
    "lax.conj": _conj,
    "lax.round": _round,
    "lax.select_n": _select_n,
    "lax.shift_right_arithmetic": _shift_right_arithmetic,
    "lax.shift_right_logical": _shift_right_logical,
    "lax.reduce_precision": _reduce_precision,
    "lax.bessel_i0e": lambda x: ops.i0e(x),
    "lax.bessel_i1e": lambda x: ops.i1e(x),
    "lax.igamma": lambda a, x: ops.gammainc(a, x),
    "lax.igammac": lambda a, x: ops.gammaincc(a, x),
    "lax.zeta": lambda x, q: ops.zeta(x, q),
    "lax.polygamma": lambda m, x: ops.polygamma(int(m), x),
    "lax.optimization_barrier": lambda operand: operand,
    "lax.empty": lambda shape, dtype: ops.empty(shape, dtype=element(dtype)),
    "jax.device_put": _device_put,
}
