"""Trees of Python containers as tests and loops see them: their branches, and the same container made of others."""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import types
from typing import Any

from gfx_ir.probing import HEAP_TYPE, is_module

from ..rewrite.packages import OURS, users
from .gated import defined_by, is_total

_ABSENT = object()
_DICTIONARIES = (dict, collections.OrderedDict)


def is_record(value: Any) -> bool:
    """Whether a value is a dataclass's instance."""
    return dataclasses.is_dataclass(type(value)) and not issubclass(type(value), type)


def is_object(value: Any) -> bool:
    """Whether attributes are all that a value holds: an object of a class of the user's that is written in Python, or a namespace."""
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    if kind is types.SimpleNamespace or package in OURS or not users({"__name__": package}):
        return kind is types.SimpleNamespace
    bases = kind.__mro__[:-1]
    return all(base.__flags__ & HEAP_TYPE for base in bases) and not (
        isinstance(value, (type, enum.Enum)) or is_module(value)
    )


def _has_items_alone(value: dict) -> bool:
    """Whether items are all that a dictionary of another class holds, and no code of that class puts them there."""
    plain = all(base in _DICTIONARIES or base.__flags__ & HEAP_TYPE for base in type(value).__mro__[:-1])
    return plain and type(value).__setitem__ in [kind.__setitem__ for kind in _DICTIONARIES] and not fields_of(value)


def fields_of(value: Any) -> dict[str, Any]:
    """The attributes of an object, in slots of its class or of its own."""
    pairs = (pair for base in type(value).__mro__ for pair in vars(base).items())
    slots = [name for name, held in pairs if type(held) is types.MemberDescriptorType and name != "__dict__"]
    own = _stored(value, "__dict__")
    found = {name: _stored(value, name) for name in slots} | (own if type(own) is dict else {})
    return {name: x for name, x in found.items() if x is not _ABSENT}


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
    if isinstance(value, dict):
        return list(value.items()) if _has_items_alone(value) else None
    return list(fields_of(value).items()) if is_object(value) else None


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
    put = dict.__setitem__ if isinstance(value, dict) and not is_record(value) else object.__setattr__
    for (name, old), item in zip(branches(value) or (), items):
        if item is not old:
            put(made, name, item)
    return made


def alike(a: Any, b: Any) -> bool:
    """Whether two values are containers of one class with the same keys."""
    if type(a) is not type(b):
        return False
    left, right = branches(a), branches(b)
    return left is not None and right is not None and [k for k, _ in left] == [k for k, _ in right]
