"""What makes Python's numbers of an array: .item() and .tolist()."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..errors import MissingOp

_HINT = "give the capture the argument's shape, or take the numbers one by one: x[i].item()"


def item(x: Any, *args: Any) -> Any:
    """The number of Python's in an array of one element, or in one of its elements."""
    if args:
        x = ops.getitem(ops.flatten(x), args[0]) if len(args) == 1 else ops.getitem(x, args)
    return ops.item(x)


def tolist(x: Any) -> Any:
    """All of an array's numbers, in lists within lists; of an array without axes the number itself."""
    dims = getattr(getattr(x, "type", None), "dims", None)
    if dims is None or not all(isinstance(dim, int) for dim in dims):
        raise MissingOp("tolist() gives as many numbers as the array holds, and here its shape is open", hint=_HINT)
    return _nested(x, dims, ())


def _nested(x: Any, dims: tuple[int, ...], place: tuple[int, ...]) -> Any:
    if len(place) == len(dims):
        return ops.item(ops.getitem(x, place) if place else x)
    return [_nested(x, dims, (*place, at)) for at in range(dims[len(place)])]
