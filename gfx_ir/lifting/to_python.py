"""What makes Python's numbers of an array: .item() and .tolist()."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..build import told_content
from ..errors import MissingOp
from ..row import OpenRows
from .words import ask_rank

_HINT = "give the capture the argument's shape, or take the numbers row by row: x[i].tolist()"


def item(x: Any, *args: Any) -> Any:
    """The number of Python's in an array of one element, or in one of its elements."""
    if args:
        x = ops.getitem(ops.flatten(x), args[0]) if len(args) == 1 else ops.getitem(x, args)
    return ops.item(x)


def tolist(x: Any) -> Any:
    """All of an array's numbers, in lists within lists; of an array without axes the number itself. One of open rank has one axis.
    Whole numbers that are the same for all inputs are these."""
    held = told_content(x)
    if isinstance(held, np.ndarray) and held.dtype.kind in "biu":
        return held.tolist()
    dims = getattr(getattr(x, "type", None), "dims", None)
    if dims is not None and all(isinstance(dim, int) for dim in dims):
        return _nested(x, dims, ())
    rank = ask_rank(x, "tolist() gives numbers, or lists of them", 1)
    if rank > 1:
        raise MissingOp("tolist() gives lists within a list here, and how long they are is open", hint=_HINT)
    return OpenRows(x, ops.item) if rank else ops.item(x)


def _nested(x: Any, dims: tuple[int, ...], place: tuple[int, ...]) -> Any:
    if len(place) == len(dims):
        return ops.item(ops.getitem(x, place) if place else x)
    return [_nested(x, dims, (*place, at)) for at in range(dims[len(place)])]
