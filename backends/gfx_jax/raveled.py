"""Functions of JAX's that put trees into one row and take it apart, as Python that capture enters in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.flatten_util
import jax.numpy as jnp


def ravel_pytree(pytree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The leaves of a tree as one row, and what makes such a tree of a row."""
    leaves, structure = jax.tree.flatten(pytree)
    if not leaves:
        return jnp.zeros(0, dtype=jnp.float32), lambda flat: jax.tree.unflatten(structure, [])
    rows = [jnp.ravel(leaf) for leaf in leaves]
    mixed = any(row.dtype != rows[0].dtype for row in rows)

    def unravel(flat: Any) -> Any:
        parts, at = [], 0
        for leaf, row in zip(leaves, rows):
            part = flat[at : at + len(row)].reshape(jnp.shape(leaf))
            parts.append(part.astype(row.dtype) if mixed else part)
            at += len(row)
        return jax.tree.unflatten(structure, parts)

    return jnp.concatenate(rows), unravel


WRITTEN = {jax.flatten_util.ravel_pytree: ravel_pytree}
