"""Calls that look for elements: positions, sets, counts and order statistics."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from functools import partial
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import OpenParts
from gfx_ir.build import constants_only, dtype_of, host, told_dims
from gfx_ir.dtypes import DTYPES
from gfx_ir.errors import ShapeError
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import never_meet
from gfx_ir.op import lookup

from ..lifting import (
    INT64,
    Pair,
    ask_rank,
    at,
    dtype_like,
    fixed_int,
    is_number,
    known_rank,
    known_size,
    names,
    shape_of,
)

INT32 = DTYPES["int32"]
_OPEN = (
    "how many vectors of positions torch.where gives hangs on the rank of its argument: unpack them, or give its shape"
)


# ---------------------------------------------------------------- positions
def nonzero(input: Any, *, as_tuple: Any = False) -> Any:
    """Positions of what is not 0, one in a row; or the columns of that."""
    if not as_tuple:
        return ops.argwhere(input)
    if known_rank(input) == 0:
        return (ops.getitem(ops.argwhere(ops.reshape(input, (1,))), (slice(None), 0)),)
    if known_rank(input) is None:
        dims = told_dims(input)
        return OpenParts(partial(_columns, input), ShapeError(_OPEN)) if dims is None else _columns(input, len(dims))
    found = ops.nonzero(input)
    return found if isinstance(found, tuple) else (found,)


def _columns(x: Any, count: int) -> tuple:
    """Positions of what is not 0 in a tensor of so many axes, axis by axis."""
    if ask_rank(x, count, "torch.where") != count:
        raise ShapeError(f"torch.where gives positions for each axis of its argument, which has not {count}")
    found = ops.argwhere(x)
    return tuple(ops.getitem(found, (slice(None), axis)) for axis in range(count))


def nonzero_static(input: Any, *, size: Any, fill_value: Any = -1) -> Any:
    """Positions of what is not 0, cut or filled up to so many."""
    return ops.argwhere(input, size, fill_value)


def _together(x: Any, mask: Any) -> tuple:
    """x and mask in their common shape."""
    dims = [getattr(getattr(v, "type", None), "dims", None) for v in (x, mask)]
    if dims[0] is not None and dims[0] == dims[1]:
        return x, mask
    whole = ops.logical_or(mask, ops.zeros_like(x, dtype=DTYPES["bool"]))
    return ops.broadcast_to(x, shape_of(whole)), whole


def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask is true, in order."""
    x, mask = _together(input, mask)
    if known_rank(x) == 0:
        x, mask = ops.reshape(x, (1,)), ops.reshape(mask, (1,))
    return ops.getitem(x, mask)


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Elements of source in order where the mask is true."""
    return ops.masked_scatter(input, mask, source)


def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """A value, in the dtype of the tensor, where the mask is true."""
    found = dtype_of(input)
    if isinstance(value, Value) and value.is_tensor:
        other = dtype_of(value)
        value = value if found is None or found == other else ops.astype(value, found)
    elif found is not None and not isinstance(value, Value):
        python = {"b": bool, "i": int, "u": int}.get(found.kind)
        value = value if python is None else python(value)
    return ops.masked_fill(input, mask, value)


# ---------------------------------------------------------------- sets and counts
def unique(
    input: Any, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False, dim: Any = None
) -> Any:
    """The different elements, in order."""
    return ops.unique(input, dim, False, return_inverse, return_counts, equal_nan=False)


def unique_consecutive(input: Any, return_inverse: Any = False, return_counts: Any = False, dim: Any = None) -> Any:
    """The elements that differ from the one before them."""
    return ops.unique_consecutive(input, dim, return_inverse, return_counts)


def isin(elements: Any, test_elements: Any, *, assume_unique: Any = False, invert: Any = False) -> Any:
    """Which elements are among others."""
    return ops.isin(elements, test_elements, invert)


def bincount(input: Any, weights: Any = None, minlength: Any = 0) -> Any:
    """How often each number occurs; the sums of the weights in torch's dtype."""
    out = ops.bincount(input, weights, minlength)
    if weights is None:
        return out
    found = dtype_of(weights)
    return ops.astype(out, DTYPES["float64"] if found not in (None, DTYPES["float32"]) else dtype_like(weights))


