"""What the lifts of all families share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.defaults import dtype_for
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.lifting import (
    Dialect,
    Lifted,
    ask_rank,
    element,
    expect,
    kind_of,
    rank,
    swapped,
    words,
)
from gfx_ir.lifting.creation import joined
from gfx_ir.lifting.words import known_dtype
from gfx_ir.op import OpDef

# The values of options that say nothing (None for those not named).
_SILENT = {
    "where": (True, None), "casting": ("same_kind", "unsafe"), "order": ("K", "C", None), "subok": (True, False),
    "device": (None, "cpu"), "copy": (True, None), "keepdims": (False, None), "norm": (None, "backward"),
}  # fmt: skip


def tensor(x: Any, dtype: Any = None) -> Any:
    """What np.asarray makes of x: an array as it is, a list of numbers or arrays joined into one.

    Of an array with a dtype the result is the array itself where it has that dtype, else a copy. Where this is not
    known it is `as_tensor`, which does the same when it runs.
    """
    if isinstance(x, Value) and x.is_tensor:
        known = known_dtype(x) if isinstance(dtype, DType) else None
        if dtype is None or known == dtype:
            return x
        return ops.as_tensor(x, dtype=dtype) if known is None else ops.astype(x, dtype)
    if isinstance(x, (list, tuple)):
        return joined(x, "numpy", dtype)
    return ops.as_tensor(x, dtype=dtype or dtype_for(x, "numpy"))


def as_array(x: Any) -> Any:
    """An argument that may be a list in place of an array; arrays and numbers stay as they are."""
    return tensor(tuple(x) if isinstance(x, range) else x) if isinstance(x, (list, tuple, range)) else x


NP = Dialect("np", "ndarray", as_array, _SILENT, tuple, "numpy")
refuse = NP.refuse


def unary(op: OpDef) -> Lifted:
    """The lift of a ufunc of one array."""
    return words.unary(op, NP)


def binary(op: OpDef) -> Lifted:
    """The lift of a ufunc of two arrays."""
    return words.binary(op, NP)


Lifts = Mapping[str, Mapping[str, Lifted]]


def rows(same: Lifts, own: Lifts | None = None) -> tuple[Row, ...]:
    """Rows of what NumPy shares with others, and of its own: ops are spelled as their references have them."""
    own = own or {}
    return tuple(Row(op, None, {**same.get(op, {}), **own.get(op, {})}) for op in dict.fromkeys((*same, *own)))


__all__ = [
    "NP", "as_array", "ask_rank", "binary", "element", "expect", "kind_of", "rank", "refuse", "rows", "swapped",
    "tensor", "unary",
]  # fmt: skip
