"""Signs: which values are nowhere negative, as the ops tell that made them, and tests, loops and calls that hand them on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dtypes import DType
from ..graph import Node, Value
from ..op import Trait
from ..python_numbers import is_not_negative
from ..trees import leaves
from .fixpoint import Fixpoint
from .flow import Flow
from .same import handed


class Signs:
    """Answers for the values of a program."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._found = Fixpoint[bool](self._parts, self._not_negative, True, False)

    def not_negative(self, leaf: Any) -> bool:
        """Whether a number or tensor is nowhere negative."""
        return self._found.of(leaf) if type(leaf) is Value else is_not_negative(leaf)

    def _hangs_on(self, value: Value) -> Sequence[Any] | None:
        given = handed(value, self._flow)
        return sign_sources(value.node) if given is None else given

    def _parts(self, value: Value) -> list[Value]:
        return [leaf for leaf in self._hangs_on(value) or () if type(leaf) is Value]

    def _not_negative(self, value: Value) -> bool:
        parts = self._hangs_on(value)
        return parts is not None and all(
            self._found.now(leaf) if type(leaf) is Value else is_not_negative(leaf) for leaf in parts
        )


def sign_sources(node: Node) -> Sequence[Any] | None:
    """What must be nowhere negative for the result of a node to be so: nothing, where it is in any case. None: it may be negative."""
    traits = node.op.traits
    if traits & Trait.NOT_NEGATIVE or _is_square(node) or _counts_up(node):
        return ()
    if not traits & Trait.KEEPS_SIGN:
        return None
    return [
        leaf
        for leaf in leaves(node.args if traits & Trait.ELEMENTWISE else node.args[:1])
        if not isinstance(leaf, DType)
    ]


def _counts_up(node: Node) -> bool:
    """0, 1, 2 … or what else a range has that begins at no negative number and rises."""
    if not node.op.traits & Trait.COUNTS or not is_not_negative(node.arg("step")):
        return False
    return node.arg("stop") is None or is_not_negative(node.arg("start"))


def _is_square(node: Node) -> bool:
    """x * x, or an even power."""
    if node.op.sign == "*":
        return node.args[0] is node.args[1]
    return node.op.sign == "**" and isinstance(node.args[1], int) and node.args[1] % 2 == 0