def _edges(x: Any, bins: Any, low: Any, high: Any, apart: float = 0.5) -> Any:
    """The edges of equal bins between numbers, or between the least and the largest element, which lie `apart` where they
    are one."""
    element = dtype_like(x)
    if low is None or (is_number(low) and not isinstance(low, Value) and low == high):
        if known_size(ops.flatten(x), 0) == 0:
            return ops.linspace(0.0, 1.0, host("+", bins, 1), dtype=element)
        low, high = (ops.min(x), ops.max(x)) if low is None or low == high == 0 else (low, high)
        same = ops.equal(low, high)
        low, high = (ops.where(same, ops.add(v, by), v) for v, by in ((low, -apart), (high, apart)))
        steps = ops.linspace(0.0, 1.0, host("+", bins, 1), dtype=element)
        return ops.where(ops.equal(steps, 1), high, ops.add(low, ops.multiply(steps, ops.subtract(high, low))))
    return ops.linspace(low, high, host("+", bins, 1), dtype=element)


Bins = namedtuple("Bins", ("hist", "bin_edges"))
"""What `torch.histogram` and `histogramdd` return."""


def histc(input: Any, bins: Any = 100, min: Any = 0, max: Any = 0) -> Any:
    """How many elements fall into each of equal bins."""
    if min == max and min != 0:
        min, max = min - 1, max + 1
    edges = _edges(input, bins, None if min == max else min, max, 1)
    return ops.astype(ops.histogram(ops.flatten(input), edges), dtype_like(input))


def histogram(input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: Any = False) -> Any:
    """How many elements fall into each bin, and the edges of the bins."""
    low, high = (None, None) if range is None else range
    edges = bins if isinstance(bins, Value) and bins.is_tensor else _edges(input, bins, low, high)
    weights = None if weight is None else ops.flatten(weight)
    counts = ops.astype(ops.histogram(ops.flatten(input), edges, weights, density), dtype_like(input))
    return Bins(counts, edges)


def histogramdd(input: Any, bins: Any, range: Any = None, weight: Any = None, density: Any = False) -> Any:
    """How many points fall into each cell, and the edges along each axis."""
    points = ops.reshape(input, (-1, ops.size(input, -1))) if ask_rank(input, 2, "torch.histogramdd") != 2 else input
    count = fixed_int(known_size(input, -1), "the number of coordinates")
    given = [bins] * count if isinstance(bins, int) else list(bins)
    edges = []
    for axis, b in enumerate(given):
        if isinstance(b, Value) and b.is_tensor:
            edges.append(b)
            continue
        low, high = (None, None) if range is None else (range[2 * axis], range[2 * axis + 1])
        edges.append(_edges(ops.getitem(points, (slice(None), axis)), b, low, high))
    weights = None if weight is None else ops.flatten(weight)
    counts = ops.histogramdd(points, tuple(edges), weights, density)
    return Bins(ops.astype(counts, dtype_like(input)), tuple(edges))


# ---------------------------------------------------------------- order statistics
def quantiles(name: str) -> Callable[..., Any]:
    """torch.quantile and nanquantile."""
    op = lookup(name)

    def fn(input: Any, q: Any, dim: Any = None, keepdim: Any = False, *, interpolation: Any = "linear") -> Any:
        if isinstance(q, (tuple, list)) and constants_only(q):
            q = ops.constant(tuple(q), dtype=dtype_of(input))
        return op(input, q, dim, keepdim, interpolation)

    return fn


