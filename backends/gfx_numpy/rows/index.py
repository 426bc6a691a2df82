"""Reading by position; writes are the capture's own (`x[i] = v`) or stand in `writes`."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import host
from gfx_ir.dtypes import float64

from ._lift import as_array, ask_rank, element, expect, refuse


def _take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    refuse("np.take", out=out)
    expect("np.take", "mode", mode, "raise")
    return ops.take(as_array(a), as_array(indices), axis=axis)


def _take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        return ops.take_along_axis(ops.flatten(arr), indices, axis=0)
    return ops.take_along_axis(arr, indices, axis=axis)


def _diag(v: Any, k: int = 0) -> Any:
    v = as_array(v)
    if ask_rank(v, "np.diag") == 2:
        return ops.diagonal(v, offset=k)
    size = host("+", ops.size(v, 0), abs(k))
    rows = ops.expand_dims(ops.arange(size), 1)
    on = ops.equal(ops.add(rows, k), ops.arange(size))
    return ops.where(on, ops.pad(v, ((max(k, 0), max(-k, 0)),)), 0)


def _tri(N: Any, M: Any = None, k: int = 0, dtype: Any = float64, *, like: Any = None) -> Any:
    refuse("np.tri", like=like)
    return ops.tril(ops.ones((N, N if M is None else M), dtype=element(dtype) or float64), k=k)


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    refuse("np.searchsorted", sorter=sorter)
    return ops.searchsorted(as_array(a), as_array(v), side=side)


def _ix(*args: Any) -> Any:
    """np.ix_: vectors whose axes do not meet."""
    count = len(args)
    return tuple(
        ops.expand_dims(as_array(x), tuple(n for n in range(count) if n != at)) if count > 1 else as_array(x)
        for at, x in enumerate(args)
    )


ROWS = (
    Row("getitem", None, {"ndarray.__getitem__": ops.getitem, "np.ix_": _ix}),
    Row("take", None, {"np.take ndarray.take": _take}),
    Row("take_along_axis", None, {"np.take_along_axis": _take_along_axis}),
    Row("tril", None, {"np.tril": lambda m, k=0: ops.tril(as_array(m), k=k), "np.tri": _tri}),
    Row("triu", None, {"np.triu": lambda m, k=0: ops.triu(as_array(m), k=k)}),
    Row(
        "diagonal",
        None,
        {
            "np.diagonal ndarray.diagonal": lambda a, offset=0, axis1=0, axis2=1: ops.diagonal(a, offset, axis1, axis2),
            "np.diag": _diag,
        },
    ),
    Row(
        "searchsorted",
        None,
        {
            "np.searchsorted ndarray.searchsorted": _searchsorted,
            "np.digitize": lambda x, bins, right=False: ops.searchsorted(bins, x, side="left" if right else "right"),
        },
    ),
)
