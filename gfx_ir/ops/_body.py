"""What the bodies of composite ops are written with beside ops."""

from __future__ import annotations

from typing import Any

from ..dtypes import DType, dtype
from ..graph import Value
from . import _seen


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
