"""The bits of numbers."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import DTYPES

from ._lift import as_array, element, refuse, rows


def _view(x: Any, dtype: Any = None, type: Any = None) -> Any:
    refuse("ndarray.view", type=type)
    return ops.getitem(x, ...) if dtype is None else ops.bitcast(x, element(dtype))


def _bitwise_count(x: Any, /, **options: Any) -> Any:
    """np.bitwise_count: of the size of a number, whatever its sign."""
    refuse("np.bitwise_count", **options)
    return ops.astype(ops.population_count(ops.abs(as_array(x))), DTYPES["uint8"])


ROWS = rows(
    {"bitcast": {"ndarray.view": _view}, "population_count": {"np.bitwise_count": _bitwise_count}},
)
