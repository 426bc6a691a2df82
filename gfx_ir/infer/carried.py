"""Dependence on what a loop carries: which of its carried values each value of its body is made of, and which of these surely."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import and_, or_
from typing import Any

from ..control import is_test
from ..graph import Node, Value
from ..trees import leaves
from .fixpoint import Fixpoint
from .flow import Flow
from .origins import data

Masks = tuple[int, int, int]
"""Sets of carried values, as the bits of numbers: those that a value may be made of, those that it surely is, and those that may
have a part in its dtype."""
_NONE: Masks = 0, 0, 0


class Carried:
    """The dependence of one loop's values. `settles`: whether the target makes one value of those of a test or loop."""

    def __init__(self, loop: Node, flow: Flow, settles: Callable[[Node], bool]) -> None:
        self._flow, self._settles = flow, settles
        self._found = Fixpoint[Masks](self._parts, self._rule, (0, -1, 0), (-1, 0, 0))
        first = len(loop.arg("items")) if "items" in loop.op.params else 0
        carried = range(first, first + len(loop.arg("init")))
        for at, value in enumerate(loop.regions[-1].placeholders):
            self._found.set(value, (1 << at - first,) * 3 if at in carried else _NONE)

    def made_of(self, leaf: Any) -> set[int]:
        """The positions of the carried values that a value of the body is computed from."""
        mask = self._found.of(leaf)[0] if type(leaf) is Value else 0
        return {at for at in range(mask.bit_length()) if mask >> at & 1}

    def surely(self, leaf: Any, at: int) -> bool:
        """Whether it is computed from a carried value, whichever of its values a test or loop of Python's own gives."""
        return type(leaf) is Value and bool(self._found.of(leaf)[1] >> at & 1)

    def types(self, leaf: Any, at: int) -> bool:
        """Whether a carried value may have a part in its dtype."""
        return type(leaf) is Value and bool(self._found.of(leaf)[2] >> at & 1)

    def _parts(self, value: Value) -> list[Value]:
        source = self._flow.sources.get(value)
        if source is None:
            return [leaf for leaf in leaves(self._taken(value)) if type(leaf) is Value]
        return [leaf for leaf in (*source.leaves, *_tests(source.node)) if type(leaf) is Value]

    def _taken(self, value: Value) -> Any:
        flow = self._flow
        return flow.rows[value][1] if value in flow.rows else flow.stacked.get(value, value.node.args)

    def _rule(self, value: Value) -> Masks:
        typed = reduce(or_, (self._found.now(part)[2] for part in data(value, self._flow, self._settles)), 0)
        source = self._flow.sources.get(value)
        if source is None:
            return *self._any(map(self._now, leaves(self._taken(value)))), typed
        given = [self._now(leaf) for leaf in source.chosen(self._settles)]
        may, must = self._any(given)
        if source.node is None or not self._settles(source.node):
            must = reduce(and_, (masks[1] for masks in given), -1)
        return may | self._any(map(self._now, _tests(source.node)))[0], must, typed

    def _now(self, leaf: Any) -> Masks:
        return self._found.now(leaf) if type(leaf) is Value else _NONE

    @staticmethod
    def _any(found: Iterable[Masks]) -> tuple[int, int]:
        taken = list(found)
        return reduce(or_, (masks[0] for masks in taken), 0), reduce(or_, (masks[1] for masks in taken), 0)


def _tests(node: Node | None) -> list[Any]:
    """What decides which of its sides a test gives."""
    return [node.args[0]] if node is not None and is_test(node) else []
