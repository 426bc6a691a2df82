"""Sets, counts, order statistics, running extrema."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.op import lookup

from ._lift import rank, refuse, whole


def _running(name: str) -> Any:
    def spelling(args: SimpleNamespace) -> str:
        """lax.cummax takes no axis counted from the end, and no booleans."""
        count, axis = rank(args.x), args.axis
        if not isinstance(axis, int) or (axis < 0 and count is None) or whole(args.x):
            return f"running_extremum(x, axis, largest={name == 'max'})"
        return f"jax.lax.cum{name}(x, axis={axis % count if count else axis})"

    return spelling


def _running_row(name: str) -> Row:
    op = lookup(f"cumulative_{name}")

    def lift(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
        if not reverse:
            return op(operand, axis=axis)
        return ops.flip(op(ops.flip(operand, axis=axis), axis=axis), axis=axis)

    return Row(op.name, _running(name), {f"lax.cum{name}": lift})


def _quantile(name: str) -> Any:
    def spelling(args: SimpleNamespace) -> str:
        """The nearest of two that are as near is the lower one in JAX, and the even one as the op has it."""
        share = "q"
        if args.method == "nearest":
            if name == "nanquantile" or isinstance(args.axis, (tuple, list)):
                refuse(f"jnp.{name} of the nearest element", method=args.method)
            steps = f"max({'x.size' if args.axis is None else 'x.shape[axis]'} - 1, 1)"
            share = f"jnp.round(q * {steps}) / {steps}"
        return f"jnp.{name}(x, {share}, axis=axis, keepdims=keepdims, method=method)"

    return spelling


ROWS = (
    Row(
        "unique",
        "jnp.unique(x, return_index=index, return_inverse=inverse, return_counts=counts, axis=axis,"
        " equal_nan=equal_nan, size=size, fill_value=fill_value)",
    ),
    Row("unique_consecutive", "unique_consecutive(x, axis=axis, inverse=inverse, counts=counts)"),
    Row("isin", "jnp.isin(x, test, invert=invert)"),
    Row("bincount", "jnp.bincount(x, weights=weights, minlength=minlength, length=length)"),
    Row("histogram", "jnp.histogram(x, edges, weights=weights, density=density)[0]"),
    Row("histogramdd", "jnp.histogramdd(x, edges, weights=weights, density=density)[0]"),
    *(Row(name, _quantile(name)) for name in ("quantile", "nanquantile")),
    *(Row(name, f"jnp.{name}(x, axis=axis, keepdims=keepdims)") for name in ("median", "nanmedian")),
    _running_row("max"),
    _running_row("min"),
)
