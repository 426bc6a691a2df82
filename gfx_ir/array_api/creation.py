"""Functions of the standard that make arrays, or speak of dtypes, with a backend's own arrays.

They take the namespace first, then the arguments of the standard's signature by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import ops
from ..dtypes import DTYPES, DType
from ..trees import leaves, tree_map
from . import kinds
from .native import Native

Body = Callable[..., Any]


# ---------------------------------------------------------------- creation
def _asarray(xp: Native, obj: Any, dtype: DType | None, device: Any, copy: bool | None) -> Any:
    if xp.is_native(obj):
        if dtype is not None and dtype != xp.dtype_of(obj):
            if copy is False:
                raise ValueError(f"an array of {xp.dtype_of(obj)} does not become {dtype} without a copy")
            return xp.cast(obj, dtype)
        return ops.copy(obj) if copy else obj
    if copy is False:
        raise ValueError("numbers do not become an array without a copy")
    data = obj if hasattr(obj, "__array__") else _nested(xp, obj)
    host = np.array(data, dtype=None if dtype is None else dtype.numpy)
    known = dtype or (DTYPES.get(host.dtype.name) if hasattr(obj, "dtype") else _kind_default(xp, host, obj))
    if known is None:
        raise TypeError(f"the array API standard has no arrays of {host.dtype}")
    return xp.made(xp.backend.from_host(host.astype(known.numpy)), known)


def _nested(xp: Native, obj: Any) -> Any:
    return tree_map(lambda leaf: xp.backend.to_host(leaf) if xp.is_native(leaf) else leaf, obj)


def _kind_default(xp: Native, host: np.ndarray, obj: Any) -> DType | None:
    """The dtype that numbers take together: that of the arrays among them, else the default of their kind."""
    inside = [xp.dtype_of(leaf) for leaf in leaves(obj) if xp.is_native(leaf)]
    if inside:
        return kinds.promoted(inside, ())
    return xp.default(host.dtype.kind) if host.dtype.kind in "biufc" else None


def _arange(xp: Native, start: Any, stop: Any, step: Any, dtype: DType | None, device: Any) -> Any:
    start, stop = (0, start) if stop is None else (start, stop)
    whole = all(isinstance(number, int) for number in (start, stop, step))
    wanted = dtype or xp.default("i" if whole else "f")
    if (stop - start) * step <= 0:
        return ops.zeros((0,), dtype=wanted)
    return ops.arange(start, stop, step, dtype=wanted)


def _filled(name: str) -> Body:
    def body(xp: Native, shape: Any, dtype: DType | None, device: Any) -> Any:
        return getattr(ops, name)(as_shape(shape), dtype=dtype or xp.default("f"))

    return body


def _filled_like(name: str) -> Body:
    def body(xp: Native, x: Any, dtype: DType | None, device: Any) -> Any:
        return getattr(ops, name)(xp.shape_of(x), dtype=dtype or xp.dtype_of(x))

    return body


def _full(xp: Native, shape: Any, fill_value: Any, dtype: DType | None, device: Any) -> Any:
    return ops.full(as_shape(shape), fill_value, dtype=dtype or xp.default(kinds_of(fill_value)))


def _full_like(xp: Native, x: Any, fill_value: Any, dtype: DType | None, device: Any) -> Any:
    return ops.full(xp.shape_of(x), fill_value, dtype=dtype or xp.dtype_of(x))


def _eye(xp: Native, n_rows: int, n_cols: Any, k: int, dtype: DType | None, device: Any) -> Any:
    return ops.eye(n_rows, n_rows if n_cols is None else n_cols, k=k, dtype=dtype or xp.default("f"))


def _linspace(xp: Native, start: Any, stop: Any, num: int, dtype: DType | None, device: Any, endpoint: bool) -> Any:
    wanted = dtype or xp.default("c" if "c" in (kinds_of(start), kinds_of(stop)) else "f")
    return ops.linspace(start, stop, num, dtype=wanted, endpoint=endpoint)


def _frequencies(name: str) -> Body:
    def body(xp: Native, n: int, d: float, dtype: DType | None, device: Any) -> Any:
        wanted = dtype or xp.default("f")
        return xp.cast(getattr(ops, name)(n, d, dtype=wanted), wanted)

    return body


def _from_dlpack(xp: Native, x: Any, device: Any, copy: bool | None) -> Any:
    """Through the host, where it is no array of the backend's own."""
    return _asarray(xp, x if xp.is_native(x) else np.from_dlpack(x), None, device, copy)


def kinds_of(number: Any) -> str:
    """The kind of a Python number."""
    return (
        "b"
        if isinstance(number, bool)
        else "i"
        if isinstance(number, int)
        else "c"
        if isinstance(number, complex)
        else "f"
    )


def as_shape(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _meshgrid(xp: Native, arrays: Sequence[Any], indexing: str) -> list:
    if len({xp.dtype_of(x) for x in arrays}) > 1:
        raise ValueError("meshgrid takes arrays of one dtype")
    found = ops.meshgrid(tuple(arrays), indexing=indexing) if arrays else ()
    return list(found) if isinstance(found, (tuple, list)) else [found]


# ---------------------------------------------------------------- dtypes
def _astype(xp: Native, x: Any, dtype: DType, copy: bool, device: Any) -> Any:
    known = xp.dtype_of(x)
    if known.kind == "c" and dtype.kind not in "bc":
        raise TypeError(f"{known} does not become {dtype}: take its real part")
    if known == dtype:
        return ops.copy(x) if copy else x
    return xp.cast(x, dtype)


def _result_type(xp: Native, arrays_and_dtypes: Sequence[Any]) -> DType:
    numbers = [x for x in arrays_and_dtypes if isinstance(x, (bool, int, float, complex))]
    known = [
        x if isinstance(x, DType) else xp.dtype_of(x)
        for x in arrays_and_dtypes
        if isinstance(x, DType) or xp.is_native(x)
    ]
    return kinds.promoted(known, numbers)


def _limits(of: Callable[[DType], Any]) -> Body:
    return lambda xp, type: of(type if isinstance(type, DType) else xp.dtype_of(type))


def _can_cast(xp: Native, from_: Any, to: DType) -> bool:
    return kinds.casts(from_ if isinstance(from_, DType) else xp.dtype_of(from_), to)


CREATION: dict[str, Body] = {
    "asarray": _asarray,
    "arange": _arange,
    **{name: _filled(name) for name in ("zeros", "ones", "empty")},
    **{f"{name}_like": _filled_like(name) for name in ("zeros", "ones", "empty")},
    **{name: _frequencies(name) for name in ("fftfreq", "rfftfreq")},
    "full": _full,
    "full_like": _full_like,
    "eye": _eye,
    "linspace": _linspace,
    "from_dlpack": _from_dlpack,
    "astype": _astype,
    "result_type": _result_type,
    "can_cast": _can_cast,
    "finfo": _limits(kinds.finfo),
    "iinfo": _limits(kinds.iinfo),
    "isdtype": lambda xp, dtype, kind: kinds.is_kind(dtype, kind),
    "meshgrid": _meshgrid,
}
