"""What the numbers of a program are made of: read from tensors, carried by loops on data, beyond the range of 32 bits, nowhere
negative, the same as others."""

from __future__ import annotations

from typing import Any

from ...control import calls_python, hangs_on_data, is_for, is_loop, is_placeholder, operands_of, operator_of
from ...graph import Node, Value
from ...infer.facts import Facts, is_made
from ...infer.fixpoint import Fixpoint
from ...infer.same import SameValues, handed
from ...infer.signs import Signs
from ...python_numbers import function

MOST_POWER = 3
_FEW = 30
"""Trips of whose counter 2 ** i has 32 bits."""


class MadeOf:
    """Answers for the numbers of a program, each found once."""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._flow = facts, facts.flow
        self._read = Fixpoint[bool](self._numbers, self._is_read, False, True)
        self._trips = Fixpoint[bool](self._numbers, self._is_of_trips, False, True)
        self._huge = Fixpoint[bool](self._numbers, self._is_huge, False, True)
        self._signs = Signs(facts.flow)
        self.same = SameValues(facts.flow)

    def handed(self, value: Value) -> list[Any] | None:
        """What a value is one of; None where an op makes it, or it is given."""
        return handed(value, self._flow)

    def parts(self, value: Value) -> list[Any]:
        """What a number is computed from, or one of."""
        given = self.handed(value)
        if given is not None:
            return given
        if calls_python(value.node):
            return list(value.node.args[1])
        return list(operands_of(value.node)) if operator_of(value.node) else []

    def is_read(self, leaf: Any) -> bool:
        """Whether a number is read from a tensor, or computed from such a one."""
        return type(leaf) is Value and self._read.of(leaf)

    def is_of_trips(self, leaf: Any) -> bool:
        """Whether a number is what a loop on data carries or counts, which an array holds there, or computed from such a one."""
        return type(leaf) is Value and self._trips.of(leaf)

    def is_huge(self, leaf: Any) -> bool:
        """Whether a number is computed from what leaves the range of 32 bits long before that of a double."""
        return type(leaf) is Value and self._huge.of(leaf)

    def not_negative(self, leaf: Any) -> bool:
        """Whether a number is nowhere negative, as the ops tell that made it."""
        return self._signs.not_negative(leaf)

    # ------------------------------------------------------------------ equations
    def _numbers(self, value: Value) -> list[Value]:
        parts = self.parts(value) if self._facts.may_be_number(value) else []
        return [part for part in parts if type(part) is Value]

    def _is_read(self, value: Value) -> bool:
        own = is_made(value) and self._facts.may_be_number(value)
        return own or any(map(self._read.now, self._numbers(value)))

    def _is_of_trips(self, value: Value) -> bool:
        own = _is_of_loop(value) and self._facts.may_be_number(value)
        return own or any(map(self._trips.now, self._numbers(value)))

    def _is_huge(self, value: Value) -> bool:
        own = _grows(value.node) and self._facts.may_be_number(value)
        return own or any(map(self._huge.now, self._numbers(value)))


def _is_of_loop(value: Value) -> bool:
    """Whether a value is what a trip of a loop on data takes from the loop itself, or what that leaves."""
    graph = value.node.graph
    loop = graph.owner if graph is not None and is_placeholder(value.node) else value.node
    if loop is None or not is_loop(loop) or not hangs_on_data(loop):
        return False
    if loop is value.node or graph is None:
        return True
    at, items = graph.placeholders.index(value), loop.args[0] if is_for(loop) else ()
    return at < len(items) + len(loop.arg("init")) and not (at < len(items) and _is_short(items[at]))


def _is_short(over: Any) -> bool:
    """Whether a range ends within few trips."""
    return type(over) is tuple and all(is_literal(bound, _FEW) for bound in over[1:3])


def _grows(node: Node) -> bool:
    """Whether a node is a function whose result leaves the range of 32 bits early."""
    if not calls_python(node) or not function(node.args[0]).grows:
        return False
    *_, power = node.args[1]
    return not (len(node.args[1]) == 2 and is_literal(power, MOST_POWER))


def is_literal(leaf: Any, most: int) -> bool:
    """Whether a number stands there that is no greater than that."""
    return isinstance(leaf, int) and leaf <= most
