"""In-place writes: what an array can hold of what is written to it. Frameworks raise for the rest, and so does the capture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import host, ops
from ..build import assumptions
from ..dtypes import DTYPES, DType, int64
from ..errors import ShapeError
from ..graph import Value
from ..op import active, lookup

_UNSIGNED = DTYPES["uint8"]
Holds = Callable[[DType, DType], bool]
"""Whether an array of the first dtype can be written with what has the second."""


def written(base: Any, new: Any, holds: Holds, other: Any = None, marked: bool = False) -> Any:
    """What an in-place operation leaves of `new` in an array. It has the array's shape, and a dtype that the array can hold:
    ShapeError where it is known that it has not; where a dtype is open, what arguments have to hold for it is a guard.

    `other`: what the array is computed with, where that is one thing. `marked`: a node that was written over the array has its
    shape, or what runs it raises; of others it is said here.
    """
    if not castable(base, new, holds, other):
        return new
    builder = active.builder
    before = builder.castable.sources.own_dims(base)
    after = builder.told_dims(new) if before is not None else None
    alike = _alike(before, after)
    if alike is False and before is not None and after is not None:
        shapes = " and ".join(f"({', '.join(map(str, dims))})" for dims in (before, after))
        what = f"GFX cannot convert this write in place: the array and the result have the shapes {shapes}"
        raise ShapeError(what, hint="make a new array: x = x + y")
    if builder.castable.outranks(new, base):
        what = "GFX cannot convert this write in place: the result has more axes than the array"
        raise ShapeError(what, hint="make a new array: x = x + y")
    single = (
        after is None and before is not None and all(size == 1 for size in before)
    )  # it would be broadcast to what is written
    noted = marked and new.node.args[:1] == (base,)
    if single or (alike is None and not noted and not builder.castable.fits(new, base)):
        return ops.broadcast_to(new, lookup("shape")(base))
    return new


def may_widen(base: Any, new: Any) -> bool:
    """Whether a result has another dtype than the array that it is written to, of whichever floats the arguments are."""
    builder = active.builder
    if assumptions() is None or not all(isinstance(x, Value) and x.is_tensor for x in (base, new)):
        return False
    if all(arg is base or type(arg) is not Value or not arg.is_tensor for arg in new.node.args):
        return False
    return bool(builder.castable.sources.may_widen(base, new))


def castable(base: Any, new: Any, holds: Holds, other: Any = None) -> bool:
    """Check that an array can hold what is written to it, or take it as given. False where it is not written under capture."""
    builder = active.builder
    if assumptions() is None or not all(isinstance(x, Value) and x.is_tensor for x in (base, new)):
        return False
    made = builder.told_dtype(new)
    old = builder.told_dtype(base) if made is not None else None
    if old is not None and made is not None:
        _check_dtypes(old, made, holds)
    else:
        beside = other if isinstance(other, Value) and other.is_tensor else None
        builder.castable.require(base, new, beside, not holds(_UNSIGNED, int64))
    return True


def _check_dtypes(old: DType, made: DType, holds: Holds) -> None:
    if not holds(old, made):
        what = f"GFX cannot convert this write in place: an array of {old} cannot hold {made}, which is the result"
        raise ShapeError(what, hint="make a new array (x = x + y), or convert first what is added to it")


def _alike(old: tuple | None, made: tuple | None) -> bool | None:
    """Whether two shapes are the same; None where that is open."""
    if old is None or made is None:
        return None
    same = [host.same(a, b) for a, b in zip(old, made)]
    if len(old) != len(made) or False in same:
        return False
    return None if None in same else True
