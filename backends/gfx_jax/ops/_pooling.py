"""Pooling: spellings of the rows in `nn`, and what lax.reduce_window means."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp

from gfx_ir import ops
from gfx_ir.graph import Value

from ._lift import each, expect, halves, literal, rank, refuse, whole
from ._padding import window_edges


# ---------------------------------------------------------------- spelling
def _windows(args: SimpleNamespace, last: int = 0) -> str:
    """Windows, steps and edges as lax.reduce_window takes them: along all axes (N, C, ...), or (C, ...) where told, of which
    `last` are behind those that are pooled."""
    count = len(args.kernel)
    before, behind = (rank(args.x) or count + 2) - count - last, (1,) * last
    lead = (1,) * before
    padding = each(args.padding, count)
    pairs = [(0, 0)] * before + [(p, p) for p in padding] + [(0, 0)] * last
    edges = str(pairs) if any(padding) else '"VALID"'
    return f"{lead + tuple(args.kernel) + behind}, {lead + each(args.stride or args.kernel, count) + behind}, {edges}"


def _numbers(args: SimpleNamespace) -> str:
    """kernel, stride and padding as the helpers take them: one number for each axis that is pooled, by name where they are open."""
    count = len(args.kernel)
    if _open(args):
        return f"kernel, {'stride' if args.stride else 'kernel'}, {each(args.padding, count)}"
    return f"{tuple(args.kernel)}, {each(args.stride or args.kernel, count)}, {each(args.padding, count)}"


def _open(args: SimpleNamespace) -> bool:
    """Whether the windows or their steps are numbers that are known when the code runs, as sizes are."""
    return not literal(args.kernel, args.stride or ())


def max_pool(args: SimpleNamespace) -> str:
    """reduce_window; a helper where its gradient is lacking (dilation), the edges hang on sizes (ceil_mode), or the windows do."""
    dilation = each(args.dilation, len(args.kernel))
    if any(d != 1 for d in dilation) or args.ceil_mode or _open(args):
        return f"max_pool(x, {_numbers(args)}, {dilation}, ceil_mode)"
    low = "jnp.iinfo(x.dtype).min" if whole(args.x) else "-jnp.inf"
    return f"jax.lax.reduce_window(x, {low}, jax.lax.max, {_windows(args)})"


def max_pool_channels_last(args: SimpleNamespace) -> str:
    """The same with channels last; what takes a helper, by the body."""
    if args.ceil_mode or any(d != 1 for d in args.dilation) or _open(args):
        return ""
    low = "jnp.iinfo(x.dtype).min" if whole(args.x) else "-jnp.inf"
    return f"jax.lax.reduce_window(x, {low}, jax.lax.max, {_windows(args, 1)})"


def avg_pool_channels_last(args: SimpleNamespace) -> str:
    """The same with channels last; what takes a helper, by the body."""
    if args.ceil_mode or (any(args.padding) and not args.count_include_pad) or whole(args.x) or _open(args):
        return ""
    divisor = "divisor" if args.divisor is not None else math.prod(args.kernel)
    return f"jax.lax.reduce_window(x, 0.0, jax.lax.add, {_windows(args, 1)}) / {divisor}"


def in_float32(spelling: Callable[[SimpleNamespace], str]) -> Callable[[SimpleNamespace], str]:
    """The same, with sums of narrow floats in float32: lax.reduce_window rounds each on the way."""

    def spelled(args: SimpleNamespace) -> str:
        text = spelling(args)
        return halves(args.x, f"({text})") if text else text

    return spelled


def adaptive_avg_pool_channels_last(args: SimpleNamespace) -> str:
    """The mean of whole axes, else the body."""
    size = tuple(args.output_size)
    if not literal(size) or any(n != 1 for n in size):
        return ""
    axes = tuple(range(-len(size) - 1, -1))
    return f"x.mean(axis={axes[0] if len(axes) == 1 else axes}, keepdims=True)"


def max_pool_with_indices(args: SimpleNamespace) -> str:
    """A helper: lax.reduce_window has no gradient for pairs."""
    return f"max_pool_with_indices(x, {_numbers(args)}, {each(args.dilation, len(args.kernel))}, ceil_mode)"


def avg_pool(args: SimpleNamespace) -> str:
    """Sums divided by the window's size, or by the divisor; a helper where windows differ in how much they count, or are open."""
    plain = not (args.ceil_mode or whole(args.x) or _open(args))
    if args.divisor is not None and plain:
        return f"jax.lax.reduce_window(x, 0.0, jax.lax.add, {_windows(args)}) / divisor"
    if not plain or (any(args.padding) and not args.count_include_pad):
        options = "ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor=divisor"
        return f"avg_pool(x, {_numbers(args)}, {options})"
    return f"jax.lax.reduce_window(x, 0.0, jax.lax.add, {_windows(args)}) / {math.prod(args.kernel)}"


