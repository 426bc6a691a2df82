"""Element by element: https://numpy.org/doc/stable/reference/ufuncs.html."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.lifting.elements import Elements, functions

from ._lift import NP, as_array, element, expect, refuse, rows, tensor, unary


def _clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None, **options: Any
) -> Any:
    refuse("np.clip", out=out, **options)
    return ops.clip(as_array(a), as_array(min if a_min is None else a_min), as_array(max if a_max is None else a_max))


def _clip_method(x: Any, min: Any = None, max: Any = None, out: Any = None, **options: Any) -> Any:
    return _clip(x, min, max, out, **options)


def _astype_method(
    x: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    expect("ndarray.astype", "casting", casting, "unsafe", "same_kind")
    return _astype(x, dtype, copy=copy)


def _astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """A copy, unless copy=False is given and x has the dtype already."""
    expect("np.astype", "copy", copy, True, False)
    return ops.astype(x, element(dtype)) if copy else tensor(x, element(dtype))


ROWS = rows(
    NP.table(functions(NP), Elements(NP).table()),
    {
        "trunc": {"np.fix": unary(ops.trunc)},
        "clip": {"np.clip": _clip, "ndarray.clip": _clip_method},
        "astype": {
            "ndarray.astype": _astype_method,
            "np.astype": _astype,
        },
        "copy": {"np.copy ndarray.copy": lambda a, order="C", subok=False: ops.copy(as_array(a))},
    },
)
