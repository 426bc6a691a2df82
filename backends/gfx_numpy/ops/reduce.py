"""Over axes: sums, extrema, statistics, sorting."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import dtype_of
from gfx_ir.lifting.reductions import Reductions
from gfx_ir.ops._body import narrow

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
    known = dtype_of(a)
    if known is not None and known.kind in "biu":  # which are all numbers
        return _REDUCTIONS.mean(a, axis, dtype, out, keepdims)
    total = _REDUCTIONS.nansum(a, axis, dtype, out, keepdims)
    count = ops.sum(ops.logical_not(ops.isnan(a)), axis=axis, keepdims=keepdims)
    return ops.divide(total, ops.astype(count, dtype_of(total) or ops.dtype_of(total)))


def _norm(args: SimpleNamespace) -> str:
    """Of whole numbers it is one of floats; narrow floats are summed up in wider ones, as the body of the op does it."""
    if narrow(args.x):
        return ""
    several = isinstance(args.axis, (tuple, list)) and len(args.axis) > 1
    if isinstance(args.ord, (int, float)) and args.ord == 2 and not several:
        return "np.linalg.norm(x, axis=axis, keepdims=keepdims)"
    return "np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)"


_LIFTS = NP.table(_REDUCTIONS.table())
ROWS = (
    Row("vector_norm", _norm, _LIFTS.pop("vector_norm")),
    *rows(
        _LIFTS,
        {
            "mean": {"np.nanmean": _nanmean},
            "sort": {"np.sort": _sort},
            "argsort": {"np.argsort ndarray.argsort": _argsort},
        },
    ),
)
