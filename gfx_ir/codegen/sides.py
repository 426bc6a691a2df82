"""Sides of tests, and what stands around a region: what they give, and what they take from outside."""

from __future__ import annotations

from typing import Any

from ..control import is_test
from ..graph import Node, Value
from ..regions import outputs_of


def outer(leaf: Any) -> Any:
    """What a placeholder of a test's side, or of a loop behind what is carried, stands for outside; any other leaf as it is."""
    graph = leaf.node.graph if type(leaf) is Value else None
    owner = graph.owner if graph is not None else None
    if owner is None or graph is None or leaf not in graph.placeholders:
        return leaf
    operands = owner.args[1] if is_test(owner) else owner.arg("operands")
    at = graph.placeholders.index(leaf) - len(graph.placeholders) + len(operands)
    return operands[at] if at >= 0 else leaf


def joins(node: Node) -> list[tuple[Value, Any, Any]]:
    """(output, what the one side gives for it, what the other does) of every output of a test."""
    count = len(node.values)
    return list(zip(node.values, *(outputs_of(region.result, count) for region in node.regions)))
