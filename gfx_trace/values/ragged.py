"""Ragged items: which axes of what a trip of a loop appends have another size in another trip, by the ops that made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gfx_ir.control import is_placeholder
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import Trait
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

from .record import Record

Axes = frozenset
EVEN: Axes = frozenset()
ANY: Axes = frozenset((None,))
"""Some axis, and nothing tells which."""


def is_ragged(record: Record, graph: Graph, item: Value, fixed: set[Value], carried: Mapping[Value, Axes]) -> bool:
    """Whether the shape of `item`, which the body `graph` of a loop makes, hangs on a number that changes from trip to trip, on
    elements of a mask, or on a tensor that the loop carries and of which a trip changes some axes, as `carried` has them; `fixed`: what
    the body has from outside."""
    if item.node.graph is not graph or not item.is_tensor or _is_known(item):
        return False
    uneven = _Uneven(record, {x for x in graph.placeholders if x.kind == "int" and x not in fixed}, carried)
    for node in graph:
        uneven.note(node)
    return bool(uneven.axes.get(item))


def _is_known(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, LogicalTensor) and type_.dims is not None and None not in type_.dims


class _Uneven:
    """Of one trip: the numbers that are others in another, and the axes of tensors whose sizes are."""

    def __init__(self, record: Record, numbers: set[Value], carried: Mapping[Value, Axes]) -> None:
        self.record, self.numbers = record, numbers
        self.axes = dict(carried)

    def note(self, node: Node) -> None:
        """What the values of a node are."""
        if is_placeholder(node):
            return
        taken = [leaf for leaf in leaves(node.args) if type(leaf) is Value]
        if not any(leaf in self.numbers or leaf in self.axes for leaf in taken) and not self._selects(node):
            return
        found = self._tensor(node, taken) if any(value.is_tensor for value in node.values) else EVEN
        for value in node.values:
            if value.is_tensor and found and not _is_known(value) and self.record.rank_of(value) != 0:
                self.axes[value] = found
            elif not value.is_tensor:
                self.numbers.add(value)

    def _selects(self, node: Node) -> bool:
        """Whether a mask tells how many elements there are."""
        return bool(node.op.traits & Trait.READS_AT) and any(
            type(leaf) is Value and leaf.is_tensor and self.record.is_boolean(leaf) for leaf in leaves(node.args[1])
        )

    def _tensor(self, node: Node, taken: list[Value]) -> Axes:
        traits = node.op.traits
        first = self.axes.get(node.args[0], EVEN) if node.args and type(node.args[0]) is Value else EVEN
        if traits & Trait.ELEMENTWISE:
            found = {self.axes[leaf] for leaf in taken if leaf in self.axes}
            return EVEN if not found else found.pop() if len(found) == 1 else ANY
        if traits & (Trait.SHAPE_OF_FIRST | Trait.WRITES_AT | Trait.CASTS):
            return first
        if self._selects(node):
            return ANY
        if traits & Trait.READS_AT:
            return self._cut(node, first)
        if traits & Trait.AXES and "keepdims" in node.op.params and len(node.values) == 1:
            return _reduced(first, node.arg("axis"), node.arg("keepdims"))
        return ANY

    def _cut(self, node: Node, first: Axes) -> Axes:
        index = node.args[1] if type(node.args[1]) is tuple else (node.args[1],)
        if any(item is not None and not isinstance(item, (int, slice, Value)) for item in index) or None in first:
            return ANY if first or any(leaf in self.numbers for leaf in leaves(index) if type(leaf) is Value) else EVEN
        if any(type(item) is Value and item.is_tensor and self.record.rank_of(item) != 0 for item in index):
            return ANY
        found, at, made = set(), 0, 0
        for item in index:
            if type(item) is slice:
                bounds = (item.start, item.stop, item.step)
                if at in first or any(type(end) is Value and end in self.numbers for end in bounds):
                    found.add(made)
            at, made = at + (item is not None), made + (item is None or type(item) is slice)
        return frozenset((*found, *(axis - at + made for axis in first if axis >= at)))


def _reduced(first: Axes, axis: Any, keepdims: Any) -> Axes:
    """The axes that a reduction leaves."""
    if not first or axis is None:
        return EVEN if not first or not keepdims else first
    over = axis if type(axis) is tuple else (axis,)
    if None in first or not all(type(at) is int and at >= 0 for at in over):
        return ANY
    left = first - set(over)
    return left if keepdims else frozenset(axis - sum(at < axis for at in over) for axis in left)
