"""Effects of nodes: which have to run though nobody takes their values, of what they hold or call, too."""

from __future__ import annotations

from ..control import calls_function
from ..dependence import pinned
from ..graph import Graph, Node
from ..program import Program


class Effects:
    """Answers for the nodes of one program; each graph is looked through once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[Graph, bool] = {}
        self.pinned: dict[Graph, set[Node]] = {}

    def node(self, node: Node) -> bool:
        """Whether the node acts on the world, may raise an error that its author asked for, or is one end of a control dependency."""
        if node.op.effect or self.ordered(node):
            return True
        if calls_function(node):
            callee = self.program.callee(node.args[0])
            return callee is None or self.graph(callee)
        return any(self.graph(region) for region in node.regions)

    def ordered(self, node: Node) -> bool:
        """Whether a node waits for another one, or another one for it."""
        graph = node.graph
        if graph is None:
            return False
        found = self.pinned.get(graph)
        if found is None:
            found = self.pinned[graph] = pinned(graph)
        return node in found

    def graph(self, graph: Graph) -> bool:
        """Whether any node of a graph does."""
        found = self.known.get(graph)
        if found is None:
            found = self.known[graph] = any(self.node(node) for node in graph)
        return found
