"""Functions of NumPy that are no single op, and those that jax.numpy has alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from gfx_ir import ops
from gfx_ir.dtypes import complex64, complex128
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Value
from gfx_ir.lifting.arranging import Arranging
from gfx_ir.lifting.broadcasting import broadcast_shapes
from gfx_ir.lifting.calculus import Calculus
from gfx_ir.lifting.searching import Counting, Searching, accumulations, foldings
from gfx_ir.lifting.words import is_number, kind_of, known_dtype, unknown_dtype
from gfx_ir.lifting.writing import fill_diagonal, place, put, put_along_axis, putmask
from gfx_ir.lifting.written import castable

from .ops._lift import NP, as_array, ask_rank, expect, refuse


def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> Any:
    expect("np.fill_diagonal", "wrap", wrap, False)
    return fill_diagonal(a, as_array(val))


def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> Any:
    expect("np.put", "mode", mode, "raise")
    return put(a, as_array(ind), as_array(v))


def _place(arr: Any, mask: Any, vals: Any) -> Any:
    return place(arr, as_array(mask), as_array(vals))


def _putmask(a: Any, mask: Any, values: Any) -> Any:
    if isinstance(values, Value):
        castable(a, values, lambda base, new: np.can_cast(new.numpy, base.numpy, "safe"))
    return ops.masked_fill(a, mask, values) if is_number(values) else putmask(a, as_array(mask), as_array(values))


def _windows(x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False) -> Any:
    refuse("np.lib.stride_tricks.sliding_window_view", writeable=writeable or None)
    if not isinstance(window_shape, int) or (axis is None and ask_rank(x, "sliding_window_view without axis=") != 1):
        refuse("np.lib.stride_tricks.sliding_window_view along several axes", window_shape=window_shape)
    return ops.unfold(as_array(x), 0 if axis is None else axis, window_shape)


def _sort_partition(a: Any, kth: Any, axis: int = -1, kind: Any = None, order: Any = None) -> Any:
    refuse("ndarray.partition", field=order)
    return ops.sort(a, axis=axis)


def _sort_complex(a: Any) -> Any:
    kind, found = kind_of(a), known_dtype(a)
    if kind is None or found is None:
        raise unknown_dtype("np.sort_complex", "or sort it and cast")
    a = ops.sort(as_array(a))
    return a if kind == "c" else ops.astype(a, complex64 if kind in "iu" and found.bits <= 16 else complex128)


_LEADING = "drops the zeros that lead a polynomial, so that the shape of what it gives hangs on data"
_REFUSED = {
    "np.polymul": (_LEADING, "use np.convolve(a1, a2), which keeps them"),
    "np.polydiv np.roots": (_LEADING, "compute it outside of the captured function"),
    "np.trim_zeros": ("gives as many elements as data say", "slice between positions that are known"),
    "np.apply_along_axis np.apply_over_axes": ("calls a function on parts of an array", "give the function axis="),
}


def _refusing(name: str, why: str, hint: str) -> Callable[..., NoReturn]:
    def lift(*args: Any, **kwargs: Any) -> NoReturn:
        raise MissingOp(f"{name} {why}", hint=hint)

    return lift


_TABLES = (Searching(NP).table(), Counting(NP).table(), accumulations(NP), Arranging(NP).table())
LIFTS: dict[str, Callable[..., Any]] = {
    **{NP.names(short): fn for table in _TABLES for lifts in table.values() for short, fn in lifts.items()},
    "np.lib.stride_tricks.sliding_window_view": _windows,
    "np.sort_complex": _sort_complex,
    "np.broadcast_shapes": broadcast_shapes("np.broadcast_shapes", np.broadcast_shapes),
    **{name: _refusing(name, *why) for names, why in _REFUSED.items() for name in names.split()},
    **{NP.names(short): fn for short, fn in (Calculus(NP).table() | foldings(NP)).items()},
}
WRITES: dict[str, Callable[..., Any]] = {
    "np.fill_diagonal": _fill_diagonal,
    "np.put ndarray.put": _put,
    "np.put_along_axis": lambda arr, indices, values, axis: put_along_axis(arr, indices, as_array(values), axis),
    "np.place": _place,
    "np.putmask": _putmask,
    "ndarray.partition": _sort_partition,
    "ndarray.__setitem__": lambda a, index, value: ops.index_put(a, index, as_array(value)),
}
