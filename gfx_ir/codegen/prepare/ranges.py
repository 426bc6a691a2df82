"""Functional loops over ranges whose bounds are data: one with a step is counted from 0, and its index computed."""

from __future__ import annotations

from typing import Any

from ...control import is_data_for
from ...edited import put
from ...graph import Graph, Node, Value
from ...program import Program
from .base import Emission, Lowering


class Ranges(Lowering):
    """Loops over ranges that data bounds count by one."""

    name = "ranges"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Rewrite such loops in the graph and its regions where nothing is stacked: `lax.fori_loop` knows no step."""
        for node in list(graph.walk()):
            if not is_data_for(node) or len(node.args[0]) != 1 or type(node.args[0][0]) is not tuple:
                continue
            _, start, stop, step = node.args[0][0]
            data = any(type(bound) is Value and bound.is_tensor for bound in (start, stop, step))
            if data and not (type(step) is int and step == 1) and len(node.values) == len(node.arg("init")):
                _rewrite(node, start, stop, step)


def _rewrite(node: Node, start: Any, stop: Any, step: Any) -> None:
    graph, body = node.graph, node.regions[0]
    assert graph is not None
    # The trips are the distance by the step, rounded up; a loop of fewer than none has none.
    trips = put(
        graph, node, "negative", put(graph, node, "floor_divide", put(graph, node, "subtract", start, stop), step)
    )
    index, operands = body.placeholders[0], list(node.arg("operands"))
    counter = body.add_placeholder("k", "int")
    body.placeholders[0] = body.placeholders.pop()
    inner = []
    for bound in (start, step):
        if type(bound) is Value:
            operands.append(bound)
            bound = body.add_placeholder(bound.name or "", bound.kind, bound.type)
        inner.append(bound)
    first = body.first
    moved = put(body, first, "add", inner[0], put(body, first, "multiply", counter, inner[1]))
    moved.name = index.name
    index.replace_by(moved)
    node.set_args(((("range", 0, trips, 1),), node.arg("init"), tuple(operands), node.arg("exit")))