def medians(omit_nan: bool) -> Callable[..., Any]:
    """torch.median and nanmedian: the smaller of two in the middle, along an axis with its position."""

    def fn(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
        if dim is None:
            return ops.lower_median(input, omit_nan=omit_nan)
        found = ops.lower_median(input, dim, keepdim, omit_nan)
        return Pair(found, ops.lower_argmedian(input, dim, keepdim, omit_nan))

    return fn


def mode(input: Any, dim: Any = -1, keepdim: Any = False) -> Any:
    """What occurs most often along an axis, and where."""
    return Pair(ops.mode(input, dim, keepdim), ops.argmode(input, dim, keepdim))


def kthvalue(input: Any, k: Any, dim: Any = -1, keepdim: Any = False) -> Any:
    """The k-th smallest element along an axis, and where it is."""
    start = host("-", k, 1)
    place = at(dim, slice(start, k)) if keepdim else at(dim, start)
    return Pair(ops.getitem(ops.sort(input, axis=dim), place), ops.getitem(ops.argsort(input, axis=dim), place))


def running(name: str) -> Callable[..., Any]:
    """torch.cummax and cummin: running extrema and their positions."""
    extremum, position = lookup(f"cumulative_{name}"), lookup(f"cumulative_arg{name}")

    def fn(input: Any, dim: Any) -> Any:
        last = dim - ask_rank(input, 1, f"torch.cum{name}") if dim >= 0 else dim
        return Pair(extremum(input, dim), position(input, last))

    return fn


# ---------------------------------------------------------------- search
def searchsorted(
    sorted_sequence: Any,
    input: Any,
    *,
    right: Any = False,
    side: Any = None,
    out_int32: Any = False,
    sorter: Any = None,
) -> Any:
    """Where values belong in an ascending sequence, or each row of values in its own."""
    keys = sorted_sequence
    if sorter is not None:
        keys = ops.take_along_axis(keys, sorter, axis=-1)
    rank, side = 1 if _rank(input) == 0 else _rank(keys), side or ("right" if right else "left")
    found = (ops.searchsorted if rank == 1 else ops.search_rows)(keys, input, side=side)
    if rank is None and _rank(input) is None:
        found = ops.reshape(found, lookup("shape")(input))  # one value has no row
    return ops.astype(found, INT32) if out_int32 else found


def _rank(x: Any) -> int | None:
    found = known_rank(x)
    told = told_dims(x) if found is None and isinstance(x, Value) else None
    return found if told is None else len(told)


def bucketize(input: Any, boundaries: Any, *, out_int32: Any = False, right: Any = False) -> Any:
    """Which interval each value falls into."""
    found = ops.searchsorted(boundaries, input, side="right" if right else "left")
    return ops.astype(found, INT32) if out_int32 else found


def repeat_interleave(input: Any, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Any:
    """Each element again and again; of repeats alone, the positions."""
    if repeats is None or (isinstance(repeats, str)):
        return ops.repeat(ops.arange(ops.size(input, 0), dtype=INT64), input, axis=0)
    return ops.repeat(input, repeats, dim, output_size)


def equal(input: Any, other: Any) -> Any:
    """Whether two tensors have the same shape and elements."""
    dims, others = told_dims(input), told_dims(other)
    if dims is not None and others is not None and never_meet(dims, others):
        return False
    return ops.to_bool(ops.array_equal(input, other))


def unravel_index(indices: Any, shape: Any) -> tuple:
    """Positions along each axis of elements counted row by row, in 64 bits."""
    indices = indices if dtype_like(indices) in (None, INT64) else ops.astype(indices, INT64)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    rest, found = indices, []
    for size in reversed(sizes):
        found.append(ops.remainder(rest, size))
        rest = ops.floor_divide(rest, size)
    return tuple(reversed(found))


LIFTS = {
    names("masked_select"): masked_select,
    names("kthvalue"): kthvalue,
    "torch.unravel_index": unravel_index,
}
