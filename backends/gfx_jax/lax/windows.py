"""lax.reduce_window of any function and any windows: windows are laid out along axes of their own, and these are reduced."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from gfx_ir import ops
from gfx_ir.dtypes import DType
from gfx_ir.op import OpDef
from gfx_ir.ops import _seen
from gfx_ir.ops.create import limit

from ..ops import _pooling as pooling
from ..ops._joins import lax_pad
from ..ops._lift import ask_rank, kind_of, refuse
from ..ops._padding import window_edges

# computation: (reduction of an axis, the same of two arrays)
_REDUCTIONS: dict[Any, tuple[OpDef, OpDef]] = {
    lax.add: (ops.sum, ops.add),
    lax.mul: (ops.prod, ops.multiply),
    lax.max: (ops.max, ops.maximum),
    lax.min: (ops.min, ops.minimum),
    lax.bitwise_and: (ops.all, ops.bitwise_and),
    lax.bitwise_or: (ops.any, ops.bitwise_or),
    jnp.add: (ops.sum, ops.add),
    jnp.multiply: (ops.prod, ops.multiply),
    jnp.maximum: (ops.max, ops.maximum),
    jnp.minimum: (ops.min, ops.minimum),
}


def laid_out(x: Any, window: Sequence[int], strides: Sequence[int], dilation: Sequence[int]) -> Any:
    """x with an axis behind its own for each along which windows have more than one element."""
    for axis, (width, stride, apart) in enumerate(zip(window, strides, dilation)):
        if width == 1:
            x = x if stride == 1 else ops.getitem(x, (*(slice(None),) * axis, slice(None, None, stride)))
            continue
        x = ops.unfold(x, axis, (width - 1) * apart + 1, stride)
        if apart != 1:
            x = ops.getitem(x, (..., slice(None, None, apart)))
    return x


def _pools(x: Any, init_value: Any, computation: Any, window: Sequence[int], base: Any, dilation: Any) -> bool:
    """Whether pooling of layers does it: extrema or sums of floats, over some axes of several."""
    low = {lax.max: -math.inf, jnp.maximum: -math.inf, lax.add: 0, jnp.add: 0}.get(computation)
    plain = base is None or all(n == 1 for n in base)
    dense = low != 0 or dilation is None or all(n == 1 for n in dilation)
    start = pooling.number(init_value)
    known = isinstance(start, (int, float)) and start == low
    return plain and dense and known and kind_of(x) in ("f", None) and 1 in window


def reduce_window(
    operand: Any, init_value: Any, computation: Any, window_dimensions: Any, window_strides: Any = None,
    padding: Any = "VALID", base_dilation: Any = None, window_dilation: Any = None,
) -> Any:  # fmt: skip
    """lax.reduce_window: each window, and the number that it starts from."""
    if _pools(operand, init_value, computation, window_dimensions, base_dilation, window_dilation):
        return pooling.reduce_window(
            operand, init_value, computation, window_dimensions, window_strides, padding, None, window_dilation
        )
    name, rank = "lax.reduce_window", ask_rank(operand, "lax.reduce_window")
    found = _REDUCTIONS.get(computation)
    if found is None:
        refuse(f"{name} of this function", computation=computation)
    assert found is not None
    along, two = found
    window, ones = tuple(window_dimensions), (1,) * rank
    strides, base, dilation = (tuple(n or ones) for n in (window_strides, base_dilation, window_dilation))
    wide = [(width - 1) * apart + 1 for width, apart in zip(window, dilation)]
    edges = window_edges(operand, range(rank), wide, strides, padding, name, base)
    config = tuple((low, high, apart - 1) for (low, high), apart in zip(edges, base))
    x = operand if all(item == (0, 0, 0) for item in config) else lax_pad(operand, neutral(two, operand), config)
    x = laid_out(x, window, strides, dilation)
    axes = tuple(range(rank, rank + sum(width != 1 for width in window)))
    return two(_reduced(along, x, axes) if axes else x, init_value)


def neutral(two: OpDef, x: Any) -> Any:
    """What changes nothing: the result of a window that lies outside of the array, or of a segment of no rows, of x."""
    if two in (ops.add, ops.multiply, ops.bitwise_and, ops.bitwise_or):
        return {ops.add: 0, ops.multiply: 1, ops.bitwise_and: True, ops.bitwise_or: False}[two]
    dtype = _seen.dtype(x)
    if dtype is not None and dtype.kind == "b":
        return two is ops.minimum
    if dtype is not None and dtype.kind in "iu":
        return limit(dtype, "min" if two is ops.maximum else "max")
    return -math.inf if two is ops.maximum else math.inf


def _reduced(along: OpDef, x: Any, axes: tuple) -> Any:
    dtype = _kept(x)
    if along is ops.prod:
        for axis in reversed(axes):
            x = along(x, axis=axis, dtype=dtype)
        return x
    return along(x, axis=axes, dtype=dtype) if along is ops.sum else along(x, axis=axes)


def _kept(x: Any) -> DType | None:
    """The dtype that a sum would widen."""
    return None if kind_of(x) in ("f", "c") else _seen.dtype(x)


def selected(
    source: Any, operand: Any, largest: bool, window: Sequence[int], strides: Sequence[int], padding: Sequence[tuple]
) -> Any:
    """Where each window has its first extremum, its number of the source is added: the derivative of pooling."""
    rank, low = len(window), neutral(ops.maximum if largest else ops.minimum, operand)
    x = lax_pad(operand, low, tuple((*pair, 0) for pair in padding))
    shape, kept = _sizes(x), (*_sizes(source), -1)
    count = math.prod(shape) if all(isinstance(size, int) for size in shape) else ops.numel(x)
    places = ops.reshape(ops.arange(count), shape)
    parts, at = (ops.reshape(laid_out(each, window, strides, (1,) * rank), kept) for each in (x, places))
    first = (ops.argmax if largest else ops.argmin)(parts, axis=-1, keepdims=True)
    to = ops.flatten(ops.take_along_axis(at, first, axis=-1))
    found = ops.scatter(ops.zeros((count,), dtype=ops.dtype_of(operand)), to, ops.flatten(source), 0, reduce="add")
    return lax_pad(ops.reshape(found, shape), 0, tuple((-low, -high, 0) for low, high in padding))


def _sizes(x: Any) -> tuple:
    """The sizes of x, each a number or what gives it when the code runs."""
    known = [_seen.size_of(x, axis) for axis in range(ask_rank(x, "pooling"))]
    return tuple(size if isinstance(size, int) else ops.size(x, axis) for axis, size in enumerate(known))


WINDOWS: dict[str, Callable[..., Any]] = {"lax.reduce_window": reduce_window}
