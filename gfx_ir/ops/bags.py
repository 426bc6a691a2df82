"""Sums, means and maxima of rows of a table, bag by bag, and of pieces of a tensor, and products of these, as patterns over other ops."""

from __future__ import annotations

from typing import Any

from ..build import host, rank_of
from ..dtypes import int32
from ..op import Trait
from ._body import named
from ._catalogue import ops
from ._row import composite

FAMILY = "nn"


def _bags(x: Any, offsets: Any) -> Any:
    """Which bag each number of x, which is flat, belongs to: the last one that begins before or with it."""
    places = ops.arange(ops.size(x, 0))
    begun = ops.less_equal(ops.expand_dims(offsets, 0), ops.expand_dims(places, 1))
    return ops.subtract(ops.sum(ops.astype(begun, int32), axis=1), 1)


@composite(FAMILY, traits=Trait.CHECKS)
def embedding_bag(
    x: Any,
    weight: Any,
    offsets: Any = None,
    mode: str = "mean",
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
) -> Any:
    """The sum, mean or max of the rows of weight that each bag numbers; that of an empty bag is 0.

    Bags are the rows of x, or, where x is flat, begin at `offsets`, of which the last is no bag where `include_last_offset`.
    Rows numbered `padding_idx` count nothing; per_sample_weights, of the shape of x, are factors in a sum.
    """
    counts = None if padding_idx is None else named("counts", ops.not_equal(x, padding_idx))
    if offsets is None:
        bags, number = ops.broadcast_to(ops.expand_dims(ops.arange(ops.size(x, 0)), 1), ops.shape(x)), ops.size(x, 0)
        bags = ops.reshape(bags, (-1,))
    else:
        number = ops.size(offsets, 0)
        bags = _bags(x, offsets)
    number_kept = host("-", number, 1) if include_last_offset and offsets is not None else number
    rows = ops.take(weight, ops.reshape(x, (-1,)), axis=0)
    if per_sample_weights is not None:
        rows = ops.multiply(rows, ops.reshape(per_sample_weights, (-1, 1)))
    flat = None if counts is None else ops.reshape(counts, (-1, 1))
    out = _gathered(named("rows", rows), named("bags", bags), flat, number, mode)
    return ops.getitem(out, slice(None, number_kept)) if number_kept is not number else out


def _gathered(rows: Any, bags: Any, counts: Any, number: Any, mode: str) -> Any:
    """The rows of each of `number` bags put together."""
    width, like = ops.size(rows, 1), ops.dtype_of(rows)
    ones = ops.ones((ops.size(rows, 0), 1), dtype=like) if counts is None else ops.astype(counts, like)
    held = ops.index_put(ops.zeros((number, 1), dtype=like), bags, ones, True)
    if mode == "max":
        if counts is not None:
            rows = ops.where(counts, rows, float("-inf"))
        lowest = ops.full((number, width), float("-inf"), dtype=like)
        places = ops.broadcast_to(ops.expand_dims(bags, 1), ops.shape(rows))
        found = ops.scatter_reduce(lowest, places, rows, 0, "amax")
        return ops.where(ops.equal(held, 0), 0, found)
    rows = rows if counts is None else ops.where(counts, rows, 0)
    total = ops.index_put(ops.zeros((number, width), dtype=like), bags, rows, True)
    return total if mode == "sum" else ops.divide(total, ops.maximum(held, 1))


_START = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": float("-inf"), "min": float("inf")}


@composite(FAMILY, traits=Trait.UNDERIVED)
def segment_reduce(x: Any, lengths: Any, reduce: str, initial: Any = None) -> Any:
    """What successive pieces of x along its first axis, of these lengths, come to: "sum", "mean", "prod", "max" or "min".

    `initial` goes before the elements of each piece. Without it the mean of an empty piece is no number.
    """
    ends = named("ends", ops.cumulative_sum(lengths, axis=0))
    passed = ops.greater_equal(ops.expand_dims(ops.arange(ops.size(x, 0)), 1), ops.expand_dims(ends, 0))
    places = named("places", ops.sum(ops.astype(passed, int32), axis=1))
    rows = named("rows", ops.reshape(x, (ops.size(x, 0), -1)))
    places = ops.broadcast_to(ops.expand_dims(places, 1), ops.shape(rows))
    first = float(_START[reduce] if initial is None else initial)
    start = ops.full((ops.size(lengths, 0), ops.size(rows, 1)), first, dtype=ops.dtype_of(x))
    kind = {"max": "amax", "min": "amin", "mean": "sum"}.get(reduce, reduce)
    out = named("out", ops.scatter_reduce(start, places, rows, 0, kind))
    if reduce == "mean":
        column = ops.astype(ops.expand_dims(lengths, 1), ops.dtype_of(x))
        out = ops.divide(out, column if initial is None else ops.maximum(column, 1))
    out_shape = (ops.size(lengths, 0), *(ops.size(x, axis) for axis in range(1, rank_of(x))))
    return ops.reshape(out, out_shape)


@composite(FAMILY)
def grouped_matmul(x: Any, weight: Any, lengths: Any) -> Any:
    """Successive pieces of the rows of x, of these lengths, each times a matrix of its own, weight[i]; rows behind the last one give 0.

    Shapes: (rows, k), (groups, k, n) and (groups,) give (rows, n).
    """
    ends = named("ends", ops.cumulative_sum(lengths, axis=0))
    rows, last = named("rows", ops.arange(ops.size(x, 0))), ops.expand_dims(ends, 1)
    begun = ops.greater_equal(rows, ops.subtract(last, ops.expand_dims(lengths, 1)))
    held = named("held", ops.logical_and(begun, ops.less(rows, last)))
    return ops.sum(ops.where(ops.expand_dims(held, 2), ops.matmul(x, weight), 0), axis=0)
