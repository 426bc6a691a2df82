"""The NumPy backend: what its functions mean. Ops are spelled and run as their own references have them."""

from __future__ import annotations

import numpy as np

from gfx_ir.versions import require

from .style import STYLE
from .types import NumpyBackend


def check_version(version: str) -> None:
    """Raise BackendError outside of the versions that the rows were written for."""
    require("numpy", version, (2, 1), (3,))


check_version(np.__version__)
backend = NumpyBackend()
backend.style = STYLE

__all__ = ["NumpyBackend", "backend", "check_version"]