def adaptive_avg_pool(args: SimpleNamespace) -> str:
    """The mean of whole axes, else a helper."""
    size = tuple(args.output_size)
    if literal(size) and all(n == 1 for n in size):
        axes = tuple(range(-len(size), 0))
        return f"x.mean(axis={axes[0] if len(axes) == 1 else axes}, keepdims=True)"
    return "adaptive_avg_pool(x, output_size)"


# ---------------------------------------------------------------- lift
def number(x: Any) -> Any:
    """The number that an argument holds, also where it was made an array."""
    if isinstance(x, Value) and x.node.op.name in ("constant", "as_tensor"):
        return x.node.args[0]
    return x


def reduce_window(
    operand: Any, init_value: Any, computation: Any, window_dimensions: Any, window_strides: Any = None,
    padding: Any = "VALID", base_dilation: Any = None, window_dilation: Any = None,
) -> Any:  # fmt: skip
    """lax.reduce_window of lax.max from -inf or of lax.add from 0: pooling over the axes whose windows are not 1."""
    name, window = "lax.reduce_window", tuple(window_dimensions)
    if base_dilation is not None and any(d != 1 for d in base_dilation):
        refuse(name, base_dilation=base_dilation)
    strides = tuple(window_strides or (1,) * len(window))
    dilation = tuple(window_dilation or (1,) * len(window))
    largest = computation is jax.lax.max or computation is jnp.maximum
    if not largest and computation is not jax.lax.add and computation is not jnp.add:
        refuse(f"{name} of this function", computation=computation)
    start = number(init_value)
    expect(name, "init_value", start, *((-math.inf,) if largest else (0.0, 0)))
    wide = [(k - 1) * d + 1 for k, d in zip(window, dilation)]
    edges = window_edges(operand, range(len(window)), wide, strides, padding, name)
    still = [a for a in range(len(window)) if (window[a], strides[a], edges[a]) == (1, 1, (0, 0))][:2]
    if not still:
        refuse(f"{name} over every axis", window_dimensions=window)
    pooled = [a for a in range(len(window)) if a not in still]
    if any(not isinstance(low, int) or low != high or 2 * low > window[a] for a, (low, high) in enumerate(edges)):
        operand = ops.pad(operand, edges, value=-math.inf if largest else 0)
        edges = ((0, 0),) * len(window)
    order = (*still, *pooled)
    x = operand if order == tuple(range(len(order))) else ops.permute_dims(operand, order)
    kernel, steps, apart = (tuple(values[a] for a in pooled) for values in (window, strides, dilation))
    sides = tuple(edges[a][0] for a in pooled)
    if largest:
        found = ops.max_pool(x, kernel, steps, sides, apart)
    else:
        if any(d != 1 for d in apart):
            refuse(f"{name} of sums", window_dilation=window_dilation)
        found = ops.multiply(ops.avg_pool(x, kernel, steps, sides), math.prod(kernel))
    if x is operand:
        return found
    return ops.permute_dims(found, tuple(order.index(a) for a in range(len(order))))
