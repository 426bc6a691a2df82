"""The bits of numbers: https://docs.jax.dev/en/latest/jax.lax.html."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.dtypes import DTYPES, DType
from gfx_ir.ops import _seen

from ._lift import element, refuse, unary, unknown_dtype


def _view(x: Any, dtype: Any = None, type: Any = None) -> Any:
    refuse("Array.view", type=type)
    return ops.bitcast(x, element(dtype))


def _bitcast_convert_type(operand: Any, new_dtype: Any) -> Any:
    """lax.bitcast_convert_type: the parts of wider elements lie along an axis of their own."""
    before, after = _seen.dtype(operand), element(new_dtype)
    if before is None:
        raise unknown_dtype("lax.bitcast_convert_type", "or write x.view(dtype)")
    if before.itemsize > after.itemsize:
        return ops.bitcast(ops.expand_dims(operand, -1), after)
    found = ops.bitcast(operand, after)
    return found if before.itemsize == after.itemsize else ops.squeeze(found, axis=-1)


def _bitwise_count(x: Any, /) -> Any:
    """jnp.bitwise_count: of the size of a number, whatever its sign."""
    return ops.astype(ops.population_count(ops.abs(x)), DTYPES["uint8"])


def _bitcast(args: SimpleNamespace) -> str:
    """Bytes of 64-bit numbers are there only where JAX is told to have such."""
    known = [found for found in (_seen.dtype(args.x), args.dtype) if isinstance(found, DType)]
    return (
        "wide_view(x, dtype)" if any(found.itemsize >= 8 and found.kind != "c" for found in known) else "x.view(dtype)"
    )


ROWS = (
    Row("bitcast", _bitcast, {"Array.view": _view, "lax.bitcast_convert_type": _bitcast_convert_type}),
    Row(
        "population_count",
        "jax.lax.population_count(x)",
        {"lax.population_count": unary(ops.population_count), "jnp.bitwise_count": _bitwise_count},
    ),
    Row("clz", "jax.lax.clz(x)", {"lax.clz": unary(ops.clz)}),
)
