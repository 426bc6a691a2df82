"""In-place writes: what an array can hold of what is written to it. Frameworks raise for the rest, and so does the capture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import host
from ..dtypes import DType
from ..errors import ShapeError
from ..graph import Value
from ..op import active

Holds = Callable[[DType, DType], bool]
"""Whether an array of the first dtype can be written with what has the second."""


def check_written(base: Any, new: Any, holds: Holds) -> None:
    """Raise ShapeError where it is known that an array cannot hold what an in-place operation makes of it: the result has a
    shape of its own, or a dtype that the array's cannot hold."""
    told = getattr(active.builder, "told_type", None)
    if told is None or not all(isinstance(x, Value) and x.is_tensor for x in (base, new)):
        return
    old, made = told(base), told(new)
    if old.dtype is not None and made.dtype is not None and not holds(old.dtype, made.dtype):
        what = f"GFX cannot convert this write in place: an array of {old.dtype} cannot hold {made.dtype}, which is the result"
        raise ShapeError(what, hint="make a new array (x = x + y), or convert first what is added to it")
    if old.dims is None or made.dims is None:
        return
    if len(old.dims) != len(made.dims) or any(host.same(a, b) is False for a, b in zip(old.dims, made.dims)):
        shapes = " and ".join(f"({', '.join(map(str, dims))})" for dims in (old.dims, made.dims))
        what = f"GFX cannot convert this write in place: the array and the result have the shapes {shapes}"
        raise ShapeError(what, hint="make a new array: x = x + y")
