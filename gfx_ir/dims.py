"""Sizes and axes: NumPy's broadcasting, over dims that may be numbers, size expressions or unknown (None).

`dims=None` is an unknown rank. Two sizes that can neither be shown equal nor different are taken as equal (a guard
holds that later).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import host
from .errors import ShapeError, misfit
from .host import Dim, DimLike, Expr
from .rules import OPEN
from .types import LogicalTensor

Dims = tuple[DimLike | None, ...] | None


def is_size(x: Any) -> bool:
    """Whether x is a known or symbolic integer."""
    return isinstance(x, (int, np.integer, Dim, Expr)) and not isinstance(x, bool)


def broadcast(*shapes: Dims, what: str = "shapes") -> Dims:
    """The shape that these broadcast to. Raises ShapeError where they do not fit."""
    if not shapes:
        return ()
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    found = known[0]
    for shape in known[1:]:
        if found == shape:
            continue
        more = len(found) - len(shape)
        alone = found[:more] if more > 0 else shape[:-more]
        pairs = zip(found[max(more, 0) :], shape[max(-more, 0) :])
        found = (*alone, *[_broadcast_size(a, b, shapes, what) for a, b in pairs])
    return found


def _broadcast_size(a: DimLike | None, b: DimLike | None, shapes: Sequence[Dims], what: str) -> DimLike | None:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if a is None or b is None:
        known = a if b is None else b
        return known if isinstance(known, int) else None
    if isinstance(a, int) != isinstance(b, int):
        fixed, open_ = (a, b) if isinstance(a, int) else (b, a)
        if host.same(a, b) is False and not may_be(open_, 1):
            raise misfit(f"{what} {dims_text(shapes)} do not broadcast: {a} against {b}")
        return fixed
    if host.same(a, b) is False:
        raise misfit(f"{what} {dims_text(shapes)} do not broadcast: {a} against {b}")
    return a


def may_be(size: DimLike | None, value: int) -> bool:
    """Whether a size can take this value."""
    return size is None or host.same(size, value) is not False


def dims_text(shapes: Iterable[Dims]) -> str:
    """Shapes as an error shows them."""
    return " and ".join("(...)" if s is None else str(LogicalTensor(dims=s))[1:] for s in shapes)


def same_dims(a: Dims, b: Dims, what: str) -> Dims:
    """Two shapes that must be equal, the better known of each size. Raises ShapeError(what) where they differ."""
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b) or any(host.same(x, y) is False for x, y in zip(a, b)):
        raise ShapeError(f"{what}: {dims_text((a, b))}")
    return tuple(better(x, y) for x, y in zip(a, b))


def better(a: DimLike | None, b: DimLike | None) -> DimLike | None:
    """Of two equal sizes, the better known one."""
    return b if a is None or (isinstance(b, int) and not isinstance(a, int)) else a


def axis_of(axis: Any, rank: int) -> int:
    """The axis counted from 0. Raises ShapeError outside of the rank."""
    if not -rank <= axis < rank:
        raise misfit(f"axis {axis} is out of range for {rank} axes")
    return int(axis) % rank


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes counted from 0 (None: all of them). Raises ShapeError outside of the rank or where one comes twice."""
    if axis is None:
        return tuple(range(rank))
    axes = tuple(axis_of(a, rank) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ShapeError(f"an axis stands twice in {axis}")
    return axes


def fixed(*values: Any) -> bool:
    """Whether axes and the like are plain integers (or None, or sequences of such): else nothing follows from them."""
    for value in values:
        if isinstance(value, (tuple, list)):
            if not fixed(*value):
                return False
        elif value is not None and not isinstance(value, (int, np.integer)):
            return False
    return True


def reduced(dims: Dims, axis: Any, keepdims: Any) -> Dims:
    """The shape that remains of a reduction over `axis`."""
    if axis is None and not keepdims:
        return ()
    if dims is None or not fixed(axis, keepdims):
        return None
    axes = axes_of(axis, len(dims))
    if keepdims:
        return tuple(1 if at in axes else d for at, d in enumerate(dims))
    return tuple(d for at, d in enumerate(dims) if at not in axes)


def shape_arg(shape: Any) -> Dims:
    """A shape argument as dims: an int stands for one axis; what is not known is None."""
    if shape is None or shape is OPEN or isinstance(shape, LogicalTensor):
        return None
    if is_size(shape):
        return (int(shape) if isinstance(shape, np.integer) else shape,)
    return tuple(size_arg(d) for d in shape)


def size_arg(size: Any) -> DimLike | None:
    """An argument that is a size, None where it is not known."""
    if isinstance(size, np.integer):
        return int(size)
    return size if is_size(size) else None


def total(dims: Iterable[DimLike | None]) -> DimLike | None:
    """Number of elements, None where a size is unknown."""
    product: DimLike = 1
    for d in dims:
        if d is None:
            return None
        product = host.mul(product, d)
    return product


def replaced(dims: Dims, axis: Any, size: DimLike | None) -> Dims:
    """The shape with one size changed."""
    if dims is None:
        return None
    if not fixed(axis):
        return (None,) * len(dims)
    at = axis_of(axis, len(dims))
    return (*dims[:at], size, *dims[at + 1 :])
