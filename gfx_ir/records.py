"""Records: classes of named fields (named tuples, dataclasses, model outputs) for which trees of a program stand."""

from __future__ import annotations

import functools
import keyword
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RESULT = "return"
"""The path of a program's result, as an argument's is its name; what it holds is found by keys and positions behind dots."""


@dataclass(frozen=True)
class Record:
    """A class by its name, and its attributes in their order. The tree that stands for one of its objects is a dictionary of these, or
    a tuple. Raises ValueError for what no NamedTuple can be."""

    name: str
    fields: tuple[str, ...]

    def __post_init__(self) -> None:
        if not is_record(self.name, self.fields):
            raise ValueError(f"there is no class {self.name!r} with the fields {self.fields}")

    @property
    def public(self) -> tuple[str, ...]:
        """The fields of the NamedTuple."""
        return tuple(map(public, self.fields))

    def parts(self, path: str, tree: Any) -> list[tuple[str, Any]]:
        """What the tree that stands for one has for each field, by their paths."""
        return parts(path, {field: tree[field] for field in self.fields} if isinstance(tree, dict) else tree)


@dataclass(frozen=True)
class Field:
    """The key of a part of an argument that code reads as an attribute."""

    name: str

    def __str__(self) -> str:
        return self.name


def public(attribute: str) -> str:
    """The field of a NamedTuple that has an attribute: no field begins with an underscore."""
    return attribute.lstrip("_")


def is_record(name: str, fields: tuple[str, ...]) -> bool:
    """Whether a NamedTuple can have this name and these fields."""
    if type(fields) is not tuple:
        return False
    if not all(type(word) is str for word in (name, *fields)):
        return False
    named = list(map(public, fields))
    words_of_python = all(word.isidentifier() and not keyword.iskeyword(word) for word in (name, *named))
    return words_of_python and 0 < len(named) == len(set(named))


def root_of(path: str) -> str:
    """What a path begins with: RESULT, or the name of an argument."""
    return path.partition(".")[0]


def parts(path: str, tree: Any) -> list[tuple[str, Any]]:
    """The parts of a container, by their paths."""
    keyed = tree.items() if type(tree) is dict else enumerate(tree) if isinstance(tree, (tuple, list)) else ()
    return [(f"{path}.{key}", item) for key, item in keyed]


def held_at(tree: Any, path: str, held: str = RESULT) -> Any:
    """What a tree, which is at the path `held`, has at a path. Raises LookupError where it has nothing there."""
    while held != path:
        below = [part for part in parts(held, tree) if f"{path}.".startswith(f"{part[0]}.")]
        if not below:
            raise LookupError(path)
        held, tree = below[0]
    return tree


def plain(tree: Any, found: Any) -> Any:
    """What emitted code gave for a result, with the containers that the graph has: `tree` is the graph's."""
    kind = type(tree)
    if kind is dict:
        given = found if isinstance(found, dict) else {key: getattr(found, public(key)) for key in tree}
        return {key: plain(item, given[key]) for key, item in tree.items()}
    return kind(map(plain, tree, found)) if kind in (tuple, list) else found


def made(records: Mapping[str, Record], found: Any, path: str = RESULT) -> Any:
    """A result, or an argument, with an object of named fields for each record."""
    if not isinstance(found, (tuple, list, dict)):
        return found
    filled = like(found, [made(records, item, inner) for inner, item in parts(path, found)])
    record = records.get(path)
    if record is None or hasattr(filled, "_fields"):
        return filled
    return _class(record)(*(held for _, held in record.parts(path, filled)))


@functools.cache
def _class(record: Record) -> Any:
    """The class of its objects: one for all calls, as JAX compiles for each; a user's own, as those are that stand in emitted code."""
    return namedtuple(record.name, record.public, module="records")


def as_read(records: Mapping[str, Record], tree: Any, path: str) -> Any:
    """An argument's tree, with the fields of each record as the keys of what has them."""
    held = [as_read(records, item, inner) for inner, item in parts(path, tree)]
    if not held:
        return tree
    filled, record = like(tree, held), records.get(path)
    if record is None:
        return filled
    return {Field(name): held for name, (_, held) in zip(record.public, record.parts(path, filled))}


def mapped(fn: Callable[[Any], Any], tree: Any) -> Any:
    """What Python has for a tree, with fn applied to its leaves; named tuples keep their class."""
    return like(tree, [mapped(fn, item) for item in items(tree)]) if isinstance(tree, (dict, list, tuple)) else fn(tree)


def items(tree: Any) -> list[Any]:
    """What a container holds, in its order."""
    return list(tree.values() if isinstance(tree, dict) else tree)


def like(tree: Any, held: Sequence[Any]) -> Any:
    """A container as this one, that holds these."""
    if isinstance(tree, dict):
        return dict(zip(tree, held))
    return getattr(type(tree), "_make", type(tree))(held)
