"""Reading by position; writes are the capture's own (`x[i] = v`) or stand in `writes`."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import float64
from gfx_ir.lifting.shapes import positions

from ._lift import NP, as_array, element, expect, refuse, rows


def _take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    refuse("np.take", out=out)
    expect("np.take", "mode", mode, "raise")
    return ops.take(as_array(a), as_array(indices), axis=axis)


def _take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        return ops.take_along_axis(ops.flatten(arr), indices, axis=0)
    return ops.take_along_axis(arr, indices, axis=axis)


def _tri(N: Any, M: Any = None, k: int = 0, dtype: Any = float64, *, like: Any = None) -> Any:
    refuse("np.tri", like=like)
    return ops.tril(ops.ones((N, N if M is None else M), dtype=element(dtype) or float64), k=k)


ROWS = rows(
    NP.table(positions(NP)),
    {
        "getitem": {"ndarray.__getitem__": ops.getitem},
        "take": {"np.take ndarray.take": _take},
        "take_along_axis": {"np.take_along_axis": _take_along_axis},
        "tril": {"np.tri": _tri},
    },
)
