"""torch.masked: reductions and normalisations that leave out what a mask does not select."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.op import lookup

from ..lifting import BOOL, INT64, axes, default_dtype, dtype_like, dtype_of, floating, refuse, shape_of
from . import finding

_INTEGER = {"amax": "min", "amin": "max", "argmax": "min", "argmin": "max"}


def _filled(input: Any, mask: Any, value: Any) -> Any:
    """The input with `value` where the mask is false."""
    if mask is None:
        return input
    return ops.where(ops.astype(mask, BOOL), input, value)


def _typed(input: Any, dtype: Any) -> Any:
    return input if dtype is None else ops.astype(input, dtype)


def _limit(name: str, input: Any) -> Any:
    """What an extremum of no elements is: an infinity, the limit of an integer type."""
    found = dtype_of(input)
    if found is not None and found.kind in "iu":
        return ops.iinfo(found, _INTEGER[name])
    return -math.inf if name.endswith("max") else math.inf


def _axes(dim: Any) -> Any:
    return tuple(dim) or None if isinstance(dim, (tuple, list)) else dim


def _total(name: str, neutral: int) -> Callable[..., Any]:
    """masked.sum, prod."""
    op = lookup(name)

    def fn(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
        return op(_filled(input, mask, neutral), axis=_axes(dim), dtype=dtype, keepdims=bool(keepdim))

    return fn


def _running(name: str, neutral: int) -> Callable[..., Any]:
    """masked.cumsum, cumprod."""
    op = lookup(name)

    def fn(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
        return op(_filled(input, mask, neutral), axis=dim, dtype=dtype)

    return fn


def _extremum(name: str) -> Callable[..., Any]:
    """masked.amax, amin."""
    op = lookup(name[1:])

    def fn(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
        x = _typed(input, dtype)
        return op(_filled(x, mask, _limit(name, x)), axis=_axes(dim), keepdims=bool(keepdim))

    return fn


def _position(name: str) -> Callable[..., Any]:
    """masked.argmax, argmin: positions in the dtype of the input."""
    op = lookup(name)

    def fn(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
        x = _typed(input, dtype)
        found = op(_filled(x, mask, _limit(name, x)), axis=dim, keepdims=bool(keepdim))
        return ops.astype(found, dtype_like(x))

    return fn


def _count(input: Any, mask: Any, dim: Any, keepdim: Any) -> Any:
    chosen = ops.ones_like(input, dtype=BOOL) if mask is None else ops.astype(mask, BOOL)
    chosen = chosen if mask is None else ops.broadcast_to(chosen, shape_of(input))
    return ops.sum(chosen, axis=_axes(dim), dtype=INT64, keepdims=bool(keepdim))


def mean(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """masked.mean: NaN of no elements."""
    total = ops.sum(_filled(input, mask, 0), axis=_axes(dim), dtype=dtype, keepdims=bool(keepdim))
    return ops.divide(total, ops.astype(_count(input, mask, dim, keepdim), dtype_like(total)))


def median(input: Any, dim: Any = -1, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """masked.median: NaN of no elements, which is why integers are refused."""
    found = dtype_of(input)
    if found is None or found.kind != "f":
        refuse("torch.masked.median of tensors that are not known to be floats has no counterpart", "make them floats")
    return finding.medians(True)(_filled(input, mask, math.nan), dim, keepdim).values


def _real(x: Any) -> Any:
    return dtype_like(ops.real(x))


def _variance(input: Any, dim: Any, unbiased: Any, correction: Any, keepdim: Any, dtype: Any, mask: Any) -> Any:
    amount = correction if correction is not None else 0 if unbiased is False else 1
    found = dtype_of(input)
    x = _typed(input, dtype)
    if dtype is None and found is not None and found.kind in "biu":
        x = ops.astype(input, default_dtype())
    average = mean(x, dim, keepdim=True, mask=mask)
    off = ops.subtract(x, average)
    total = ops.sum(_filled(ops.square(ops.abs(off)), mask, 0), axis=_axes(dim), keepdims=bool(keepdim))
    count = ops.astype(_count(x, mask, dim, keepdim), _real(total))
    count = ops.maximum(ops.subtract(count, amount), 0.0) if amount else count
    return ops.astype(ops.divide(total, count), dtype_like(x))


def var(
    input: Any, dim: Any = None, unbiased: Any = None, *, correction: Any = None, keepdim: Any = False,
    dtype: Any = None, mask: Any = None,
) -> Any:  # fmt: skip
    """masked.var."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    input: Any, dim: Any = None, unbiased: Any = None, *, correction: Any = None, keepdim: Any = False,
    dtype: Any = None, mask: Any = None,
) -> Any:  # fmt: skip
    """masked.std."""
    return ops.sqrt(_variance(input, dim, unbiased, correction, keepdim, dtype, mask))


def norm(
    input: Any, ord: Any = 2.0, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None
) -> Any:
    """masked.norm."""
    if not isinstance(ord, (int, float)):
        refuse(f"torch.masked.norm of order {ord!r} has no counterpart", "give a number")
    order = int(ord) if isinstance(ord, float) and ord.is_integer() else ord
    x = _filled(_typed(input, dtype), mask, math.inf if ord < 0 else 0)
    return ops.vector_norm(x, axis=_axes(dim), keepdims=bool(keepdim), ord=order)


def logsumexp(input: Any, dim: Any = None, *, keepdim: Any = False, dtype: Any = None, mask: Any = None) -> Any:
    """masked.logsumexp: in the dtype of the input, of whole numbers too."""
    found = ops.logsumexp(floating(_filled(input, mask, _limit("amax", input))), axis=axes(dim), keepdims=bool(keepdim))
    return ops.astype(found, dtype_like(input) if dtype is None else dtype)


def logaddexp(input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None) -> Any:
    """masked.logaddexp."""
    parts = [_filled(_typed(x, dtype), m, -math.inf) for x, m in ((input, input_mask), (other, other_mask))]
    return ops.logaddexp(*parts)


def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """masked.softmax."""
    return ops.softmax(_filled(_typed(input, dtype), mask, -math.inf), axis=dim)


def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """masked.log_softmax."""
    return ops.log_softmax(_filled(_typed(input, dtype), mask, -math.inf), axis=dim)


def softmin(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """masked.softmin."""
    return ops.softmax(ops.negative(_filled(_typed(input, dtype), mask, math.inf)), axis=dim)


def normalize(input: Any, ord: Any, dim: int, *, eps: Any = 1e-12, dtype: Any = None, mask: Any = None) -> Any:
    """masked.normalize: divided by the norm along an axis."""
    size = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return ops.divide(_filled(_typed(input, dtype), mask, 0), ops.maximum(size, eps))


LIFTS = {
    "torch.masked.sum": _total("sum", 0),
    "torch.masked.prod": _total("prod", 1),
    "torch.masked.cumsum": _running("cumulative_sum", 0),
    "torch.masked.cumprod": _running("cumulative_prod", 1),
    "torch.masked.amax": _extremum("amax"),
    "torch.masked.amin": _extremum("amin"),
    "torch.masked.argmax": _position("argmax"),
    "torch.masked.argmin": _position("argmin"),
    "torch.masked.mean": mean,
    "torch.masked.median": median,
    "torch.masked.var": var,
    "torch.masked.std": std,
    "torch.masked.norm": norm,
    "torch.masked.logsumexp": logsumexp,
    "torch.masked.logaddexp": logaddexp,
    "torch.masked.softmax": softmax,
    "torch.masked.log_softmax": log_softmax,
    "torch.masked.softmin": softmin,
    "torch.masked.normalize": normalize,
}
