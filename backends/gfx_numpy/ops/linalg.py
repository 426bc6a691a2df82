"""Linear algebra: https://numpy.org/doc/stable/reference/routines.linalg.html."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.lifting.products import Products

from ._lift import NP, as_array, binary, rows, swapped


def _strong(x: Any) -> Any:
    """An argument as np.dot takes it: a Python number is an array of float64 or int64."""
    return ops.as_tensor(x) if isinstance(x, (bool, int, float, complex)) else as_array(x)


ROWS = rows(
    NP.table(Products(NP, _strong).table()),
    {
        "matmul": {
            "np.matmul np.linalg.matmul ndarray.__matmul__": binary(ops.matmul),
            "ndarray.__rmatmul__": swapped(ops.matmul, NP),
        },
    },
)
