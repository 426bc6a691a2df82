"""Shape rules of ops that give the elements of one tensor other axes: from the dims of the first argument, for a known rank."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import host
from ..errors import ShapeError, misfit
from ._shapes import Dims, axes_of, axis_of, fixed, may_be, shape_arg, total


def reshaped(dims: Dims, args: SimpleNamespace) -> Dims:
    """The new shape, a -1 in it worked out. Raises ShapeError where the numbers of elements differ."""
    target = shape_arg(args.shape)
    if target is None:
        return None
    size = None if dims is None else total(dims)
    if target.count(-1) > 1:
        raise ShapeError(f"only one size of {target} can be -1")
    if -1 in target:
        rest = total(d for d in target if d != -1)
        return tuple(_missing(size, rest, dims, target) if d == -1 else d for d in target)
    wanted = total(target)
    if host.same(size, wanted) is False:
        raise misfit(f"{size} elements cannot have the shape {args.shape}")
    if target.count(None) == 1 and size is not None:
        rest = total(d for d in target if d is not None)
        return tuple((host.divide(size, rest) if rest is not None else None) if d is None else d for d in target)
    return target


def _missing(size: Any, rest: Any, dims: Dims, target: tuple) -> Any:
    if size is None or rest is None:
        return None
    exact = host.divide(size, rest)
    if exact is None and isinstance(size, int) and isinstance(rest, int):
        raise misfit(f"{size} elements cannot have the shape {target}")
    return host.floordiv(size, rest) if exact is None else exact


def flattened(dims: Dims, args: SimpleNamespace) -> Dims:
    """Axes `start` to `end` as one."""
    if dims is None or not fixed(args.start, args.end):
        return None
    if not dims:
        return (1,)
    start, end = axis_of(args.start, len(dims)), axis_of(args.end, len(dims))
    if start > end:
        raise ShapeError(f"axis {start} does not come before axis {end}")
    return (*dims[:start], total(dims[start : end + 1]), *dims[end + 1 :])


def permuted(dims: Dims, args: SimpleNamespace) -> Dims:
    """Without axes: the other way round."""
    if args.axes is None:
        return None if dims is None else dims[::-1]
    if dims is None:
        return (None,) * len(args.axes)
    axes = axes_of(args.axes, len(dims))
    if len(axes) != len(dims):
        raise misfit(f"axes {args.axes} do not name each of {len(dims)} axes")
    return tuple(dims[a] for a in axes)


def swapped(dims: Dims, args: SimpleNamespace) -> Dims:
    """Two axes in each other's place."""
    if dims is None:
        return None
    a, b = axis_of(args.axis1, len(dims)), axis_of(args.axis2, len(dims))
    out = list(dims)
    out[a], out[b] = dims[b], dims[a]
    return tuple(out)


def transposed(dims: Dims, args: SimpleNamespace) -> Dims:
    """The last two axes in each other's place."""
    if dims is None:
        return None
    if len(dims) < 2:
        raise ShapeError("a matrix transpose needs two axes")
    return (*dims[:-2], dims[-1], dims[-2])


def moved(dims: Dims, args: SimpleNamespace) -> Dims:
    """Axes at other places, the rest in their order."""
    if dims is None:
        return None
    source, destination = axes_of(args.source, len(dims)), axes_of(args.destination, len(dims))
    if len(source) != len(destination):
        raise ShapeError(f"{args.source} and {args.destination} are not equally many axes")
    order = [a for a in range(len(dims)) if a not in source]
    for to, a in sorted(zip(destination, source)):
        order.insert(to, a)
    return tuple(dims[a] for a in order)


def unsqueezed(dims: Dims, args: SimpleNamespace) -> Dims:
    """New axes of size 1."""
    if dims is None:
        return None
    axis = args.axis if isinstance(args.axis, (tuple, list)) else (args.axis,)
    axes = axes_of(axis, len(dims) + len(axis))
    rest = iter(dims)
    return tuple(1 if a in axes else next(rest) for a in range(len(dims) + len(axes)))


def squeezed(dims: Dims, args: SimpleNamespace) -> Dims:
    """Without axes of size 1. Raises ShapeError where one of those named has another size."""
    if dims is None:
        return None
    if args.axis is None:
        known = all(not may_be(d, 1) or d == 1 for d in dims)
        return tuple(d for d in dims if d != 1) if known else None
    axes = axes_of(args.axis, len(dims))
    for a in axes:
        if not may_be(dims[a], 1):
            raise ShapeError(f"axis {a} has size {dims[a]}, only one of size 1 can go")
    return tuple(d for a, d in enumerate(dims) if a not in axes)
