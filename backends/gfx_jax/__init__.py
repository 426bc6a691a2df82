"""The JAX backend: what its functions mean, how ops are spelled in it, how they run on it."""

from __future__ import annotations

import jax

from gfx_ir.errors import BackendError

from .style import STYLE
from .types import JaxBackend

LOWEST, HIGHEST = (0, 9), (0, 10)


def check_version(version: str) -> None:
    """Raise BackendError outside of the versions that the rows were written for."""
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdigit())
    if numbers < LOWEST or numbers[:2] > HIGHEST:
        raise BackendError(f"gfx_jax takes jax 0.9 to 0.10, not {version}", hint="pip install 'jax>=0.9,<0.11'")


check_version(jax.__version__)
backend = JaxBackend()
backend.style = STYLE

__all__ = ["JaxBackend", "backend", "check_version"]
