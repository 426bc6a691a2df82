"""Fields: the named parts of an object that stands for a tree, a dataclass or a class that a framework takes apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .loading import loaded


def record_fields(x: Any) -> dict[str, Any] | None:
    """The parts of such an object by their names; None for any other, containers of Python's among them."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return {field.name: getattr(x, field.name) for field in dataclasses.fields(x)}
    if isinstance(x, (type, Mapping, tuple, list)) or not getattr(x, "__dict__", None):
        return None
    return next((found for backend in loaded() if (found := backend.parts_of(x)) is not None), None)
