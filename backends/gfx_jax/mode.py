"""JAX's mode: whether it is set to 64-bit types."""

from __future__ import annotations

import jax


def x64() -> bool:
    """Whether it is."""
    return bool(jax.dtypes.canonicalize_dtype("float64") == "float64")


def rules() -> str:
    """The rules of promotion that JAX has in its mode."""
    return "jax_x64" if x64() else "jax"
