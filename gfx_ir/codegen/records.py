"""Definitions of records: the NamedTuples that a module defines for what it takes and gives, and its result as it is made of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph import Value
from ..program import Parameter, Program
from ..records import RESULT, Field, Record, as_read, held_at, parts, root_of
from ..trees import leaves
from .constants import name

_HOST = ("int", "float", "bool", "str")
_PLAIN = (tuple, list, dict, int, float, bool, str)
Write = Callable[[Any], ast.expr]
Part = Callable[[ast.expr, Any], ast.expr]


@dataclass(frozen=True, eq=False)
class _Object:
    """An object of named fields that an argument has: the keys that lead there, and its tree by the keys under which code reads it."""

    keys: tuple[Any, ...]
    record: Record
    read: dict[Field, Any]


class Records:
    """`result`: that of the entry, which takes `arguments`; `array`: how the target's array class is written; `take`: what a class may be
    called."""

    def __init__(
        self, program: Program, arguments: Sequence[Parameter], result: Any, array: str, take: Callable[[str], str]
    ) -> None:
        records = self._records = program.records
        ways = (path.split(".") for path in records)
        self._above = {".".join(way[:count]) for way in ways for count in range(1, len(way) + 1)}
        self._array, self._state = array, bool(program.writes)
        trees = {parameter.name: parameter.tree for parameter in arguments}
        self._given: dict[Value, list[_Object]] = {}
        for found in [found for root, tree in trees.items() for found in _objects(records, tree, root, (root,))]:
            for leaf in leaves(found.read):
                if type(leaf) is Value:
                    self._given.setdefault(leaf, []).append(found)
        trees[RESULT] = result[0] if self._state else result
        self._called: dict[Record, str] = {}
        self._fields: dict[Record, list[str]] = {}
        for path in sorted(records, key=lambda path: -path.count(".")):  # what others hold comes first
            record = records[path]
            if record not in self._called:
                self._called[record] = take(record.name)
                root = root_of(path)
                held = record.parts(path, held_at(trees[root], path, root))
                self._fields[record] = [self._annotation(*part) for part in held]

    @property
    def names(self) -> list[str]:
        """What the classes are called."""
        return list(self._called.values())

    def sources(self) -> list[str]:
        """Their definitions."""
        return [
            f"class {called}(NamedTuple):\n" + "".join(map("    {}: {}\n".format, record.public, self._fields[record]))
            for record, called in self._called.items()
        ]

    def _annotation(self, path: str, tree: Any) -> str:
        record = self._records.get(path)
        if record is not None:
            return self._called[record]
        if type(tree) is Value:
            return self._array if tree.is_tensor else tree.kind if tree.kind in _HOST else "object"
        kind = type(tree)
        return "None" if tree is None else kind.__name__ if kind in _PLAIN else "object"

    def written(self, result: Any, write: Write, part: Part) -> ast.expr:
        """The entry's result, and the state behind it; `write` writes a tree that holds no object, `part` what something has under a key."""
        if not self._state:
            return self._tree(result, write, part, RESULT)
        return ast.Tuple([self._tree(result[0], write, part, RESULT), write(result[1])], ast.Load())

    def _tree(self, tree: Any, write: Write, part: Part, path: str) -> ast.expr:
        """A result, with the classes that its parts are objects of."""
        if path not in self._above:
            return write(tree)
        record = self._records.get(path)
        if record is not None:
            return self._object(record, tree, write, part, path)
        items = [self._tree(item, write, part, below) for below, item in parts(path, tree)]
        if type(tree) is dict:
            return ast.Dict(list(map(write, tree)), items)
        return (ast.List if type(tree) is list else ast.Tuple)(items, ast.Load())

    def _object(self, record: Record, tree: Any, write: Write, part: Part, path: str) -> ast.expr:
        """An object of named fields: one that was given, such a one with other fields, or a new one."""
        keys, same = self._from(path, tree)
        fields = [
            ast.keyword(field, self._tree(item, write, part, below))
            for field, (below, item) in zip(record.public, record.parts(path, tree))
            if field not in same
        ]
        if not keys:
            return ast.Call(name(self._called[record]), [], fields)
        given: ast.expr = name(keys[0])
        for key in keys[1:]:
            given = part(given, key)
        return ast.Call(ast.Attribute(given, "_replace", ast.Load()), [], fields) if fields else given

    def _from(self, path: str, tree: Any) -> tuple[tuple[Any, ...], set[str]]:
        """The object that the entry is given from which the one at a path has most, by the keys that lead there, and the fields that it has
        from there; none where they share no value."""
        read = as_read(self._records, tree, path)
        found = [held for leaf in leaves(read) if type(leaf) is Value for held in self._given.get(leaf, ())]
        best: tuple[tuple[Any, ...], set[str]] = (), set()
        for held in dict.fromkeys(found):
            if held.record == self._records[path]:
                same = {field.name for field, item in read.items() if _same(item, held.read[field])}
                best = max(best, (held.keys, same), key=lambda pair: len(pair[1]))
        return best

    def whole(self, made: ast.expr) -> ast.expr:
        """A result that one call gives as a tuple."""
        record = self._records.get(RESULT)
        return made if record is None else ast.Call(name(self._called[record]), [ast.Starred(made, ast.Load())], [])


def _objects(records: Mapping[str, Record], tree: Any, path: str, keys: tuple[Any, ...]) -> Iterator[_Object]:
    record = records.get(path)
    if record is not None:
        yield _Object(keys, record, as_read(records, tree, path))
    held = parts(path, tree) if record is None else record.parts(path, tree)
    own = map(Field, record.public) if record is not None else tree if type(tree) is dict else range(len(held))
    for (below, item), key in zip(held, own):
        yield from _objects(records, item, below, (*keys, key))


def _same(a: Any, b: Any) -> bool:
    """Whether two trees hold the same values, and equal constants."""
    if type(a) is not type(b):
        return False
    if type(a) is dict:
        return list(a) == list(b) and all(_same(item, b[key]) for key, item in a.items())
    if type(a) in (tuple, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return a is b if type(a) is Value else bool(a == b)
