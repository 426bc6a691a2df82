"""Source of a program: `emit(program, backend)` gives a standalone module."""

from .emitted import Module, origin
from .module import emit
from .style import Style

__all__ = ["Module", "Style", "emit", "origin"]
