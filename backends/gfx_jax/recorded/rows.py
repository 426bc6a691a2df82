"""Rows of modules of libraries on JAX: a layer that a catalogue's op is, in place of what its author computes it from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.op import lookup

from .calls import Entered

Row = Callable[..., Any]
"""row(call, module, arrays, *args): what a layer gives, by `call(function, ...)`. Raises NotImplementedError where it is set otherwise.
Axes count from the end: under jax.vmap the arguments are whole arrays, the axes of the batch in front."""


def _plainly(module: Any, **defaults: Any) -> None:
    """Raises NotImplementedError where a module is set otherwise than as these say."""
    for name, value in defaults.items():
        if getattr(module, name, value) != value:
            raise NotImplementedError(name)


def _flax_layer_norm(call: Callable[..., Any], module: Any, arrays: dict[str, Any], x: Any) -> Any:
    _plainly(module, reduction_axes=-1, feature_axes=-1, axis_name=None, dtype=None)
    return call(lookup("layer_norm"), x, (x.shape[-1],), arrays.get("scale"), arrays.get("bias"), module.epsilon)


def _flax_rms_norm(call: Callable[..., Any], module: Any, arrays: dict[str, Any], x: Any) -> Any:
    _plainly(module, reduction_axes=-1, feature_axes=-1, axis_name=None, dtype=None)
    return call(lookup("rms_norm"), x, (x.shape[-1],), arrays.get("scale"), module.epsilon)


def _haiku_layer_norm(call: Callable[..., Any], module: Any, arrays: dict[str, Any], x: Any) -> Any:
    _plainly(module, axis=(-1,), param_axis=(-1,))
    return call(lookup("layer_norm"), x, (x.shape[-1],), arrays.get("scale"), arrays.get("offset"), module.eps)


def _equinox_layer_norm(
    call: Callable[..., Any], module: Any, arrays: dict[str, Any], x: Any, _state: Any = None
) -> Any:
    return call(lookup("layer_norm"), x, module.shape, arrays.get("weight"), arrays.get("bias"), module.eps)


ROWS: dict[str, Row] = {
    **dict.fromkeys(("flax.linen.normalization.LayerNorm", "flax.nnx.nn.normalization.LayerNorm"), _flax_layer_norm),
    **dict.fromkeys(("flax.linen.normalization.RMSNorm", "flax.nnx.nn.normalization.RMSNorm"), _flax_rms_norm),
    "haiku._src.layer_norm.LayerNorm": _haiku_layer_norm,
    "equinox.nn._normalisation.LayerNorm": _equinox_layer_norm,
}


def row_of(item: Entered) -> Row | None:
    """The row of a layer that was called; None where it has none."""
    cls = type(item.owner)
    return ROWS.get(f"{cls.__module__}.{cls.__qualname__}") if item.kind == "layer" else None
