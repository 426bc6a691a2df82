"""New values of arrays that are written at positions: what NumPy does in place, and jax.numpy in a copy."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..op import lookup
from .ranks import require
from .words import ask_rank, known_dtype, rank


def fill_diagonal(a: Any, val: Any) -> Any:
    """a with `val` along the main diagonal of a matrix; of more than one axis, its elements in order."""
    ask = ask_rank(a, "fill_diagonal", 2)
    size = ops.size(a, 0) if ask > 2 else ops.size(ops.diagonal(a), 0)
    steps = ops.arange(size)
    if (rank(val) or 0) > 1:
        val = ops.getitem(ops.flatten(val), slice(None, size))
    return ops.index_put(a, (steps,) * ask, val)


def place(arr: Any, mask: Any, vals: Any) -> Any:
    """arr with values, in order and again from the first, where the mask is true."""
    values, whole = ops.flatten(vals), ops.reshape(mask, lookup("shape")(arr))
    at = ops.subtract(ops.cumulative_sum(ops.flatten(whole), axis=0), 1)
    return _put_where(arr, whole, values, at)


def putmask(a: Any, mask: Any, values: Any) -> Any:
    """a with what stands at the same place among values, which begin again at their end, where the mask is true."""
    flat, whole = ops.flatten(values), ops.reshape(mask, lookup("shape")(a))
    return _put_where(a, whole, flat, ops.arange(ops.numel(a)))


def _put_where(x: Any, mask: Any, values: Any, at: Any) -> Any:
    """x with the values at positions, each for an element of x and modulo their number, where a mask is true."""
    picked = ops.reshape(ops.take(values, ops.remainder(at, ops.size(values, 0)), axis=0), lookup("shape")(x))
    before = known_dtype(x)
    kept = before is not None and before == known_dtype(picked)
    return ops.where(mask, picked if kept else ops.astype(picked, before or ops.dtype_of(x)), x)


def put(a: Any, ind: Any, v: Any) -> Any:
    """a with v at positions counted row by row."""
    return ops.reshape(ops.index_put(ops.flatten(a), (ind,), v), lookup("shape")(a))


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    """arr with values at positions along an axis; positions and values broadcast along the other axes."""
    if axis is None:
        return put(arr, indices, values)
    rank = ask_rank(arr, "put_along_axis")
    require("put_along_axis", indices, "==", rank)
    at = axis % rank
    index = []
    for other in range(rank):
        steps = ops.arange(ops.size(arr, other))
        rest = tuple(range(1, rank - other))
        index.append(indices if other == at else ops.expand_dims(steps, rest) if rest else steps)
    return ops.index_put(arr, tuple(index), values)
