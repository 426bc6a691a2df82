"""The Python call tree beside JAX's trace: which equations stand for which call of a public function, and for which call of a module."""

from __future__ import annotations

from .calls import Entered, Functions, Item, Public, Recording, recording
from .modules import is_variable, kind_of, leaves_of, made_by_library, prefix, statistics_of

__all__ = [
    "Entered", "Functions", "Item", "Public", "Recording", "is_variable", "kind_of", "leaves_of", "made_by_library", "prefix", "recording",
    "statistics_of",
]  # fmt: skip
