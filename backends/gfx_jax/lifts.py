"""Functions of jax.numpy that are no single op, and those that NumPy has alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from gfx_ir.lifting.arranging import Arranging
from gfx_ir.lifting.broadcasting import broadcast_shapes
from gfx_ir.lifting.calculus import Calculus
from gfx_ir.lifting.searching import Counting, Searching, accumulations, foldings
from gfx_ir.lifting.writing import fill_diagonal, place, put, put_along_axis

from .dtype_queries import QUERIES
from .ops._lift import JNP, refuse


def _fill_diagonal(a: Any, val: Any, wrap: bool = False, *, inplace: bool = True) -> Any:
    refuse("jnp.fill_diagonal", wrap=wrap or None, inplace=inplace or None)
    return fill_diagonal(a, val)


def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any, inplace: bool = True, *, mode: Any = None) -> Any:
    refuse("jnp.put_along_axis", inplace=inplace or None, mode=mode)
    return put_along_axis(arr, indices, values, axis)


def _put(a: Any, ind: Any, v: Any, mode: Any = None, *, inplace: bool = True) -> Any:
    refuse("jnp.put", mode=mode, inplace=inplace or None)
    return put(a, ind, v)


def _place(arr: Any, mask: Any, vals: Any, *, inplace: bool = True) -> Any:
    refuse("jnp.place", inplace=inplace or None)
    return place(arr, mask, vals)


_TABLES = (Searching(JNP).table(), Counting(JNP).table(), accumulations(JNP), Arranging(JNP).table())
LIFTS: dict[str, Callable[..., Any]] = {
    **{JNP.names(short): fn for table in _TABLES for lifts in table.values() for short, fn in lifts.items()},
    **{JNP.names(short): fn for short, fn in (Calculus(JNP).table() | foldings(JNP)).items()},
    **QUERIES,
    "jnp.fill_diagonal": _fill_diagonal,
    "jnp.put_along_axis": _put_along_axis,
    "jnp.put": _put,
    "jnp.place": _place,
    "jnp.broadcast_shapes": broadcast_shapes("jnp.broadcast_shapes", jnp.broadcast_shapes),
    "lax.broadcast_shapes": broadcast_shapes("lax.broadcast_shapes", jax.lax.broadcast_shapes),
}
