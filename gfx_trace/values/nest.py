"""Trees of Python containers as tests and loops see them: their branches, and the same container made of others."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

from .gated import defined_by, is_total

_ABSENT = object()


def is_record(value: Any) -> bool:
    """Whether a value is a dataclass's instance."""
    return dataclasses.is_dataclass(type(value)) and not issubclass(type(value), type)


def branches(value: Any) -> list[tuple[Any, Any]] | None:
    """(key, item) pairs of a container; None for a leaf."""
    kind = type(value)
    if is_total(value):
        return [("value", value.then), ("defined", value.test)]
    if isinstance(value, tuple) or kind is list:
        return list(enumerate(value))
    if kind is dict:
        return list(value.items())
    if is_record(value):
        items = ((f.name, _stored(value, f.name)) for f in dataclasses.fields(value))
        return [item for item in items if item[1] is not _ABSENT]
    return None


def part_name(value: Any, key: Any) -> str:
    """What the author calls a part of a container; "" where that has no name."""
    fields = getattr(type(value), "_fields", ()) if isinstance(value, tuple) else ()
    name = fields[key] if fields else key
    return name if type(name) is str and name.isidentifier() else ""


def _stored(record: Any, name: str) -> Any:
    """What stands in a field, whatever code of the class's own says of it."""
    try:
        return object.__getattribute__(record, name)
    except AttributeError:
        return _ABSENT


def rebuilt(value: Any, items: list[Any]) -> Any:
    """A container like `value` that holds `items`, in the order of its branches."""
    kind = type(value)
    if is_total(value):
        return defined_by(items[1], items[0], value.name)
    if isinstance(value, tuple):
        return kind._make(items) if hasattr(value, "_fields") else tuple(items)
    if kind is list:
        return items
    if kind is dict:
        return dict(zip(value, items))
    made = copy.copy(value)
    for (name, old), item in zip(branches(value) or (), items):
        if item is not old:
            object.__setattr__(made, name, item)
    return made


def alike(a: Any, b: Any) -> bool:
    """Whether two values are containers of one class with the same keys."""
    if type(a) is not type(b):
        return False
    left, right = branches(a), branches(b)
    return left is not None and right is not None and [k for k, _ in left] == [k for k, _ in right]
