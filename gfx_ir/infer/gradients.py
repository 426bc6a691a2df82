"""Gradient flow: through which values of a program a gradient may flow, and of which a result asks for one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..control import Form, is_call, is_given, is_loop, is_output, is_test
from ..graph import Node, Value, values_in
from ..op import OpDef
from ..traits import Trait
from ..trees import leaves
from ..types import LogicalTensor
from .fixpoint import Fixpoint
from .flow import Flow

_EXACT = ("bool", "int", "key", "device")
"""Kinds of values that have no derivative."""


def marks(op: OpDef) -> bool:
    """Whether an op says itself what gradient goes through it."""
    return op.traits & Trait.GRADIENT != 0


def stops(op: OpDef) -> bool:
    """Whether an op is such a mark, which lets no gradient through."""
    return marks(op) and len(op.params) == 1


def is_exact(value: Value) -> bool:
    """Whether a value is known to be of whole numbers or truths, which have no derivative."""
    if value.kind in _EXACT:
        return True
    element = value.type.dtype if isinstance(value.type, LogicalTensor) else None
    return element is not None and element.kind not in "fc"


def differentiated(node: Node) -> list[Value]:
    """What a node takes through which a gradient may flow."""
    op = node.op
    if stops(op) or op.traits & Trait.ASKS:
        return []
    return values_in(node.args[:1] if marks(op) else node.args[1:] if op.traits & Trait.LIKE else node.args)


class GradientFlow:
    """Answers for the values of a program. What a region or a function gives is taken as asked for: what follows it does not change
    what is recorded inside of it."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._readers: dict[Value, list[Value]] = {}
        for value, source in flow.sources.items():
            self._read(value, source.leaves)
        for value, (_, item) in flow.rows.items():
            self._read(value, leaves(item))
        self._moves = Fixpoint[bool](self._hangs_on, self._may_move, False, True)
        self._asked = Fixpoint[bool](self._asking, self._may_be_asked, False, True)

    def moves(self, leaf: Any) -> bool:
        """Whether a gradient may flow to what is given from outside, a parameter among it, through a leaf."""
        return type(leaf) is Value and self._moves.of(leaf)

    def asked(self, value: Value) -> bool:
        """Whether a result may ask for the gradient of a value."""
        return self._asked.of(value)

    def _read(self, value: Value, given: Iterable[Any]) -> None:
        for leaf in given:
            if type(leaf) is Value:
                self._readers.setdefault(leaf, []).append(value)

    # ------------------------------------------------------------------ from what is given
    def _sources(self, value: Value) -> Sequence[Any] | None:
        """What a value is one of, or a part of; None where an op makes it of what it takes."""
        source = self._flow.sources.get(value)
        if source is not None:
            return source.leaves[-1:] if source.runs else source.leaves
        if value in self._flow.rows:
            return tuple(leaves(self._flow.rows[value][1]))
        return [self._flow.stacked[value]] if value in self._flow.stacked else None

    def _hangs_on(self, value: Value) -> list[Value]:
        if is_exact(value):
            return []
        given = self._sources(value)
        return differentiated(value.node) if given is None else values_in((given,))

    def _may_move(self, value: Value) -> bool:
        node = value.node
        if is_exact(value):
            return False
        source = self._flow.sources.get(value)
        if self._sources(value) is None and (is_given(node) or node.op.form in _HOLD_WEIGHTS):
            return True
        return (source is not None and source.outside) or any(map(self._moves.now, self._hangs_on(value)))

    # ------------------------------------------------------------------ from results
    def _asking(self, value: Value) -> list[Value]:
        """The values through which a value's gradient may be asked for."""
        found = [*self._readers.get(value, ())]
        for node in value.uses:
            if not (node.regions or is_call(node) or is_output(node) or value not in differentiated(node)):
                found += node.values
        return found

    def _may_be_asked(self, value: Value) -> bool:
        if is_exact(value):
            return False
        if any(map(_asks, value.uses)):
            return True
        return any(map(self._asked.now, self._asking(value)))


_HOLD_WEIGHTS = (Form.CALL, Form.REPEAT, Form.HOLDER)
"""What computes with parameters that are no arguments of it."""


def _asks(node: Node) -> bool:
    """Whether a node may ask for the gradient of whatever it takes."""
    followed = is_test(node) or is_loop(node) or is_call(node)
    return is_output(node) or (not followed and (bool(node.regions) or node.op.form in _HOLD_WEIGHTS))
