"""Containers of arguments, filled with what stands for their parts."""

from __future__ import annotations

import copy
import dataclasses
import typing
from typing import Any

from gfx_ir.probing import own_attribute

from ..rewrite.packages import framework
from .hints import hints_of


def like_mapping(value: dict, items: dict) -> Any:
    """A dictionary with other items."""
    return items if type(value) is dict else type(value)(items)


class Unfilled:
    """Stands in a field of a record that is not given: what an annotation says of it."""

    def __init__(self, hint: Any) -> None:
        self.hint = hint


def record_of(hint: Any) -> Any:
    """A named tuple or dataclass of the author's, each field Unfilled, where an annotation says one; None of any other annotation."""
    if (
        not isinstance(hint, type)
        or framework(hint.__module__)
        or any("__call__" in vars(base) for base in hint.__mro__)
    ):
        return None
    if issubclass(hint, tuple) and hasattr(hint, "_make"):
        named, fields = hints_of(hint), own_attribute(hint, "_fields")
        return hint._make([Unfilled(named.get(name, typing.Any)) for name in fields])
    if not dataclasses.is_dataclass(hint) or hint.__new__ is not object.__new__:
        return None
    made, named = object.__new__(hint), hints_of(hint)
    for field in dataclasses.fields(hint):
        object.__setattr__(made, field.name, Unfilled(named.get(field.name, typing.Any)))
    return made


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
