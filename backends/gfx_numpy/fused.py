"""Fused chains: elementwise ufuncs that one loop computes, compiled by Numba (the extra `numba`)."""

from __future__ import annotations

import importlib
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gfx_ir.errors import DeviceError

from .links import where

Loop = Callable[..., None]
"""Takes the operands, each in one dimension, then the arrays for the results."""


class Fuser:
    """Compiles loops, each once. Safe to share between threads. Raises DeviceError where Numba is not installed."""

    def __init__(self) -> None:
        try:
            self.numba: Any = importlib.import_module("numba")
        except ImportError as error:
            hint = 'pip install "gfx-trace[numba]", or run on "numpy"'
            raise DeviceError("chains are fused by Numba, which is not installed", hint=hint) from error
        self._made: dict[tuple, Loop | None] = {}
        self._lock = threading.Lock()

    def loop(self, text: str, taken: Sequence[np.dtype], given: Sequence[np.dtype]) -> Loop | None:
        """The function of that text for arrays of these dtypes; None where Numba cannot compile it."""
        key = text, tuple(taken), tuple(given)
        with self._lock:
            if key not in self._made:
                self._made[key] = self._compiled(*key)
            return self._made[key]

    def _compiled(self, text: str, taken: Sequence[np.dtype], given: Sequence[np.dtype]) -> Loop | None:
        numba, names = self.numba, {"np": np}
        exec(compile(text, "<fused chain>", "exec"), names)
        array = numba.types.Array
        try:
            reads = [array(numba.from_dtype(dtype), 1, "C", readonly=True) for dtype in taken]
            writes = [array(numba.from_dtype(dtype), 1, "C") for dtype in given]
            made = numba.njit(numba.void(*reads, *writes), error_model="numpy", nogil=True)(names["fused"])
        except numba.core.errors.NumbaError:
            return None
        return made  # type: ignore[no-any-return]


def term(function: Callable[..., Any], operands: Sequence[str], kinds: Sequence[Any], gives: np.dtype) -> str | None:
    """A call on elements, each cast to what NumPy's own loop for these kinds takes; None for what is not NumPy's own."""
    if function is where:
        first, then, otherwise = operands
        return f"{_cast(then, gives)} if {first} else {_cast(otherwise, gives)}"
    name = getattr(function, "__name__", "")
    if not isinstance(function, np.ufunc) or getattr(np, name, None) is not function:
        return None
    taken = function.resolve_dtypes((*kinds, None))[:-1]
    return _cast(f"np.{name}({', '.join(map(_cast, operands, taken))})", gives)


def constant(x: float) -> str:
    """A number of Python's, as it is written."""
    return repr(x) if math.isfinite(x) else f"np.{abs(x)!r}" if x != -math.inf else "-np.inf"


def _cast(operand: str, dtype: np.dtype) -> str:
    return f"np.{'bool_' if dtype.kind == 'b' else dtype.name}({operand})"
