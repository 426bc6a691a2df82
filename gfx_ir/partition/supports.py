"""Which nodes of a program a device takes: plain ones by its word, tests, loops and calls with all that they hold."""

from __future__ import annotations

from ..control import is_call
from ..graph import Graph, Node, values_in
from ..program import Program
from ..runtime.device import Device
from ..runtime.support import YES, Support, no


class Supports:
    """Answers for the nodes of one program; each graph is looked through once for each device."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._graphs: dict[tuple[Graph, Device], Support] = {}

    def node(self, node: Node, device: Device) -> Support:
        """Whether the device takes a node, and what it holds or calls."""
        if has_key(node):
            return no("random numbers are drawn by whoever holds the key")
        if is_call(node):
            callee = self.program.callee(node.args[0])
            return no("its function is not known") if callee is None else self.graph(callee, device)
        found = device.supports(node).at(node)
        if found.answer is False:
            return found
        inner = [self.graph(region, device) for region in node.regions]
        return next((answer for answer in inner if answer.answer is False), found)

    def graph(self, graph: Graph, device: Device) -> Support:
        """Whether the device takes every node of a graph."""
        key = graph, device
        found = self._graphs.get(key)
        if found is None:
            answers = ((node, self.node(node, device)) for node in graph)
            bad = next(((node, answer) for node, answer in answers if answer.answer is False), None)
            found = self._graphs[key] = YES if bad is None else no(f"{bad[0].op.name} in it: {bad[1].reason}")
        return found


def has_key(node: Node) -> bool:
    """Whether a node takes or gives a key of random numbers."""
    for value in node.values:
        if value.kind == "key":
            return True
    return "key" in [value.kind for value in values_in(node.args)]


def neutral(node: Node) -> bool:
    """Whether a node gives host values alone, and acts on nothing: what is known of shapes and of other host values."""
    for value in node.values:
        if value.is_tensor or value.kind == "key":
            return False
    if not node.values or node.op.effect:
        return False
    return node.op.control is None or not (node.regions or node.op.control.reads_data or is_call(node))
