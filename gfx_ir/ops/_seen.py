"""What a spelling or a rule of kinds can see of an argument: data when an op is run, a Value when it is recorded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import dtypes
from ..dtypes import DType
from ..errors import OpenShape
from ..host import DimLike
from ..types import LogicalTensor


def type_of(x: Any) -> LogicalTensor:
    """The type of an argument as far as it is known."""
    if isinstance(x, LogicalTensor):
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return LogicalTensor(dtypes.dtype(x.dtype), tuple(x.shape))
    if isinstance(x, (bool, int, float, complex)):
        return LogicalTensor(dims=(), weak=True)
    kind = getattr(x, "type", None)
    if isinstance(kind, LogicalTensor):
        return kind
    shape = getattr(x, "shape", None)
    return LogicalTensor(dims=None if shape is None else tuple(shape))


def is_plain(x: Any) -> bool:
    """Whether x is (or may turn out to be) a Python scalar, which has no methods of an array."""
    return type_of(x).weak or getattr(x, "kind", "tensor") not in ("tensor", "optional")


def rank(x: Any) -> int | None:
    """Its rank where known."""
    return type_of(x).rank


def dtype(x: Any) -> DType | None:
    """Its dtype where known."""
    return type_of(x).dtype


def length(x: Any, axis: int, why: str) -> int:
    """The size of an axis that must be a known number. Raises OpenShape(why) where it is not."""
    size = size_of(x, axis)
    if not isinstance(size, int):
        raise OpenShape(why)
    return size


def size_of(x: Any, axis: int) -> DimLike | None:
    """The size of an axis where known."""
    dims = type_of(x).dims
    if dims is None or not isinstance(axis, int) or not -len(dims) <= axis < len(dims):
        return None
    return dims[axis]


def extended(x: Any) -> DType | None:
    """Its dtype where that is one which NumPy has from an extension, as bfloat16; else None."""
    found = dtype(x)
    return found if found is not None and found.numpy.isbuiltin != 1 else None


def is_diag(args: SimpleNamespace) -> bool:
    """Whether diagonals that are embedded are one vector, which becomes a matrix."""
    return rank(args.x) == 1 and (args.axis1, args.axis2) == (-2, -1)
