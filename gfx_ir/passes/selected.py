"""Rows that data choose: what a mask selects, and what is computed of it. How many there are only data tell, which a compiler has not;
it is told to compute all rows where the mask, what is computed and where that is written stand beside each other."""

from __future__ import annotations

from collections.abc import Iterable

from ..graph import Node, Value, values_in
from ..op import Trait
from ..types import LogicalTensor


def selects(node: Node) -> bool:
    """Whether a node reads or writes at a place that may be a mask: a tensor that is not known to be of whole numbers."""
    if not node.op.traits & (Trait.READS_AT | Trait.WRITES_AT):
        return False
    return any(value.is_tensor and _may_be_mask(value) for value in values_in((node.args[1],)))


def selected(nodes: Iterable[Node]) -> set[Value]:
    """The values of nodes, in their order, that are such rows or follow from them."""
    found = set[Value]()
    for node in nodes:
        written = node.op.traits & Trait.WRITES_AT
        if not written and (selects(node) or (found and not found.isdisjoint(values_in(node.args)))):
            found.update(value for value in node.values if value.is_tensor)
    return found


def _may_be_mask(value: Value) -> bool:
    dtype = value.type.dtype if isinstance(value.type, LogicalTensor) else None
    return dtype is None or dtype.kind == "b"
