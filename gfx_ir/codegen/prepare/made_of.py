"""What the numbers of a program are made of: read from tensors, beyond the range of 32 bits, nowhere negative, the same as others."""

from __future__ import annotations

from typing import Any

from ...dtypes import DType
from ...graph import Node, Value
from ...infer.facts import Facts, is_made
from ...infer.fixpoint import Fixpoint
from ...infer.same import SameValues, handed
from ...op import Trait
from ...python_numbers import OPERATORS
from ...trees import leaves

_HUGE = frozenset(f"math.{name}" for name in ("exp", "exp2", "expm1", "cosh", "sinh", "gamma", "pow"))
MOST_POWER = 3


class MadeOf:
    """Answers for the numbers of a program, each found once."""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._flow = facts, facts.flow
        self._read = Fixpoint[bool](self._numbers, self._is_read, False, True)
        self._huge = Fixpoint[bool](self._numbers, self._is_huge, False, True)
        self._not_negative = Fixpoint[bool](self._kept, self._is_not_negative, True, False)
        self.same = SameValues(facts.flow)

    def handed(self, value: Value) -> list[Any] | None:
        """What a value is one of; None where an op makes it, or it is given."""
        return handed(value, self._flow)

    def parts(self, value: Value) -> list[Any]:
        """What a number is computed from, or one of."""
        given = self.handed(value)
        if given is not None:
            return given
        if value.node.op.name == "python":
            return list(value.node.args[1])
        return list(value.node.args) if value.node.op.name in OPERATORS else []

    def is_read(self, leaf: Any) -> bool:
        """Whether a number is read from a tensor, or computed from such a one."""
        return type(leaf) is Value and self._read.of(leaf)

    def is_huge(self, leaf: Any) -> bool:
        """Whether a number is computed from what leaves the range of 32 bits long before that of a double."""
        return type(leaf) is Value and self._huge.of(leaf)

    def not_negative(self, leaf: Any) -> bool:
        """Whether a number is nowhere negative, as the ops tell that made it."""
        return self._not_negative.of(leaf) if type(leaf) is Value else _is_not_negative(leaf)

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

    def _taken(self, value: Value) -> list[Any]:
        given = self.handed(value)
        if given is not None:
            return given
        args, traits = value.node.args, value.node.op.traits
        if not traits & Trait.KEEPS_SIGN:
            return []
        return [
            leaf for leaf in leaves(args if traits & Trait.ELEMENTWISE else args[:1]) if not isinstance(leaf, DType)
        ]

    def _kept(self, value: Value) -> list[Value]:
        return [leaf for leaf in self._taken(value) if type(leaf) is Value]

    def _is_not_negative(self, value: Value) -> bool:
        node = value.node
        if self.handed(value) is None:
            if node.op.traits & Trait.NOT_NEGATIVE or _is_square(node) or _counts_up(node):
                return True
            if not node.op.traits & Trait.KEEPS_SIGN:
                return False
        return all(
            self._not_negative.now(leaf) if type(leaf) is Value else _is_not_negative(leaf)
            for leaf in self._taken(value)
        )


def _is_not_negative(leaf: Any) -> bool:
    return isinstance(leaf, (int, float)) and leaf >= 0


def _grows(node: Node) -> bool:
    """Whether a node is a function whose result leaves the range of 32 bits early."""
    if node.op.name != "python" or node.args[0] not in _HUGE:
        return False
    return not (node.args[0] == "math.pow" and is_literal(node.args[1][1], MOST_POWER))


def is_literal(leaf: Any, most: int) -> bool:
    """Whether a number stands there that is no greater than that."""
    return isinstance(leaf, int) and leaf <= most


def _counts_up(node: Node) -> bool:
    """0, 1, 2 … or what else a range has that begins at no negative number and rises."""
    if node.op.name != "arange" or not _is_not_negative(node.arg("step")):
        return False
    return node.arg("stop") is None or _is_not_negative(node.arg("start"))


def _is_square(node: Node) -> bool:
    """x * x, or an even power."""
    if node.op.name == "multiply":
        return node.args[0] is node.args[1]
    return node.op.name == "pow" and isinstance(node.args[1], int) and node.args[1] % 2 == 0
