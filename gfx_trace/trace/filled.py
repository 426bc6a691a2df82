"""Containers of arguments, filled with what stands for their parts."""

from __future__ import annotations

import copy
from typing import Any


def like_mapping(value: dict, items: dict) -> Any:
    """A dictionary with other items."""
    return items if type(value) is dict else type(value)(items)


def with_fields(value: Any, fields: dict[str, Any]) -> Any:
    """A copy of a dataclass with other fields: what it was made with, and what that computed, is not asked again."""
    made = copy.copy(value)
    for name, field in fields.items():
        object.__setattr__(made, name, field)
    return made


def like_sequence(value: Any, items: list[Any]) -> Any:
    """A list, tuple or named tuple with other items."""
    if isinstance(value, list):
        return items
    return type(value)._make(items) if hasattr(value, "_fields") else tuple(items)
