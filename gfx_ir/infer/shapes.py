"""Shapes where none are known: what each is made of, as the ops tell that made the values, and which values may have axes at all."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

from ..control import is_loop
from ..graph import Node, Value, values_among
from ..op import Trait
from ..regions import is_range
from ..rules import OPEN, RAISED, UNKNOWN
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .facts import Facts
from .fixpoint import Fixpoint
from .flow import Source


class Shapes:
    """The shapes of the values of a program. `single`: values of one element, as a test asks for the truth of no others.

    What a shape is made of is a set, as the bits of a number: dimensions, or values, and parts of them, of unknown shape. That of
    a number is empty."""

    def __init__(self, facts: Facts, single: Iterable[Value] = ()) -> None:
        self._flow, self._rules, self._settles = facts.flow, facts.rules, facts.settles
        self._bits: dict[Any, int] = {}
        self._single = frozenset(single)
        self._axes = Fixpoint[bool](self._sources, self._may_have_axes, False, True)
        self._dropped: frozenset[int | None] = frozenset()
        self._found = self._open()
        made = frozenset(self._shape(value, self._found.of) for value in self._single)
        self._dropped = made  # parts of such a kind are asked for their truth: they have one element
        self._found = self._open()

    def _open(self) -> Fixpoint[int | None]:
        return Fixpoint(self._parts, self._made_of, None, -1)

    def alike(self, first: Any, second: Any) -> bool:
        """Whether two values have one shape for all inputs: x * 2 and tanh(x), x[0] and x[1]."""
        return self._of(first) == self._of(second)

    def within(self, first: Any, second: Any) -> bool:
        """Whether all shapes that the first is broadcast from are among those of the second, which has no less axes then."""
        return not self._of(first) & ~self._of(second)

    def stands_for(self, new: Value, old: Value) -> None:
        """Note that a value takes the place of another one."""
        self._found.set(new, self._of(old))

    def may_have_axes(self, leaf: Any) -> bool:
        """Whether a value may be an array with axes."""
        return type(leaf) is Value and self._axes.of(leaf)

    def _of(self, leaf: Any) -> int:
        found = self._found.of(leaf) if type(leaf) is Value else 0
        return self._bit(leaf) if found is None or found < 0 else found

    # ------------------------------------------------------------------ what a shape is made of
    def _parts(self, value: Value) -> list[Value]:
        source = self._flow.sources.get(value)
        if source is not None:
            return values_among(source.leaves[:1] if self._is_settled(source) else source.leaves)
        if value in self._flow.rows:
            return values_among([self._flow.rows[value][1]])
        return values_among(leaves(value.node.args)) if value.is_tensor and value not in self._flow.stacked else []

    def _is_settled(self, source: Source) -> bool:
        """Whether a loop has to keep the shapes of what it carries: one of Python's own need not."""
        return source.node is not None and is_loop(source.node) and self._settles(source.node)

    def _made_of(self, value: Value) -> int | None:
        if not value.is_tensor or value in self._single:
            return 0
        return self._shape(value, self._found.now)

    def _shape(self, value: Value, shape_of: Any) -> int | None:
        def shape(leaf: Any) -> int | None:
            return shape_of(leaf) if type(leaf) is Value else 0

        known = value.type.dims if isinstance(value.type, LogicalTensor) else None
        if known is not None and None not in known:
            return self._bit(known) if known else 0
        source = self._flow.sources.get(value)
        if source is not None:
            if self._is_settled(source):
                init = source.leaves[0]
                return self._bit(value) if type(init) is not Value and self._axes.of(value) else shape(init)
            given = {shape(leaf) for leaf in source.leaves} - {None}
            return next(iter(given), None) if len(given) < 2 and not source.outside else self._bit(value)
        if value in self._flow.rows:
            rows = self._flow.rows[value][1]
            return 0 if is_range(rows) else self._part(shape(rows), 0)
        if value in self._flow.stacked:
            return self._bit(value)
        return self._of_op(value, shape)

    def _of_op(self, value: Value, shape: Any) -> int | None:
        node = value.node
        if _is_elementwise(node):
            taken = [shape(leaf) for leaf in leaves(node.args)]
            return None if None in taken else reduce(or_, taken, 0)
        first = node.args[0] if node.args and node.op.traits & Trait.SHAPE_OF_FIRST else None
        if type(first) is Value:
            found: int | None = shape(first)
            return found
        if node.op.traits & Trait.READS_AT and type(node.args[1]) in (int, Value):
            return self._part(shape(node.args[0]), shape(node.args[1]))
        return 0 if self._gives_number(node, value.index - 1) else self._bit(value)

    def _part(self, whole: int | None, index: int | None) -> int | None:
        """The shape of a part of an array."""
        if whole is None or index is None:
            return None
        part = self._bit((whole, index))
        return 0 if part in self._dropped else part

    def _bit(self, end: Any) -> int:
        return self._bits.setdefault(end, 1 << len(self._bits))

    # ------------------------------------------------------------------ whether there are axes
    def _sources(self, value: Value) -> list[Value]:
        source = self._flow.sources.get(value)
        if source is not None:
            return values_among(source.leaves)
        return values_among(leaves(value.node.args)) if _is_elementwise(value.node) else []

    def _may_have_axes(self, value: Value) -> bool:
        if not value.is_tensor or value in self._single:
            return False
        known = value.type.dims if isinstance(value.type, LogicalTensor) else None
        if known is not None:
            return bool(known)
        source = self._flow.sources.get(value)
        if source is not None:
            return source.outside or any(self._axes.now(part) for part in values_among(source.leaves))
        if value in self._flow.rows:
            return not is_range(self._flow.rows[value][1])
        if _is_elementwise(value.node):
            return any(self._axes.now(part) for part in self._sources(value))
        return value in self._flow.stacked or not self._gives_number(value.node, value.index - 1)

    def _gives_number(self, node: Node, at: int) -> bool:
        """Whether an op gives one number whatever it takes."""
        if node.regions or (node.op.infer is None and node.op.body is None):
            return False
        typed = lambda leaf: leaf if type(leaf) is not Value else UNKNOWN if leaf.is_tensor else OPEN
        try:
            made = self._rules.infer(node.op, tree_map(typed, node.args))[at]
        except RAISED:
            return False
        return isinstance(made, LogicalTensor) and made.dims == ()


def _is_elementwise(node: Node) -> bool:
    """Whether each element follows from those at its place: of a composite all ops of its body are of that family."""
    composite = node.op.family == "elementwise" and node.op.body is not None
    return composite or bool(node.op.traits & Trait.ELEMENTWISE)
