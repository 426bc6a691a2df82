"""Functions of jax.lax that sort, sum and run along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import int32
from gfx_ir.op import OpDef

from ..ops._lift import expect, kind_of, refuse


def _top_k(operand: Any, k: Any, *, axis: int = -1) -> Any:
    """lax.top_k: positions of 32 bits."""
    values, found = ops.topk_total(operand, k, axis=axis)
    return [values, ops.astype(found, int32)]


def _approximate(largest: bool) -> Callable[..., Any]:
    """lax.approx_max_k: the exact answer is one that it may give."""

    def lift(
        operand: Any, k: Any, reduction_dimension: int = -1, recall_target: float = 0.95,
        reduction_input_size_override: int = -1, aggregate_to_topk: bool = True,
    ) -> Any:  # fmt: skip
        expect("lax.approx_max_k", "aggregate_to_topk", aggregate_to_topk, True)
        values, found = ops.topk(operand, k, axis=reduction_dimension, largest=largest)
        return [values, ops.astype(found, int32)]

    return lift


def _sort(operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1) -> Any:
    """lax.sort: of several arrays by the first, and where those are equal by the next of the keys."""
    if not isinstance(operand, (tuple, list)):
        return ops.sort(operand, axis=dimension, stable=is_stable)
    if len(operand) == 1:
        return (ops.sort(operand[0], axis=dimension, stable=is_stable),)
    operands = tuple(operand)
    for key in reversed(range(num_keys)):
        order = ops.argsort(operands[key], axis=dimension)
        operands = tuple(ops.take_along_axis(x, order, axis=dimension) for x in operands)
    return operands


def _sort_key_val(keys: Any, values: Any, dimension: int = -1, is_stable: bool = True) -> Any:
    return _sort((keys, values), dimension, is_stable)


def _running(op: OpDef) -> Callable[..., Any]:
    """lax.cumsum and lax.cumprod, which keep the dtype of their elements."""

    def lift(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
        dtype = None if kind_of(operand) in ("f", "c") else ops.dtype_of(operand)
        if not reverse:
            return op(operand, axis=axis, dtype=dtype)
        return ops.flip(op(ops.flip(operand, axis=axis), axis=axis, dtype=dtype), axis=axis)

    return lift


def _total(op: OpDef, name: str) -> Callable[..., Any]:
    """lax.reduce_sum and lax.reduce_prod, which keep the dtype of their elements."""

    def lift(operand: Any, axes: Any, *, out_sharding: Any = None) -> Any:
        refuse(name, out_sharding=out_sharding)
        dtype = None if kind_of(operand) in ("f", "c") else ops.dtype_of(operand)
        return op(operand, axis=tuple(axes), dtype=dtype)

    return lift


ORDERS: dict[str, Callable[..., Any]] = {
    "lax.top_k": _top_k,
    "lax.approx_max_k": _approximate(True),
    "lax.approx_min_k": _approximate(False),
    "lax.sort": _sort,
    "lax.sort_key_val": _sort_key_val,
    "lax.cumsum": _running(ops.cumulative_sum),
    "lax.cumprod": _running(ops.cumulative_prod),
    "lax.reduce_sum": _total(ops.sum, "lax.reduce_sum"),
    "lax.reduce_prod": _total(ops.prod, "lax.reduce_prod"),
}
