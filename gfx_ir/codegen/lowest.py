"""The lowest kind that a number may have where the code runs: bool, int, float or complex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dtypes import kind_of
from ..graph import Node, Value
from .maybe import MaybeNumbers
from .numbers import ORDER, gives_one, is_number, operands


class Lowest(MaybeNumbers):
    """The part of Weak that tells it."""

    def _search(self, leaf: Any, indices: bool = False) -> str | None:
        raise NotImplementedError

    def _lowest(self, leaf: Any) -> str | None:
        """The lowest kind that a number may have: a test or loop of Python's own gives one of its numbers as it is, all else
        takes the highest kind of what it is made of. None where nothing tells."""
        found: dict[Value, str | None] = {}
        todo: list[tuple[Any, Sequence[Any] | None]] = [(self.liveness.resolve(leaf), None)]
        while todo:
            value, sources = todo.pop()
            if sources is not None:
                kinds = [kind for kind in (self._kind_found(source, found) for source in sources) if kind is not None]
                found[value] = (min if gives_one(self._maker(value)) else max)(kinds, key=ORDER.index, default=None)
            elif type(value) is Value and value not in found:
                found[value] = None  # what a loop makes of itself alone
                sources = self._numbers_of(value)
                if sources is None:
                    found[value] = self._search(value, True)
                else:
                    todo += [(value, sources), *((self.liveness.resolve(source), None) for source in reversed(sources))]
        return self._kind_found(leaf, found)

    def _kind_found(self, leaf: Any, found: dict[Value, str | None]) -> str | None:
        value = self.liveness.resolve(leaf)
        if type(value) is not Value:
            return kind_of(value) if is_number(value) else None
        return found[value]

    def _maker(self, value: Value) -> Node:
        return self.liveness.phis.get(value, (value.node, 0))[0]

    def _numbers_of(self, value: Value) -> Sequence[Any] | None:
        """What a number takes its kind from, one by one; None where a loop of the target settles that."""
        node, sources = self._maker(value), self.sources(value)
        if sources is None:
            sources = operands(node) if value not in self.liveness.phis else None
        return None if node.op.name in ("while", "for") else sources
