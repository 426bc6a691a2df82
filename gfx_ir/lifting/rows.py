"""The rows of one tensor, in the place of a list of tensors whose length is open."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..errors import MissingOp
from ..graph import Value
from ..ops import _seen
from ..row import OpenRows

_HINT = "give the capture the argument's shape: gfx.TensorSpec(shape, dtype)"


def stacked(rows: Value, axis: int = 0) -> Value:
    """The rows one after the other along a new axis."""
    moved: Value = rows if axis == 0 else ops.moveaxis(rows, 0, axis)
    return moved


def joined(rows: Value, axis: int = 0) -> Value:
    """The rows one after the other along an axis that they have."""
    at = axis if axis >= 0 else axis - 1
    merged: Value = ops.flatten(stacked(rows, at), at, at + 1)
    return merged


def listed(arrays: Any, call: str) -> tuple:
    """A list of tensors. Raises MissingOp where the rows of one stand for it."""
    if isinstance(arrays, Value):
        raise MissingOp(f"{call} needs to know how many tensors there are", hint=_HINT)
    return tuple(arrays)


def unstacked(x: Any, axis: int = 0) -> Any:
    """The rows along an axis as a tuple, open where it is not known how many there are."""
    if not isinstance(_seen.size_of(x, axis), int):
        return OpenRows(x if axis == 0 else ops.moveaxis(x, axis, 0))
    found = ops.unstack(x, axis=axis)
    return found if isinstance(found, tuple) else (found,)
