"""What the bodies of composite ops are written with beside ops."""

from __future__ import annotations

from typing import Any

from ..dtypes import DType, dtype, float32
from ..graph import Value
from . import _seen
from ._catalogue import ops


def named(name: str, x: Any) -> Any:
    """x, called so where it stands in a graph: the variable of that name in the source printed of a body."""
    if type(x) is Value and x.name is None:
        x.name = name
    return x


def element_of(x: Any) -> DType | None:
    """The dtype of an argument where it is known: a Value, a type, NumPy data or a framework's array."""
    known = _seen.dtype(x)
    given = getattr(x, "dtype", None)
    return dtype(given) if known is None and given is not None else known


def scaled(x: Any, factor: Any) -> Any:
    """x * factor of floats: x where the factor is 1."""
    return x if factor == 1 else ops.multiply(x, factor)


def narrow(x: Any) -> bool:
    """Whether x is known to be of a floating dtype with fewer bits than float32."""
    element = element_of(x)
    return element is not None and element.kind == "f" and element.bits < float32.bits


def widened(x: Any) -> Any:
    """x, as float32 where it is known to have fewer bits."""
    return ops.astype(x, float32) if narrow(x) else x


def as_wide_as(x: Any, out: Any) -> Any:
    """What was computed of `widened(x)`, in the dtype of x."""
    return ops.astype(out, element_of(x)) if narrow(x) else out
