"""Primitives that arrange, reduce and read arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from gfx_ir.errors import MissingOp

from ..lax import selected
from .folds import bits

Call = Callable[..., Any]


def _along(fn: Call) -> Call:
    """A reduction, of all axes where the jaxpr names them all."""

    def made(call: Call, params: dict, x: Any) -> Any:
        axes, rank = tuple(params["axes"]), len(params["operand"].shape)
        return call(fn, x) if len(axes) == rank else call(fn, x, axis=axes[0] if len(axes) == 1 else axes)

    return made


def _sum(fn: Call) -> Call:
    """A sum or product, which lax keeps in the dtype of its elements."""

    def made(call: Call, params: dict, x: Any) -> Any:
        dtype = params["operand"].dtype
        found = _along(fn)(call, params, x)
        return found if jnp.issubdtype(dtype, jnp.inexact) else call(lax.convert_element_type, found, dtype)

    return made


def _of_batch(fn: Call, name: str) -> Call:
    """A reduction over a named axis, which jax.vmap has made one of the array."""

    def made(call: Call, params: dict, x: Any) -> Any:
        if params["axis_index_groups"] is not None or any(not isinstance(axis, int) for axis in params["axes"]):
            raise MissingOp(
                f"GFX cannot capture lax.{name} over an axis of devices or over groups of a batch",
                hint="write it for one device, with jax.vmap for the batch",
            )
        return call(fn, x, axis=tuple(params["axes"]))

    return made


def _position(fn: Call) -> Call:
    return lambda call, params, x: call(fn, x, params["axes"][0], params["index_dtype"])


def _running(fn: Call) -> Call:
    return lambda call, params, x: call(fn, x, axis=params["axis"], reverse=params["reverse"])


def _convert(call: Call, params: dict, x: Any) -> Any:
    """A new dtype; where it is the one that the array has, only JAX's note of a Python number changes."""
    return call(lax.convert_element_type, x, params["new_dtype"])


def _iota(call: Call, params: dict) -> Any:
    return call(lax.broadcasted_iota, params["dtype"], tuple(params["shape"]), params["dimension"])


def _reshape(call: Call, params: dict, x: Any) -> Any:
    order = params["dimensions"]  # of the axes, before their sizes change
    return call(jnp.reshape, x if order is None else call(jnp.transpose, x, tuple(order)), tuple(params["new_sizes"]))


def _sort(call: Call, params: dict, *operands: Any) -> Any:
    found = call(
        lax.sort, operands[0] if len(operands) == 1 else operands, dimension=params["dimension"],
        is_stable=params["is_stable"], num_keys=params["num_keys"],
    )  # fmt: skip
    return found if isinstance(found, (tuple, list)) else (found,)


def _top_k(call: Call, params: dict, x: Any) -> Any:
    return call(lax.top_k, x, params["k"], axis=params.get("axis", -1))


def _dot(call: Call, params: dict, lhs: Any, rhs: Any) -> Any:
    return call(
        lax.dot_general, lhs, rhs, params["dimension_numbers"], params["precision"],
        preferred_element_type=params["preferred_element_type"],
    )  # fmt: skip


def _conv(call: Call, params: dict, lhs: Any, rhs: Any) -> Any:
    names = ("window_strides", "padding", "lhs_dilation", "rhs_dilation", "dimension_numbers", "feature_group_count",
             "batch_group_count", "precision", "preferred_element_type")  # fmt: skip
    return call(lax.conv_general_dilated, lhs, rhs, **{name: params[name] for name in names})


def _window(fn: Call) -> Call:
    """A window of extrema or sums, from the number that changes nothing."""

    def made(call: Call, params: dict, x: Any) -> Any:
        given = {name: params[name] for name in ("window_dimensions", "window_strides", "padding")}
        dilations = {name: params[name] for name in ("base_dilation", "window_dilation")}
        return call(lax.reduce_window, x, _start(fn, params["operand"].dtype), fn, **given, **dilations)

    return made


