"""Over axes: sums, extrema, statistics, sorting."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.build import dtype_of
from gfx_ir.lifting.reductions import Reductions

from ._lift import NP, as_array, refuse, rows

_REDUCTIONS = Reductions(NP)


def _sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    if order is not None:
        refuse("np.sort of records", field=order)
    x, axis = (ops.flatten(as_array(a)), -1) if axis is None else (as_array(a), axis)
    return ops.sort(x, axis=axis)


def _argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    if order is not None:
        refuse("np.argsort of records", field=order)
    x, axis = (ops.flatten(as_array(a)), -1) if axis is None else (as_array(a), axis)
    return ops.argsort(x, axis=axis, stable=bool(stable) or kind in ("stable", "mergesort"))


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    total = _REDUCTIONS.nansum(a, axis, dtype, out, keepdims)
    count = ops.sum(ops.logical_not(ops.isnan(a)), axis=axis, keepdims=keepdims)
    return ops.divide(total, ops.astype(count, dtype_of(total) or ops.dtype_of(total)))


ROWS = rows(
    NP.table(_REDUCTIONS.table()),
    {
        "mean": {"np.nanmean": _nanmean},
        "sort": {"np.sort": _sort},
        "argsort": {"np.argsort ndarray.argsort": _argsort},
    },
)
