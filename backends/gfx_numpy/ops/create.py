"""Making arrays from sizes and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.defaults import dtype_for, number_kind
from gfx_ir.dtypes import DTYPES, DType, float64
from gfx_ir.graph import Value
from gfx_ir.lifting.creation import Grids, limits
from gfx_ir.lifting.words import known_dtype, rank
from gfx_ir.op import lookup

from ._lift import NP, as_array, element, expect, kind_of, refuse, rows, tensor


def _filled(name: str) -> Any:
    op = lookup(name)

    def lift(shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None) -> Any:
        refuse(f"np.{name}", order=order, like=like)
        return op(shape, dtype=element(dtype) or float64)

    return lift


def _full(
    shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Any:
    refuse("np.full", order=order, like=like)
    return ops.full(shape, fill_value, dtype=element(dtype) or dtype_for(fill_value, "numpy"))


def _like(name: str) -> Any:
    op, shaped = lookup(f"{name}_like"), lookup(name)

    def lift(
        a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
    ) -> Any:
        a = as_array(a)
        if shape is not None:
            return shaped(shape, dtype=ops.dtype_of(a) if dtype is None else element(dtype))
        return op(a, dtype=element(dtype))

    return lift


def _full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *,
    device: Any = None,
) -> Any:  # fmt: skip
    a = as_array(a)
    if shape is not None:
        return ops.full(shape, fill_value, dtype=ops.dtype_of(a) if dtype is None else element(dtype))
    return ops.full_like(a, fill_value, dtype=element(dtype))


def _array(
    object: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K", subok: bool = False, ndmin: int = 0,
    like: Any = None,
) -> Any:  # fmt: skip
    refuse("np.array", order=order, like=like)
    expect("np.array", "ndmin", ndmin, 0)
    return _made(object, element(dtype), copy, order)


def _asarray(
    a: Any, dtype: Any = None, order: Any = None, *, device: Any = None, copy: Any = None, like: Any = None
) -> Any:
    refuse("np.asarray", order=order, like=like)
    return _made(a, element(dtype), copy, order)


def shares(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, **options: Any) -> bool | str:
    """Whether np.asarray and its like copy an array (see Lift.copies)."""
    wanted = element(dtype)
    if copy is True or not (isinstance(a, Value) and a.is_tensor):
        return True
    known = known_dtype(a)
    if wanted is not None and (known is None or not isinstance(wanted, DType)):
        return "maybe"
    return True if wanted is not None and wanted != known else "maybe" if order == "C" else False


SHARES = {
    "np.asarray": shares,
    "np.array": lambda object, dtype=None, *, copy=True, order="K", **rest: shares(object, dtype, order, copy=copy),
    "np.ascontiguousarray": lambda a, dtype=None, **rest: shares(a, dtype, "C"),
    "ndarray.astype": lambda x, dtype, order="K", casting="unsafe", subok=True, copy=True: shares(x, dtype, copy=copy),
    "ndarray.conj": lambda x: {None: "maybe", "c": True}.get(kind_of(x), False),
    "np.diag": lambda v, k=0: "maybe" if rank(v) is None else False,  # of a matrix it is a view
    "np.meshgrid": lambda *xi, copy=True, **rest: True if copy else "maybe",
    "np.astype": lambda x, dtype, /, *, copy=True, device=None: shares(x, dtype, copy=copy),
}


def _made(x: Any, dtype: Any, copy: Any, order: Any) -> Any:
    """An array of x: a copy, x itself, or (`as_tensor`) what is decided by dtypes and strides that are not known."""
    if not (isinstance(x, Value) and x.is_tensor):
        return tensor(x, dtype)
    if copy is True:
        return ops.copy(x) if dtype is None else ops.astype(x, dtype)
    made = tensor(x, dtype)
    return ops.as_tensor(x) if made is x and order == "C" and copy is None else made


def _scalar_class(dtype: Any) -> Any:
    """`np.float32(x)`: a number of that dtype, which no one writes, or an array."""

    def made(x: Any = 0, /) -> Any:
        if isinstance(x, Value) and x.is_tensor:
            return ops.astype(x, dtype)
        return ops.constant(x, dtype) if isinstance(x, (bool, int, float, complex)) else tensor(x, dtype)

    return made


def _arange(*args: Any, start: Any = 0, stop: Any = None, step: Any = 1, dtype: Any = None, **options: Any) -> Any:
    refuse("np.arange", **options)
    given = list(args)
    if len(given) == 4:
        dtype = given.pop()
    if len(given) == 1 and stop is None:
        given.insert(0, start)
    start, stop, step = (*given, *(start, stop, step)[len(given) :])
    dtype = element(dtype) or dtype_for((start, stop, step), "numpy")
    if isinstance(start, int) and start == 0 and isinstance(step, int) and step == 1:
        return ops.arange(stop, dtype=dtype)
    return ops.arange(start, stop, step, dtype=dtype)


def _linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    expect("np.linspace", "retstep", retstep, False)
    start, stop = as_array(start), as_array(stop)
    whole = all(kind_of(end) in ("b", "i", "u") for end in (start, stop))
    wanted = element(dtype) or (float64 if whole or number_kind((start, stop)) is not None else None)
    found = ops.linspace(start, stop, num, dtype=wanted, endpoint=endpoint)
    return found if type(axis) is int and axis == 0 else ops.moveaxis(found, 0, axis)


def _eye(
    N: Any, M: Any = None, k: Any = 0, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Any:
    refuse("np.eye", order=order, like=like)
    return ops.eye(N, M, k=k, dtype=element(dtype) or float64)


_CLASSES = {
    f"np.{name}{'_' if name == 'bool' else ''}": _scalar_class(dtype)
    for name, dtype in DTYPES.items()
    if not name.startswith(("float8", "bfloat"))
}

ROWS = (
    Row(
        "as_tensor",
        None,
        {
            "np.asarray": _asarray,
            "np.array": _array,
            "np.ascontiguousarray": lambda a, dtype=None, *, like=None: _asarray(a, dtype, "C", like=like),
            **_CLASSES,
        },
    ),
    Row("full", None, {"np.full": _full}),
    Row("zeros", None, {"np.zeros": _filled("zeros")}),
    Row("ones", None, {"np.ones": _filled("ones")}),
    Row("empty", None, {"np.empty": _filled("empty")}),
    Row("full_like", None, {"np.full_like": _full_like}),
    Row("zeros_like", None, {"np.zeros_like np.empty_like": _like("zeros")}),
    Row("ones_like", None, {"np.ones_like": _like("ones")}),
    Row("arange", None, {"np.arange": _arange}),
    Row("linspace", None, {"np.linspace": _linspace}),
    Row(
        "eye",
        None,
        {"np.eye": _eye, "np.identity": lambda n, dtype=None, *, like=None: _eye(n, dtype=dtype, like=like)},
    ),
    *rows(NP.table(Grids(NP).table())),
    Row("finfo", None, {"np.finfo": limits("finfo", np.finfo)}),
    Row("iinfo", None, {"np.iinfo": limits("iinfo", np.iinfo)}),
)
