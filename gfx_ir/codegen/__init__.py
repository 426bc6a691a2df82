"""Source of a program: `emit(program, backend)` gives a standalone module."""

from .module import Module, emit
from .style import Style

__all__ = ["Module", "Style", "emit"]
