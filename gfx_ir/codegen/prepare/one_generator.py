"""A generator of random numbers that every draw moves on."""

from __future__ import annotations

from ...graph import Graph, Node, Value
from ...program import Program
from .base import Emission, Lowering


class OneGenerator(Lowering):
    """Every draw takes the generator itself: it is not split."""

    name = "one_generator"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Put the generator in the place of what is made of it."""
        for node in list(graph.walk()):
            if _derives(node) and node.graph is not None:
                for value in node.values:
                    value.replace_by(node.args[0])
                node.graph.erase(node)


def _derives(node: Node) -> bool:
    """Whether a node makes nothing but keys of a key."""
    takes = node.op.params[:1] == ("key",) and type(node.args[0]) is Value
    return takes and {value.kind for value in node.values} == {"key"}