def _start(fn: Call, dtype: Any) -> Any:
    if fn is lax.add:
        return 0
    if jnp.issubdtype(dtype, jnp.floating):
        return -jnp.inf if fn is lax.max else jnp.inf
    return jnp.iinfo(dtype).min if fn is lax.max else jnp.iinfo(dtype).max


def _gather(call: Call, params: dict, operand: Any, indices: Any) -> Any:
    names = "dimension_numbers", "slice_sizes", "mode", "fill_value"
    return call(lax.gather, operand, indices, **{name: params[name] for name in names})


def _scatter(fn: Call) -> Call:
    """A scatter: what combines elements (`update_jaxpr`) is what the function's name says."""
    names = "dimension_numbers", "mode"
    return lambda call, params, *args: call(fn, *args, **{name: params[name] for name in names})


def _selected(call: Call, params: dict, source: Any, operand: Any) -> Any:
    largest = getattr(params["select_prim"], "name", "") == "ge"
    return call(selected, source, operand, largest, *(params[name] for name in _WINDOW))


_WINDOW = "window_dimensions", "window_strides", "padding"
ARRAYS: dict[str, Call] = {
    "argmax": _position(lax.argmax),
    "argmin": _position(lax.argmin),
    "bitcast_convert_type": lambda call, params, x: call(lax.bitcast_convert_type, x, params["new_dtype"]),
    "concatenate": lambda call, params, *xs: call(jnp.concatenate, xs, axis=params["dimension"]),
    "conv_general_dilated": _conv,
    "convert_element_type": _convert,
    "cumlogsumexp": _running(lax.cumlogsumexp),
    "cummax": _running(lax.cummax),
    "cummin": _running(lax.cummin),
    "cumprod": _running(lax.cumprod),
    "cumsum": _running(lax.cumsum),
    "dim_as_value": lambda call, params: call(jnp.asarray, params["dim"]),
    "device_put": lambda call, params, *xs: xs,
    "dot_general": _dot,
    "gather": _gather,
    "iota": _iota,
    "optimization_barrier": lambda call, params, *xs: xs,
    "pad": lambda call, params, x, value: call(lax.pad, x, value, params["padding_config"]),
    "reduce_and": bits(lax.bitwise_and, -1, _along(jnp.all)),
    "reduce_max": _along(jnp.max),
    "reduce_min": _along(jnp.min),
    "reduce_or": bits(lax.bitwise_or, 0, _along(jnp.any)),
    "reduce_prod": _sum(jnp.prod),
    "reduce_sum": _sum(jnp.sum),
    "reduce_xor": bits(lax.bitwise_xor, 0),
    "reduce_window_max": _window(lax.max),
    "reduce_window_min": _window(lax.min),
    "reduce_window_sum": _window(lax.add),
    "reshape": _reshape,
    "pmax": _of_batch(jnp.max, "pmax"),
    "pmin": _of_batch(jnp.min, "pmin"),
    "psum": _of_batch(jnp.sum, "psum"),
    "rev": lambda call, params, x: call(lax.rev, x, params["dimensions"]),
    "scatter": _scatter(lax.scatter),
    **{
        f"scatter{mark}{name}": _scatter(getattr(lax, f"scatter_{name}"))
        for name in ("add", "max", "min", "mul", "sub")
        for mark in "-_"  # versions of JAX differ
    },
    "select_and_scatter_add": _selected,
    "slice": lambda call, params, x: call(
        lax.slice, x, params["start_indices"], params["limit_indices"], params["strides"]
    ),
    "sort": _sort,
    "split": lambda call, params, x: call(lax.split, x, params["sizes"], params["axis"]),
    "stack": lambda call, params, *xs: call(jnp.stack, xs, axis=params["axis"]),
    "squeeze": lambda call, params, x: call(jnp.squeeze, x, axis=tuple(params["dimensions"])),
    "tile": lambda call, params, x: call(jnp.tile, x, params["reps"]),
    "top_k": _top_k,
    "unstack": lambda call, params, x: call(jnp.unstack, x, axis=params["axis"]),
    "transpose": lambda call, params, x: call(jnp.transpose, x, tuple(params["permutation"])),
}
