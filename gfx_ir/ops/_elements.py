"""The dtype of an argument, for bodies that differ by it: of a Value, a type, NumPy data or a framework's array."""

from __future__ import annotations

from typing import Any

from ..dtypes import DType, dtype
from . import _seen


def element_of(x: Any) -> DType | None:
    """Its dtype where it is known."""
    known = _seen.dtype(x)
    given = getattr(x, "dtype", None)
    return dtype(given) if known is None and given is not None else known
