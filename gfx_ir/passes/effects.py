"""Effects of nodes: which have to run though nobody takes their values, of what they hold or call, too."""

from __future__ import annotations

from ..graph import Graph, Node
from ..program import Program


class Effects:
    """Answers for the nodes of one program; each graph is looked through once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[Graph, bool] = {}

    def node(self, node: Node) -> bool:
        """Whether the node acts on the world, or may raise an error that its author asked for."""
        if node.op.effect:
            return True
        if node.op.name == "call":
            callee = self.program.callee(node.args[0])
            return callee is None or self.graph(callee)
        return any(self.graph(region) for region in node.regions)

    def graph(self, graph: Graph) -> bool:
        """Whether any node of a graph does."""
        found = self.known.get(graph)
        if found is None:
            found = self.known[graph] = any(self.node(node) for node in graph)
        return found
