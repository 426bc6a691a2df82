"""Fields: the named parts of an object that stands for a tree, a dataclass or a class that a framework takes apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from .loading import loaded
from .param_tree import flatten, nest


def record_fields(x: Any) -> dict[str, Any] | None:
    """The parts of such an object by their names; None for any other, containers of Python's among them."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = {field.name: getattr(x, field.name) for field in dataclasses.fields(x)}
        if fields or not getattr(x, "__dict__", None):  # one without fields, as nnx.List, holds what it has been given
            return fields
    if isinstance(x, (type, Mapping, tuple, list)) or not getattr(x, "__dict__", None):
        return None
    return next((found for backend in loaded() if (found := backend.parts_of(x)) is not None), None)


def fixed_fields(x: Any) -> frozenset[str]:
    """The parts of such an object that a framework counts to its class, and not to the tree that it stands for: those whose leaves are none
    of the tree's; of a declared field without leaves that is not told."""
    declared = dataclasses.is_dataclass(x)
    for backend in loaded():
        found, _ = backend.flatten(x)
        known = set(map(id, found))
        if id(x) not in known:
            below = {name: backend.flatten(held)[0] for name, held in (record_fields(x) or {}).items()}
            apart = (name for name, held in below.items() if known.isdisjoint(map(id, held)))
            return frozenset(name for name in apart if below[name] or not declared)
    return frozenset()


def contents(x: Any) -> tuple[Any, Callable[[Any], Any]] | None:
    """What a library's container or variable holds, as dictionaries and lists, and how it is made of others like these; None for any
    other object."""
    found = next(((b, pairs) for b in loaded() if (pairs := b.contents_of(x)) is not None), None)
    if found is None:
        return None
    backend, pairs = found
    _, again = backend.flatten(x)
    names = [".".join(map(str, path)) for path, _ in pairs]
    if names == [""]:
        return pairs[0][1], lambda made: again([made])
    if "" in names or len(set(names)) < len(names):
        return None

    def rebuild(made: Any) -> Any:
        held = flatten(made)
        return again([held[name] for name in names])

    return nest(dict(zip(names, (leaf for _, leaf in pairs)))), rebuild
