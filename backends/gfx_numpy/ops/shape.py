"""Arranging elements anew, and questions about shapes."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.lifting.shapes import Shapes
from gfx_ir.ops import _seen

from ._lift import NP, as_array, expect, rows


def _reshape(a: Any, /, shape: Any, order: str = "C", *, copy: Any = None) -> Any:
    expect("np.reshape", "order", order, "C")
    expect("np.reshape", "copy", copy, None)
    return ops.reshape(as_array(a), shape)


def _reshape_method(x: Any, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    return _reshape(x, shape[0] if len(shape) == 1 else shape, order, copy=copy)


def _ravel(a: Any, order: str = "C") -> Any:
    expect("np.ravel", "order", order, "C")
    return ops.flatten(as_array(a))


ROWS = rows(
    NP.table(Shapes(NP).table()),
    {
        "reshape": {"np.reshape": _reshape, "ndarray.reshape": _reshape_method},
        "flatten": {"np.ravel ndarray.ravel ndarray.flatten": _ravel},
    },
) + (Row("diag_embed", lambda a: "np.diag(x, k=offset)" if _seen.is_diag(a) else ""),)
