"""What the numbers of a program are made of: read from tensors, beyond the range of 32 bits, nowhere negative, the same as others."""

from __future__ import annotations

from typing import Any

from ...control import calls_python
from ...graph import Node, Value
from ...infer.facts import Facts, is_made
from ...infer.fixpoint import Fixpoint
from ...infer.same import SameValues, handed
from ...infer.signs import Signs

_HUGE = frozenset(f"math.{name}" for name in ("exp", "exp2", "expm1", "cosh", "sinh", "gamma", "pow"))
MOST_POWER = 3


class MadeOf:
    """Answers for the numbers of a program, each found once."""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._flow = facts, facts.flow
        self._read = Fixpoint[bool](self._numbers, self._is_read, False, True)
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
        return list(value.node.args) if value.node.op.sign else []

    def is_read(self, leaf: Any) -> bool:
        """Whether a number is read from a tensor, or computed from such a one."""
        return type(leaf) is Value and self._read.of(leaf)

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

    def _is_huge(self, value: Value) -> bool:
        own = _grows(value.node) and self._facts.may_be_number(value)
        return own or any(map(self._huge.now, self._numbers(value)))


def _grows(node: Node) -> bool:
    """Whether a node is a function whose result leaves the range of 32 bits early."""
    if not calls_python(node) or node.args[0] not in _HUGE:
        return False
    return not (node.args[0] == "math.pow" and is_literal(node.args[1][1], MOST_POWER))


def is_literal(leaf: Any, most: int) -> bool:
    """Whether a number stands there that is no greater than that."""
    return isinstance(leaf, int) and leaf <= most
