"""What NumPy spellings may use: `np`, `special` (SciPy, imported at first use), `ml_dtypes` and helper functions.

Emitted NumPy source that needs a helper contains it word for word.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from ._lazy import Lazy
from ._reference_alignment import ALIGNMENT
from ._reference_arrange import ARRANGE
from ._reference_linalg import LINALG
from ._reference_nn import NN
from ._reference_recurrent import RECURRENT
from ._reference_special import SPECIAL


def argsort_descending(x, axis=-1):
    """Positions that sort x from the largest to the smallest, equal elements in their order."""
    last = x.shape[axis] - 1
    return np.flip(last - np.argsort(np.flip(x, axis=axis), axis=axis, stable=True), axis=axis)


def topk(x, k, axis=-1, largest=True):
    """The k largest (or smallest) elements along an axis, in order, and their positions."""
    rows = x.astype(np.float32) if x.dtype.kind == "V" else x
    order = argsort_descending(rows, axis) if largest else np.argsort(rows, axis=axis, stable=True)
    order = np.take(order, np.arange(k), axis=axis)
    return np.take_along_axis(x, order, axis), order


def topk_total(x, k, axis=-1):
    """The k largest elements along an axis and their positions, in the total order of IEEE 754."""
    keys = x
    if x.dtype.kind in "fV":
        bits = x.view(f"i{x.itemsize}")
        keys = np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)
    order = np.take(argsort_descending(keys, axis), np.arange(k), axis=axis)
    return np.take_along_axis(x, order, axis), order


def expand(x, shape):
    """Broadcast x to shape, in which -1 keeps the size of that axis."""
    sizes = (1,) * (len(shape) - x.ndim) + x.shape
    return np.broadcast_to(x, [size if want == -1 else want for want, size in zip(shape, sizes)])


def split(x, sections, axis=0):
    """Split x into parts of the given sizes."""
    return np.split(x, np.cumsum(sections)[:-1], axis=axis)


def chunk(x, chunks, axis=0):
    """Split x into at most `chunks` parts of equal size, the last one smaller; into as many empty ones, if there is nothing."""
    size = -(-x.shape[axis] // chunks)
    return np.split(x, range(size, x.shape[axis], size) if size else chunks, axis=axis)


def is_floating(x):
    """Whether x holds real floating-point numbers (NumPy gives the extended types the kind "V")."""
    return np.asarray(x).dtype.kind in "fV"


def index_put(x, index, value, accumulate=False):
    """A copy of x with value written to (or added at) x[index]; index may be a tuple."""
    out = np.array(x)
    if accumulate:
        np.add.at(out, index, value)
    else:
        out[index] = value
    return out


def index_combine(x, index, value, reduce):
    """A copy of x with x[index] and value combined, each time that the index names a position: their prod, amin or amax."""
    out = np.array(x)
    {"prod": np.multiply, "amin": np.minimum, "amax": np.maximum}[reduce].at(out, index, value)
    return out


def gather(x, indices, axis):
    """out[i, j] = x[indices[i, j], j] for axis 0, and so on; indices may be shorter than x along other axes."""
    axis = axis % x.ndim
    part = tuple(slice(None) if at == axis else slice(size) for at, size in enumerate(indices.shape))
    return np.take_along_axis(x[part], indices, axis)


def scatter(x, indices, updates, axis, reduce="none"):
    """A copy of x with x[indices[i, j], j] = updates[i, j] for axis 0, and so on; reduce="add" adds them up."""
    out = np.array(x)
    where = list(np.indices(indices.shape, sparse=True))
    where[axis] = indices
    if np.ndim(updates):
        updates = updates[tuple(slice(size) for size in indices.shape)]
    if reduce == "add":
        np.add.at(out, tuple(where), updates)
    else:
        out[tuple(where)] = updates
    return out


NAMESPACE: dict[str, Any] = {
    "math": math,
    "np": np,
    "ml_dtypes": ml_dtypes,
    "special": Lazy("scipy.special"),
    "linalg": Lazy("scipy.linalg"),
}
NAMESPACE |= {
    f.__name__: f
    for f in (
        argsort_descending,
        topk,
        topk_total,
        expand,
        split,
        chunk,
        is_floating,
        index_put,
        index_combine,
        gather,
        scatter,
    )
}
NAMESPACE |= NN | RECURRENT | ALIGNMENT | SPECIAL | LINALG | ARRANGE
