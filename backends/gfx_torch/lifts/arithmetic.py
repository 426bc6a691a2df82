"""Elementwise calls and reductions that are several ops."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from gfx_ir import ops
from gfx_ir.build import dtype_of
from gfx_ir.dtypes import dtype
from gfx_ir.lifting.numbers import logaddexp2, passing
from gfx_ir.lifting.words import kind_of

from ..lifting import INT64, axes, floating, is_number, kind, names

Frexp = namedtuple("Frexp", ("mantissa", "exponent"))


def isclose(input: Any, other: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """|input - other| <= atol + rtol * |other|, or equal (infinities)."""
    input = floating(input) if kind(input) == "b" else input
    other = floating(other)  # differences of whole numbers wrap
    bound = ops.add(atol, ops.multiply(rtol, ops.abs(other)))
    near = ops.logical_and(ops.isfinite(other), ops.less_equal(ops.abs(ops.subtract(input, other)), bound))
    near = ops.logical_or(ops.equal(input, other), near)
    if equal_nan:
        near = ops.logical_or(near, ops.logical_and(ops.isnan(input), ops.isnan(other)))
    return near


def allclose(input: Any, other: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
    """Whether all elements are close."""
    return ops.to_bool(ops.all(isclose(input, other, rtol, atol, equal_nan)))


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight * (end - input), from the end that is nearer: at a weight of one it is `end`, also where `input` is infinite."""
    way = ops.subtract(end, input)
    near = lambda: ops.add(input, ops.multiply(weight, way))
    far = lambda: ops.subtract(end, ops.multiply(way, ops.subtract(1, weight)))
    if isinstance(weight, (int, float)):
        return near() if abs(weight) < 0.5 else far()
    return ops.where(ops.less(ops.abs(weight), 0.5), near(), far())


def _scaled(value: Any, x: Any) -> Any:
    return x if type(value) in (int, float) and value == 1 else ops.multiply(value, x)


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 * tensor2. Among whole numbers the value is one."""
    if all(kind_of(x) in ("b", "i", "u") for x in (input, tensor1, tensor2)) and kind_of(value) not in ("b", "i"):
        value = int(value) if isinstance(value, float) else ops.astype(value, INT64)
    return ops.add(input, _scaled(value, ops.multiply(tensor1, tensor2)))


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    """input + value * tensor1 / tensor2."""
    return ops.add(input, _scaled(value, ops.divide(tensor1, tensor2)))


def nan_to_num(input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """NaN becomes 0, infinities the largest numbers, unless told; whole numbers are none of these."""
    known = dtype_of(input)
    if kind(input) in ("b", "i", "u"):
        return ops.copy(input)
    if posinf is None or neginf is None:
        element = dtype_of(input) or ops.dtype_of(input)
        posinf = ops.finfo(element, "max") if posinf is None else posinf
        neginf = ops.finfo(element, "min") if neginf is None else neginf
    nan, posinf, neginf = (_whole(0.0 if x is None else x, known is None) for x in (nan, posinf, neginf))
    out = ops.where(ops.isnan(input), nan, input)
    out = ops.where(ops.equal(out, float("inf")), posinf, out)
    return ops.where(ops.equal(out, float("-inf")), neginf, out)


def _whole(number: Any, opened: bool) -> Any:
    """A number that leaves whole numbers such, where it is one and the dtype of what it is put into is open."""
    return int(number) if opened and isinstance(number, float) and number.is_integer() else number


def nansum(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """The sum of the numbers."""
    return ops.sum(ops.where(ops.isnan(input), 0, input), axis=axes(dim), dtype=dtype, keepdims=keepdim)


def nanmean(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """The mean of the numbers."""
    total = nansum(input, dim, keepdim, dtype=dtype)
    count = ops.count_nonzero(ops.logical_not(ops.isnan(input)), axis=axes(dim), keepdims=keepdim)
    return ops.divide(total, ops.astype(count, dtype_of(total) or ops.dtype_of(total)))


def diff(input: Any, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along an axis."""
    joined = [x for x in (prepend, input, append) if x is not None]
    x = input if len(joined) == 1 else ops.concat(tuple(joined), axis=dim)
    differ = ops.not_equal if kind(x) == "b" else ops.subtract
    for _ in range(n):
        x = differ(ops.getitem(x, _along(dim, slice(1, None))), ops.getitem(x, _along(dim, slice(None, -1))))
    return x


def _along(dim: int, item: Any) -> tuple:
    return (*[slice(None)] * dim, item) if dim >= 0 else (Ellipsis, item, *[slice(None)] * (-dim - 1))


def power(input: Any, exponent: Any) -> Any:
    """torch.pow: of whole numbers a whole number, for a negative exponent too."""
    whole = all(kind_of(x) in ("i", "u") for x in (input, exponent))
    return ops.integer_pow(input, exponent) if whole and not is_number(exponent) else ops.pow(input, exponent)


def square(input: Any) -> Any:
    """torch.square: of truth values a whole number."""
    return ops.square(ops.astype(input, INT64) if kind(input) == "b" else input)


def float_power(input: Any, exponent: Any) -> Any:
    """pow in double precision."""
    parts = (input, exponent)
    known = [dtype_of(v) for v in parts if not is_number(v)]
    complex_ = any(isinstance(v, complex) for v in parts) or any(k is not None and k.kind == "c" for k in known)
    wide = dtype("complex128" if complex_ else "float64")
    return ops.pow(*(v if is_number(v) else ops.astype(v, wide) for v in parts))


def heaviside(input: Any, values: Any) -> Any:
    """0 below 0, 1 above, `values` at 0."""
    step = ops.where(ops.greater(input, 0), 1.0, 0.0)
    step = ops.astype(step, dtype_of(input) or ops.dtype_of(input))
    return ops.where(ops.equal(input, 0), values, step)


def frexp(input: Any) -> Any:
    """A fraction of at least a half and below 1, and the power of 2 that it is multiplied by."""
    return Frexp(*ops.frexp(input))


def isreal(input: Any) -> Any:
    """Whether the imaginary part is 0."""
    return ops.equal(ops.imag(input), 0)


LIFTS = {
    names("frexp"): frexp,
    names("isreal"): isreal,
    names("isclose"): isclose,
    names("allclose"): allclose,
    names("lerp"): lerp,
    names("addcmul"): addcmul,
    names("addcdiv"): addcdiv,
    names("fmax"): passing("greater_equal"),
    names("fmin"): passing("less_equal"),
    names("nan_to_num"): nan_to_num,
    names("nansum"): nansum,
    names("nanmean"): nanmean,
    names("diff"): diff,
    names("float_power"): float_power,
    names("heaviside"): heaviside,
    names("frac"): lambda input: ops.subtract(input, ops.trunc(input)),
    names("isneginf"): lambda input: ops.equal(input, float("-inf")),
    names("isposinf"): lambda input: ops.equal(input, float("inf")),
    names("logaddexp2"): logaddexp2,
    names("ldexp"): lambda input, other: ops.multiply(input, ops.pow(2.0, other)),
}
