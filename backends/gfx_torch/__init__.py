"""GFX's PyTorch backend: `backend` is the instance that the entry point names."""

from __future__ import annotations

from importlib import metadata

from gfx_ir.versions import require


def check_version(version: str) -> None:
    """Raise BackendError outside of the versions that the rows were written for."""
    require("torch", version, (2, 9), (2, 15))


check_version(metadata.version("torch"))

from .style import HOP, STYLE  # noqa: E402
from .types import make_backend  # noqa: E402 - the version comes first, or an old torch fails without a clear reason

backend = make_backend()
backend.style = STYLE
backend.modes = {"hop": HOP}

__all__ = ["backend", "check_version"]
