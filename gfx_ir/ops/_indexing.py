"""The shape of x[index]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import host
from ..errors import ShapeError, misfit
from ..host import DimLike
from ..rules import OPEN
from ..types import LogicalTensor
from ._shapes import Dims, as_type, broadcast, is_size


def indexed(dims: Dims, index: Any, rules: str) -> Dims:
    """The shape of x[index], None where it does not follow. Raises ShapeError where the index does not fit."""
    items = list(index) if isinstance(index, tuple) else [index]
    items = [as_type(i, rules) if isinstance(i, list) or hasattr(i, "dtype") else i for i in items]
    if any(_unclear(item) for item in items) or dims is None:
        return None
    rest = len(dims) - sum(_consumed(item) for item in items)
    if rest < 0:
        raise misfit(f"too many indices: {len(dims) - rest} for {len(dims)} axes")
    at = next((n for n, item in enumerate(items) if item is Ellipsis), len(items))
    items[at : at + 1] = [slice(None)] * rest
    if any(item is Ellipsis for item in items):
        raise ShapeError("an index has only one ellipsis")
    return _walk(dims, items)


def _unclear(item: Any) -> bool:
    """Whether it cannot be told how many axes this takes or gives: unknown dtype or rank, Python booleans."""
    if isinstance(item, LogicalTensor):
        return item.dtype is None or item.dims is None
    return isinstance(item, (bool, str))


def _consumed(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, LogicalTensor) and item.dtype is not None and item.dtype.kind == "b":
        return len(item.dims or ())
    return 1


def _walk(dims: Sequence[DimLike | None], items: list) -> Dims:
    """Sizes of the result; those of index tensors stand where these stand together, else in front."""
    advanced = any(isinstance(item, LogicalTensor) for item in items)
    out: list[DimLike | None] = []
    shapes: list[Dims] = []
    places: list[tuple[int, int]] = []  # of index tensors: position in the index, in the result
    axis = 0
    for at, item in enumerate(items):
        if item is None:
            out.append(1)
        elif isinstance(item, slice):
            out.append(sliced(dims[axis], item))
        elif isinstance(item, LogicalTensor):
            mask = item.dtype is not None and item.dtype.kind == "b"
            if mask:
                _check_mask(item.dims or (), dims[axis:])
            shapes.append((None,) if mask else item.dims)
            places.append((at, len(out)))
        else:
            _check(item, dims[axis])
            if advanced:
                places.append((at, len(out)))
        axis += _consumed(item)
    if not advanced:
        return tuple(out)
    together = places[-1][0] - places[0][0] == len(places) - 1
    here = places[0][1] if together else 0
    found = broadcast(*shapes, what="index shapes")
    assert found is not None
    return (*out[:here], *found, *out[here:])


def _check(item: Any, size: DimLike | None) -> None:
    if not (is_size(item) or item is OPEN):
        raise ShapeError(f"{item!r} is no index")
    if isinstance(item, int) and isinstance(size, int) and not -size <= item < size:
        raise misfit(f"index {item} is out of range for size {size}")


def _check_mask(mask: Sequence[DimLike | None], dims: Sequence[DimLike | None]) -> None:
    for size, there in zip(mask, dims):
        if size is not None and there is not None and host.same(size, there) is False:
            raise ShapeError(f"a mask of size {size} does not fit an axis of size {there}")


def sliced(size: DimLike | None, part: slice) -> DimLike | None:
    """The length of a slice of an axis."""
    start, stop, step = part.start, part.stop, 1 if part.step is None else part.step
    if (start is None or start == 0) and stop is None and step == 1:
        return size
    if size is None or not isinstance(step, int) or any(x is OPEN or hasattr(x, "dtype") for x in (start, stop)):
        return None
    if all(x is None or isinstance(x, int) for x in (size, start, stop)):
        return len(range(*part.indices(size)))  # type: ignore[arg-type]
    if step < 0:
        return _ceil(size, -step) if start is None and stop is None else None
    first, last = _bound(0 if start is None else start, size), _end(stop, size)
    if first is None or last is None:
        return None
    return _ceil(host.extremum("max", host.sub(last, first), 0), step)


def _bound(position: DimLike, size: DimLike) -> DimLike | None:
    """Where a slice begins; past the end is left so, for its length then comes out negative."""
    low, high = host.bounds(position)
    if low is not None and low >= 0:
        return position
    if high is not None and high < 0:
        return host.extremum("max", host.add(size, position), 0)
    return None


def _end(position: DimLike | None, size: DimLike) -> DimLike | None:
    """Where a slice ends; before the beginning is left so."""
    if position is None:
        return size
    low, high = host.bounds(position)
    if low is not None and low >= 0:
        return host.extremum("min", position, size)
    return host.add(size, position) if high is not None and high < 0 else None


def _ceil(size: DimLike, step: int) -> DimLike:
    return size if step == 1 else host.floordiv(host.add(size, step - 1), step)
