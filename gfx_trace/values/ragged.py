"""Ragged items: which axes of what a trip of a loop appends have another size in another trip, by the ops that made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gfx_ir.control import is_placeholder, is_test
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import Trait
from gfx_ir.regions import outputs_of
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

from .record import Record

Axes = frozenset
EVEN: Axes = frozenset()
ANY: Axes = frozenset((None,))
"""Some axis, and nothing tells which."""


def is_ragged(record: Record, graph: Graph, item: Value, fixed: set[Value], carried: Mapping[Value, Axes]) -> bool:
    """Whether the shape of `item`, which the body `graph` of a loop makes, hangs on what changes from trip to trip, a number or an
    element of a row that tells where a slice ends, on elements of a mask, or on a tensor that the loop carries and of which a trip
    changes some axes, as `carried` has them; `fixed`: what the body has from outside."""
    if item.node.graph is not graph or not item.is_tensor or _is_known(item):
        return False
    return bool(_Uneven(record, graph, {x for x in graph.placeholders if x not in fixed}, carried).axes.get(item))


def _is_known(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, LogicalTensor) and type_.dims is not None and None not in type_.dims


class _Uneven:
    """Of one trip through a graph: the values that are others in another, and the axes of tensors whose sizes are."""

    def __init__(self, record: Record, graph: Graph, changing: set[Value], carried: Mapping[Value, Axes]) -> None:
        self.record, self.changing = record, changing
        self.axes = dict(carried)
        for node in graph:
            if not is_placeholder(node):
                self._note(node)

    def _note(self, node: Node) -> None:
        """What the values of a node are."""
        taken = [leaf for leaf in leaves(node.args) if type(leaf) is Value]
        if any(leaf in self.changing or leaf in self.axes for leaf in taken):
            self.changing.update(node.values)
        if is_test(node):
            self.axes.update((value, found) for value, found in zip(node.values, self._of_sides(node)) if found)
        elif (
            any(self._tells_sizes(leaf) or leaf in self.axes for leaf in taken)
            or self._selects(node)
            or self._ends(node)
        ):
            found = self._tensor(node, taken) if any(value.is_tensor for value in node.values) else EVEN
            for value in node.values:
                if value.is_tensor and found and not _is_known(value) and self.record.rank_of(value) != 0:
                    self.axes[value] = found

    def _tells_sizes(self, leaf: Any) -> bool:
        """Whether a value is a number of Python's, and another one in another trip."""
        return leaf in self.changing and (not leaf.is_tensor or self.record.weak(leaf) == "int")

    def _ends(self, node: Node) -> bool:
        """Whether a slice ends where a changing tensor says."""
        index = node.args[1] if node.op.traits & Trait.READS_AT else ()
        return any(type(item) is slice and self._moves(item) for item in (index if type(index) is tuple else (index,)))

    def _moves(self, item: slice) -> bool:
        return any(type(end) is Value and end in self.changing for end in (item.start, item.stop, item.step))

    def _of_sides(self, node: Node) -> list[Axes]:
        """The axes of what a test gives: those of either side."""
        found: list[Axes] = [EVEN] * len(node.values)
        control: Any = node.op.control
        for region, fed in zip(node.regions, control.feeds(node)):
            pairs = [(inner, leaf) for inner, leaf in zip(region.placeholders, fed) if type(leaf) is Value]
            carried = {inner: self.axes[leaf] for inner, leaf in pairs if leaf in self.axes}
            side = _Uneven(self.record, region, {inner for inner, leaf in pairs if leaf in self.changing}, carried)
            given = outputs_of(region.result, len(found))
            found = [
                axes | (side.axes.get(leaf, EVEN) if type(leaf) is Value else EVEN) for axes, leaf in zip(found, given)
            ]
        return found

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
            return (
                ANY if first or any(self._tells_sizes(leaf) for leaf in leaves(index) if type(leaf) is Value) else EVEN
            )
        if any(type(item) is Value and item.is_tensor and self.record.rank_of(item) != 0 for item in index):
            return ANY
        found, at, made = set(), 0, 0
        for item in index:
            if type(item) is slice:
                if at in first or self._moves(item):
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
