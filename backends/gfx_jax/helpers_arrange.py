"""More functions that spellings name where JAX has none of its own: views of memory, powers, sets, running extrema."""

import jax
import jax.numpy as jnp
import numpy as np


def as_strided(x, shape, strides, offset=0):
    """The elements of x in their order, taken at steps: out[i, j] is number offset + i * strides[0] + j * strides[1]."""
    at = np.asarray(offset)
    for size, step in zip(shape, strides):
        at = np.add.outer(at, step * np.arange(size))
    return x.ravel()[at]


def unfold(x, axis, size, step=1):
    """Windows of `size` elements, `step` apart, along an axis; the last axis runs along each window."""
    axis = axis % x.ndim
    at = jnp.arange(0, x.shape[axis] - size + 1, step)[:, None] + jnp.arange(size)
    return jnp.moveaxis(jnp.take(x, at, axis=axis), axis + 1, -1)


def vander(x, n=None, increasing=False):
    """The powers n - 1, ..., 1, 0 of x (or 0, 1, ..., n - 1) along a new last axis."""
    columns = jnp.repeat(x[..., None], x.shape[-1] if n is None else n, axis=-1)
    powers = jnp.cumprod(columns.at[..., :1].set(1), axis=-1, dtype=x.dtype)
    return powers if increasing else jnp.flip(powers, -1)


def unique_consecutive(x, axis=None, inverse=False, counts=False):
    """x without elements (or slices along an axis) that equal the one before them; what became of each, how many there were."""
    rows = jnp.ravel(x) if axis is None else jnp.moveaxis(x, axis, 0)
    new = jnp.any(rows[1:] != rows[:-1], axis=tuple(range(1, rows.ndim)))
    new = jnp.concatenate((jnp.ones(min(len(rows), 1), bool), new))
    group = jnp.cumsum(new) - 1
    values = rows[new] if axis is None else jnp.moveaxis(rows[new], 0, axis)
    found = [values]
    if inverse:
        found.append(group.reshape(x.shape) if axis is None else group)
    if counts:
        found.append(jnp.bincount(group))
    return tuple(found) if len(found) > 1 else values


def scatter_reduce(x, indices, updates, axis, reduce, include_self=True):
    """x with x[indices[i, j], j] and all updates[i, j] combined for axis 0, and so on: their sum, prod, mean, amin or
    amax; without include_self that of the updates alone."""
    where = list(jnp.ix_(*map(jnp.arange, indices.shape)))
    where[axis] = indices
    place, updates = tuple(where), jnp.asarray(updates, x.dtype)
    updates = updates[tuple(map(slice, indices.shape))] if updates.ndim else jnp.broadcast_to(updates, indices.shape)
    count = jnp.zeros(x.shape, int).at[place].add(1)
    if not include_self:
        first = jnp.full_like(x, 1 if reduce == "prod" else 0)
        first = first.at[place].set(updates) if reduce in ("amin", "amax") else first
        x = jnp.where(count > 0, first, x)
    at = x.at[place]
    combine = {"prod": at.multiply, "amin": at.min, "amax": at.max}.get(reduce, at.add)
    if x.dtype == bool:
        combine = at.min if reduce in ("prod", "amin") else at.max
    out = combine(updates)
    if reduce == "mean":
        count = jnp.maximum(count + include_self, 1)
        out = (out // count if jnp.issubdtype(out.dtype, jnp.integer) else out / count).astype(x.dtype)
    return out


def running_extremum(x, axis, largest=True):
    """The largest (or smallest) element so far along an axis."""
    scan = jax.lax.cummax if largest else jax.lax.cummin
    found = scan(x.astype(jnp.int8) if x.dtype == bool else x, axis=axis % x.ndim)
    return found.astype(x.dtype)
