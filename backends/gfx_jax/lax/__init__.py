"""Functions of jax.lax, jax.nn, jax.random and jax.scipy.special that are no single op."""

from __future__ import annotations

from .choices import CHOICES
from .draws import DRAWS
from .elements import ELEMENTS
from .functions import FUNCTIONS
from .gammas import GAMMAS
from .orders import ORDERS
from .positions import POSITIONS
from .segments import SEGMENTS
from .systems import SYSTEMS
from .windows import WINDOWS, selected

__all__ = ["LAX", "selected"]

LAX = {**CHOICES, **DRAWS, **GAMMAS, **ELEMENTS, **FUNCTIONS, **ORDERS, **POSITIONS, **SEGMENTS, **SYSTEMS, **WINDOWS}
