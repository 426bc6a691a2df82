"""Which dtypes NumPy's functions take: its ufuncs tell themselves, the others by a row for those that take the same."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.build import assumptions, require_kinds
from gfx_ir.dtypes import DType
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.lifting.words import as_dtype, kind_of, known_dtype
from gfx_ir.types import LogicalTensor

_ROWS = (
    (
        0,
        "buif",
        "np.fix np.isneginf np.isposinf np.digitize np.i0 np.unwrap np.fft.rfft np.fft.rfft2 np.fft.rfftn np.fft.ihfft",
    ),
    (0, "uif", "np.quantile np.percentile np.nanquantile np.nanpercentile"),
    (0, "uifc", "np.ptp np.gradient np.ediff1d"),
    (0, "fc", "np.reciprocal"),  # NumPy's own of whole numbers is one of these
    (1, "ui", "np.partition np.argpartition"),
    (1, "bui", "np.delete"),
)
"""Of which kinds functions take an argument, by its place, where that is not every kind; ufuncs are asked, these apart."""
_KINDS = {name: (at, kinds) for at, kinds, names in _ROWS for name in names.split()}
_WEAK = {"int": int, "float": float, "bool": np.dtype(bool)}
_READ = {"i": int, "f": float, "c": complex, "b": np.dtype(bool)}
_PLAIN = {int: int, float: float, complex: complex, bool: np.dtype(bool)}


def refusing(fn: Callable[..., Any], name: str, target: Any) -> Callable[..., Any]:
    """The lift `fn` of a function, which refuses arrays of dtypes that the function does not take."""
    if name not in _KINDS:
        return _asking(fn, name, target) if isinstance(target, np.ufunc) else fn
    at, kinds = _KINDS[name]

    @functools.wraps(fn)
    def lift(*args: Any, **kwargs: Any) -> Any:
        _check(name, args[at : at + 1], kinds)
        return fn(*args, **kwargs)

    return lift


def _check(name: str, given: tuple, kinds: str) -> None:
    """Refuse what is known to be of other kinds. Where that is open, whole numbers and floats are told apart by a guard."""
    known = [kind_of(x) for x in given]
    if known and known[0] is not None:
        require_kinds(name, known[0], kinds)
    elif known and not {"i", "f"} <= set(kinds):
        assumed = assumptions()
        found = [x for x in given if isinstance(x, Value) and x.is_tensor]
        if assumed is not None and found:
            assumed.kinds(name, found, kinds)


def _asking(fn: Callable[..., Any], name: str, ufunc: np.ufunc) -> Callable[..., Any]:
    """The lift of a ufunc, which tells which dtypes it takes, and which it gives."""

    @functools.wraps(fn)
    def lift(*args: Any, **kwargs: Any) -> Any:
        given = tuple(map(_given, args))
        told = not kwargs and len(given) == ufunc.nin and all(x is not None for x in given)  # None equals a dtype
        made = _resolved(ufunc, given) if told else None
        if isinstance(made, str):
            raise UnsupportedConstruct(f"{name}: {made}", hint="cast what it gets first: x.astype(dtype)")
        found = fn(*args, **kwargs)
        return _cast(found, made[0]) if made and ufunc.nout == 1 else found

    return lift


def _cast(found: Any, made: np.dtype) -> Any:
    """What ops give, in the dtype that the ufunc gives: several ops may be of a wider one."""
    known = known_dtype(found)
    dtype = as_dtype(made, lambda python: None)
    return found if known is None or dtype is None or known == dtype else ops.astype(found, dtype)


def _given(x: Any) -> Any:
    """What a ufunc is told of an argument: its dtype, or the class of a number of Python's; None where that is open."""
    if type(x) is not Value:
        return _PLAIN.get(type(x), getattr(x, "dtype", None))
    if not x.is_tensor:
        return _WEAK.get(x.kind)
    found = known_dtype(x)
    if isinstance(x.type, LogicalTensor) and x.type.weak and found is not None:  # a number that was read from an array
        return _READ.get(found.kind)
    return found.numpy if isinstance(found, DType) else None


@functools.lru_cache(maxsize=1024)
def _resolved(ufunc: np.ufunc, given: tuple) -> tuple | str:
    """The dtypes that a ufunc gives of arguments of these; where it does not take them, what it says."""
    try:
        return ufunc.resolve_dtypes((*given, *[None] * ufunc.nout))[ufunc.nin :]
    except TypeError as error:
        return str(error).partition("\n")[0]
