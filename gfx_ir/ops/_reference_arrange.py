"""Helper functions of NumPy spellings: views of memory, windows, powers, sets, counts."""

from __future__ import annotations

import numpy as np


def as_strided(x, shape, strides, offset=0):
    """The elements of x in their order, taken at steps: out[i, j] is number offset + i * strides[0] + j * strides[1]."""
    at = np.asarray(offset)
    for size, step in zip(shape, strides):
        at = np.add.outer(at, step * np.arange(size))
    return np.ravel(x)[at]


def alike(items, dtype):
    """Items as arrays: numbers have the dtype that they have beside the others, fractions this one where those are whole numbers."""
    arrays = [x.dtype for x in items if hasattr(x, "dtype")]
    like = np.result_type(*arrays) if arrays else np.dtype(bool)
    if like.kind in "biu":
        alone = {float: dtype, complex: np.result_type(dtype, np.complex64)}
        items = [np.asarray(x, alone.get(type(x))) for x in items]
    return [x if hasattr(x, "dtype") else np.asarray(x, np.result_type(like, x)) for x in items]


def unfold(x, axis, size, step=1):
    """Windows of `size` elements, `step` apart, along an axis; the last axis runs along each window."""
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis, writeable=True)
    return windows[(slice(None),) * (axis % x.ndim) + (slice(None, None, step),)]


def view_as_complex(x):
    """Complex numbers from pairs (real part, imaginary part) along the last axis."""
    out = np.empty(x.shape[:-1], np.result_type(x.dtype, np.complex64))
    out.real, out.imag = x[..., 0], x[..., 1]
    return out


def vander(x, n=None, increasing=False):
    """The powers n - 1, ..., 1, 0 of x (or 0, 1, ..., n - 1) along a new last axis."""
    columns = np.repeat(x[..., None], x.shape[-1] if n is None else n, axis=-1)
    columns[..., :1] = 1
    powers = np.cumprod(columns, axis=-1)
    return powers if increasing else np.flip(powers, -1)


def argwhere(x, size=None, fill_value=0):
    """The positions of what is not 0, one in a row; cut or filled up to `size` rows where that is given."""
    found = np.argwhere(x)
    if size is None:
        return found
    return np.concatenate((found[:size], np.full((max(0, size - len(found)), found.shape[1]), fill_value)))


def unique(x, axis=None, index=False, inverse=False, counts=False, equal_nan=True, size=None, fill_value=None):
    """np.unique, its first result cut or filled up (with the least element, or `fill_value`) to `size` entries."""
    found = np.unique(x, index, inverse, counts, axis=axis, equal_nan=equal_nan)
    parts = list(found) if isinstance(found, tuple) else [found]
    along = 0 if axis is None else axis
    kept = np.arange(size)
    lacking = kept >= parts[0].shape[along]
    kept = np.where(lacking, 0, kept)
    for at, part in enumerate(parts):
        if not (at == 1 + index and inverse):
            part = np.take(part, kept, axis=along if at == 0 else 0)
            if at == len(parts) - 1 and counts:
                part = np.where(lacking, 0, part)
            elif at == 0 and fill_value is not None:
                shape = [1] * part.ndim
                shape[along] = size
                part = np.where(lacking.reshape(shape), np.asarray(fill_value, part.dtype), part)
            parts[at] = part
    return tuple(parts) if len(parts) > 1 else parts[0]


def unique_consecutive(x, axis=None, inverse=False, counts=False):
    """x without elements (or slices along an axis) that equal the one before them; what became of each, how many there were."""
    rows = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    new = np.ones(len(rows), bool)
    new[1:] = np.any(rows[1:] != rows[:-1], axis=tuple(range(1, rows.ndim)))
    group = np.cumsum(new) - 1
    values = rows[new] if axis is None else np.moveaxis(rows[new], 0, axis)
    found = [values]
    if inverse:
        found.append(group.reshape(x.shape) if axis is None else group)
    if counts:
        found.append(np.bincount(group))
    return tuple(found) if len(found) > 1 else values


def bincount(x, weights=None, minlength=0, length=None):
    """np.bincount, cut or filled up with 0 to `length` counts."""
    found = np.bincount(x, weights, max(minlength, length))
    return found[:length]


def scatter_reduce(x, indices, updates, axis, reduce, include_self=True):
    """A copy of x with x[indices[i, j], j] and all updates[i, j] combined for axis 0, and so on: their sum, prod, mean,
    amin or amax; without include_self that of the updates alone."""
    combine = {"prod": np.multiply, "amin": np.minimum, "amax": np.maximum}.get(reduce, np.add)
    where = list(np.indices(indices.shape, sparse=True))
    where[axis] = indices
    updates = np.broadcast_to(updates, indices.shape) if np.ndim(updates) == 0 else updates
    updates = updates[tuple(slice(size) for size in indices.shape)]
    out, count = np.array(x), np.zeros(x.shape, int)
    np.add.at(count, tuple(where), 1)
    if not include_self:
        first = np.full_like(out, {"prod": 1}.get(reduce, 0))
        if reduce in ("amin", "amax"):
            first[tuple(where)] = updates
        out = np.where(count > 0, first, out)
    combine.at(out, tuple(where), updates)
    if reduce == "mean":
        count = np.maximum(count + include_self, 1)
        out = (out // count if out.dtype.kind in "iu" else out / count).astype(out.dtype)
    return out


ARRANGE = {
    f.__name__: f
    for f in (
        alike, as_strided, unfold, view_as_complex, vander, argwhere, unique, unique_consecutive, bincount, scatter_reduce,
    )
}  # fmt: skip
