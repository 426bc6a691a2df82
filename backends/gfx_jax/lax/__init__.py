"""Functions of jax.lax that are no single op."""

from __future__ import annotations

from .elements import ELEMENTS
from .orders import ORDERS
from .positions import POSITIONS
from .systems import SYSTEMS
from .windows import WINDOWS, selected

__all__ = ["LAX", "selected"]

LAX = {**ELEMENTS, **ORDERS, **POSITIONS, **SYSTEMS, **WINDOWS}
