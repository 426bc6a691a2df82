"""Images read at places between their elements, as patterns over other ops.

Places run from -1 to 1 along each axis, the last axis first:
https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html.
"""

from __future__ import annotations

import itertools
from typing import Any

from ..build import host
from ..dtypes import int32
from ._body import named
from ._catalogue import ops
from ._row import composite
from .resize import behind, cubic

FAMILY = "nn"


def _unnormalised(at: Any, size: Any, align_corners: bool) -> Any:
    """Places from -1 to 1 as numbers of elements."""
    if align_corners:
        return ops.multiply(ops.divide(ops.add(at, 1), 2), host("-", size, 1))
    return ops.divide(ops.subtract(ops.multiply(ops.add(at, 1), size), 1), 2)


def _kept(at: Any, size: Any, padding: str, align_corners: bool) -> Any:
    """Places moved inside: to the nearest end, or thrown back from both ends."""
    if padding == "zeros":
        return at
    if padding == "reflection":
        low, span = (0.0, host("max", host("-", size, 1), 1)) if align_corners else (-0.5, size)
        off = named("off", ops.abs(ops.subtract(at, low) if low else at))
        extra = named("extra", ops.remainder(off, span))
        turned = ops.equal(ops.remainder(ops.floor(ops.divide(off, span)), 2), 1)
        at = ops.where(turned, ops.subtract(span, extra), extra)
        at = ops.add(at, low) if low else at
    return ops.clip(at, 0, host("-", size, 1))


def _read(x: Any, places: list, sizes: list) -> Any:
    """The elements of x (N, C, ...) at whole places (N, ...), an array an axis; 0 outside."""
    inside: Any = None
    for at, size in zip(places, sizes):
        within = ops.logical_and(ops.greater_equal(at, 0), ops.less(at, size))
        inside = within if inside is None else ops.logical_and(inside, within)
    whole = [ops.astype(ops.clip(at, 0, host("-", size, 1)), int32) for at, size in zip(places, sizes)]
    rows = ops.reshape(ops.arange(ops.size(x, 0)), (-1, *(1,) * len(sizes)))
    found = ops.moveaxis(ops.getitem(x, (rows, slice(None), *whole)), -1, 1)
    return ops.where(ops.expand_dims(named("inside", inside), 1), found, 0)


def _weighted(x: Any, places: list, sizes: list, weights: list) -> Any:
    """The elements at whole places times the product of a weight an axis."""
    product = weights[0]
    for weight in weights[1:]:
        product = ops.multiply(product, weight)
    return ops.multiply(_read(x, places, sizes), ops.expand_dims(product, 1))


@composite(FAMILY)
def grid_sample(
    x: Any, grid: Any, mode: str = "bilinear", padding: str = "zeros", align_corners: bool = False, dims: int = 2
) -> Any:
    """x (N, C, ...) read at the places of grid (N, ..., dims), between elements as `mode` says.

    mode: "nearest", "bilinear" (along three axes too) or "bicubic"; padding, of places outside: "zeros", "border" or
    "reflection". `align_corners`: -1 and 1 are the middles of the first and last elements, not their edges.
    """
    sizes = [ops.size(x, 2 + axis) for axis in range(dims)]
    inside = lambda at, size: _kept(at, size, padding, align_corners)
    places = [
        named("at", _unnormalised(ops.getitem(grid, (..., dims - 1 - axis)), size, align_corners))
        for axis, size in enumerate(sizes)
    ]
    if mode != "bicubic":
        places = [named("at", inside(at, size)) for at, size in zip(places, sizes)]
    if mode == "nearest":
        return _read(x, [ops.round(at) for at in places], sizes)
    firsts = [named("first", ops.floor(at)) for at in places]
    shares = [named("t", ops.subtract(at, first)) for at, first in zip(places, firsts)]
    begin, taps = 0, [(ops.subtract(1, t), t) for t in shares]
    if mode == "bicubic":
        begin, taps = -1, [cubic(t) for t in shares]
    total: Any = None
    for steps in itertools.product(range(len(taps[0])), repeat=dims):
        near = [behind(first, begin + step) for first, step in zip(firsts, steps)]
        if mode == "bicubic":
            near = [inside(at, size) for at, size in zip(near, sizes)]
        part = _weighted(x, near, sizes, [tap[step] for tap, step in zip(taps, steps)])
        total = part if total is None else ops.add(total, part)
    return total


@composite(FAMILY)
def affine_grid(theta: Any, size: tuple, align_corners: bool = False) -> Any:
    """Places for grid_sample: those of a grid of `size` (N, C, ...) under theta (N, dims, dims + 1), last axis first."""
    columns, like = [], ops.dtype_of(theta)
    for axis, length in enumerate(size[2:]):
        at = ops.arange(length, dtype=like)
        if align_corners:
            last = host("-", length, 1)
            at = ops.subtract(ops.divide(ops.multiply(at, 2), last), 1) if last != 0 else ops.zeros_like(at)
        else:
            at = ops.subtract(ops.divide(ops.add(ops.multiply(at, 2), 1), length), 1)
        shape = [1] * (len(size) - 2)
        shape[axis] = -1
        columns.append(ops.broadcast_to(ops.reshape(at, tuple(shape)), tuple(size[2:])))
    ones = ops.ones(tuple(size[2:]), dtype=like)
    base = ops.reshape(ops.stack((*reversed(columns), ones), axis=-1), (-1, len(size) - 1))
    return ops.reshape(ops.matmul(base, ops.matrix_transpose(theta)), (size[0], *size[2:], len(size) - 2))
