"""Calls of NumPy that no op stands for: which a graph may hold, and what they give."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gfx_ir.public import Unheld

PUBLIC = ("numpy", "numpy.linalg", "numpy.fft", "scipy.special")
_FUNCTION = type(np.sum)  # of functions that other arrays can take over
_FILES = frozenset("save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex".split())
_WRITE = frozenset("copyto put place putmask fill_diagonal put_along_axis".split())

_FILLS = (1, 3, 7, 0)
"""What the arrays hold that a function is tried on: what it writes into one of them, made of the others, is something else."""


def holds(fn: Any) -> bool:
    """Whether a graph may hold calls of the function."""
    return isinstance(fn, np.ufunc) or (isinstance(fn, _FUNCTION) and fn.__name__ not in _FILES | _WRITE)


def probe(call: Callable[[Sequence[Any]], Any], types: Sequence[Any], data: int) -> Any:
    """What `call` gives for arrays of these types. Raises Unheld where it writes to one of them."""
    fills = [(data or 1) * fill for fill in (*_FILLS, *_FILLS[-1:] * len(types))]
    arrays = [np.full(type_.dims, fill, type_.dtype.numpy) for fill, type_ in zip(fills, types)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        out = call(arrays)
    if not all((array == array.dtype.type(fill)).all() for fill, array in zip(fills, arrays)):
        raise Unheld("it writes to its arguments")
    return out
