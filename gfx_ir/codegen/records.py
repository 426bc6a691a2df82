"""Definitions of records: the NamedTuples that a module defines, and its result as it is made of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..graph import Value
from ..program import Program
from ..records import RESULT, Record, held_at, parts
from .constants import name

_HOST = ("int", "float", "bool", "str")
_PLAIN = (tuple, list, dict, int, float, bool, str)


class Records:
    """`result`: that of the entry; `array`: how the target's array class is written; `take`: what a class may be called."""

    def __init__(self, program: Program, result: Any, array: str, take: Callable[[str], str]) -> None:
        records = self._records = program.records
        self._array, self._state = array, bool(program.writes)
        result = result[0] if self._state else result
        self._called: dict[Record, str] = {}
        self._fields: dict[Record, list[str]] = {}
        for path in sorted(records, key=lambda path: -path.count(".")):  # what others hold comes first
            record = records[path]
            if record not in self._called:
                self._called[record] = take(record.name)
                self._fields[record] = [self._annotation(*part) for part in parts(path, held_at(result, path))]

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

    def written(self, result: Any, write: Callable[[Any], ast.expr]) -> ast.expr:
        """The entry's result, and the state behind it."""
        if not self._state:
            return self._tree(result, write, RESULT)
        return ast.Tuple([self._tree(result[0], write, RESULT), write(result[1])], ast.Load())

    def _tree(self, tree: Any, write: Callable[[Any], ast.expr], path: str) -> ast.expr:
        """A result, with the classes that its parts are objects of; `write` writes what holds none."""
        if not any(key == path or key.startswith(f"{path}.") for key in self._records):
            return write(tree)
        items = [self._tree(item, write, inner) for inner, item in parts(path, tree)]
        record = self._records.get(path)
        if record is not None:
            return ast.Call(name(self._called[record]), [], list(map(ast.keyword, record.public, items)))
        if type(tree) is dict:
            return ast.Dict(list(map(write, tree)), items)
        return (ast.List if type(tree) is list else ast.Tuple)(items, ast.Load())

    def whole(self, made: ast.expr) -> ast.expr:
        """A result that one call gives as a tuple."""
        record = self._records.get(RESULT)
        return made if record is None else ast.Call(name(self._called[record]), [ast.Starred(made, ast.Load())], [])
