"""The JAX backend: what its functions mean, how ops are spelled in it, how they run on it."""

from __future__ import annotations

import jax

from gfx_ir.versions import require


def check_version(version: str) -> None:
    """Raise BackendError outside of the versions that the rows were written for."""
    require("jax", version, (0, 9), (0, 11))


check_version(jax.__version__)

from .style import STYLE  # noqa: E402
from .types import JaxBackend  # noqa: E402 - the version comes first, or another jax fails without a clear reason

backend = JaxBackend()
backend.style = STYLE

__all__ = ["JaxBackend", "backend", "check_version"]
