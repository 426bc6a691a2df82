"""What values hold where that follows from constants and shapes: asked of tests, computed on demand, once a value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gfx_ir.graph import Value
from gfx_ir.infer.content import UNTOLD, Content, content
from gfx_ir.infer.sequences import as_truth
from gfx_ir.trees import leaves, tree_map

from .facts import Facts
from .record import Record

_OWN = frozenset(("placeholder", "parameter"))


class Decided:
    """The contents of the values of one capture."""

    def __init__(self, facts: Facts, record: Record) -> None:
        self.facts, self.record = facts, record
        self.known: dict[Value, Content] = {}
        self.loops = 0  # how many tests of loops are being asked

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Inside, nothing is told: a loop whose first test is would be run trip by trip at capture."""
        self.loops += 1
        try:
            yield
        finally:
            self.loops -= 1

    def truth(self, value: Value) -> bool | None:
        """Whether a test holds for all inputs, or for none; None where that is not told."""
        return None if self.loops else as_truth(self.of(value))

    def of(self, value: Value) -> Content:
        """What a value holds; None where that hangs on data."""
        known, root = self.known, self.facts.root(value)
        waiting = [root]
        while waiting:
            top = waiting[-1]
            part = None if top in known else self._missing(top)
            if part is not None:
                waiting.append(part)
            else:
                waiting.pop()
                if top not in known:
                    known[top] = self._made(top)
        return known[root]

    def _parts(self, value: Value) -> list[Value]:
        node = value.node
        if (
            node.op.name in _OWN
            or node.regions
            or node.op.effect
            or len(node.values) != 1
            or node.op.family == "create"
        ):
            return []
        return [self.facts.root(leaf) for leaf in leaves(node.args) if type(leaf) is Value and leaf.is_tensor]

    def _missing(self, value: Value) -> Value | None:
        """A value that has to be known first; none once one of them is told by nothing."""
        for part in self._parts(value):
            if part not in self.known:
                return part
            if self.known[part] is None:
                return None
        return None

    def _made(self, value: Value) -> Content:
        node, known = value.node, self.known
        parts = self._parts(value)
        if any(known.get(part) is None for part in parts) or (not parts and node.op.family != "create"):
            return None
        return content(node.op, tree_map(self._seen, node.args), self.record.of(value).type)

    def _seen(self, leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        if leaf.is_tensor:
            found = self.known.get(self.facts.root(leaf))
            return UNTOLD if found is None else found
        return self.facts.root(leaf)
