"""Calls that write their first argument in place: each gives the new value of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.lifting.words import known_dtype
from gfx_ir.lifting.written import castable, written
from gfx_ir.op import lookup
from gfx_ir.python_numbers import METHODS

from ._lift import as_array, expect, refuse


def _same_kind(base: DType, new: DType) -> bool:
    """NumPy's casting="same_kind"."""
    return base == new or np.can_cast(new.numpy, base.numpy, "same_kind")


def _kept(x: Any, new: Any, other: Any) -> Any:
    """What is written takes the dtype of the array, which beside a number it has anyhow, or NumPy raises."""
    new = written(x, new, _same_kind, other)
    before, after = known_dtype(x), known_dtype(new)
    if before is not None and after is not None:
        return new if before == after else ops.astype(new, before)
    alone = other is x or not (isinstance(other, Value) and other.is_tensor)
    return new if alone else ops.astype(new, before or ops.dtype_of(x))


def _inplace(name: str) -> Callable[[Any, Any], Any]:
    op = lookup(name)

    def lift(x: Any, other: Any) -> Any:
        other = as_array(other)
        return _kept(x, op(x, other), other)

    return lift


def _fill(x: Any, value: Any) -> Any:
    return ops.full_like(x, value)


def _sort(x: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    if order is not None:
        refuse("ndarray.sort of records", field=order)
    return ops.sort(x, axis=axis)


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    expect("np.copyto", "casting", casting, "same_kind", "unsafe")
    src = as_array(src)
    if casting == "same_kind":
        castable(dst, src, _same_kind)
    if where is True:
        return ops.index_put(dst, ..., src)
    return _kept(dst, ops.where(where, src, dst), src)


def _at(op: str, put: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
    def lift(a: Any, indices: Any, b: Any) -> Any:
        b = as_array(b)
        castable(a, lookup(op)(ops.getitem(a, indices), b), _same_kind, b)
        return put(a, indices, b)

    return lift


WRITES = {
    **{f"ndarray.__i{method}__": _inplace(name) for method, name in METHODS.items()},
    "ndarray.fill": _fill,
    "ndarray.sort": _sort,
    "np.copyto": _copyto,
    "np.add.at": _at("add", lambda a, indices, b: ops.index_put(a, indices, b, True)),
    "np.subtract.at": _at("subtract", lambda a, indices, b: ops.index_put(a, indices, ops.negative(b), True)),
    "np.multiply.at": _at("multiply", lambda a, indices, b: ops.index_combine(a, indices, b, "prod")),
    "np.maximum.at": _at("maximum", lambda a, indices, b: ops.index_combine(a, indices, b, "amax")),
    "np.minimum.at": _at("minimum", lambda a, indices, b: ops.index_combine(a, indices, b, "amin")),
}
