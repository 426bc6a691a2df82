"""New values of arrays that are written at positions: what NumPy does in place, and jax.numpy in a copy."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..op import lookup
from .words import ask_rank


def fill_diagonal(a: Any, val: Any) -> Any:
    """a with `val` along the main diagonal of a matrix."""
    ask = ask_rank(a, "fill_diagonal", 2)
    size = ops.size(a, 0) if ask > 2 else ops.size(ops.diagonal(a), 0)
    steps = ops.arange(size)
    return ops.index_put(a, (steps,) * ask, val)


def put(a: Any, ind: Any, v: Any) -> Any:
    """a with v at positions counted row by row."""
    return ops.reshape(ops.index_put(ops.flatten(a), (ind,), v), lookup("shape")(a))


def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    """arr with values at positions along an axis; positions and values broadcast along the other axes."""
    if axis is None:
        return put(arr, indices, values)
    rank = ask_rank(arr, "put_along_axis")
    at = axis % rank
    index = []
    for other in range(rank):
        steps = ops.arange(ops.size(arr, other))
        rest = tuple(range(1, rank - other))
        index.append(indices if other == at else ops.expand_dims(steps, rest) if rest else steps)
    return ops.index_put(arr, tuple(index), values)
