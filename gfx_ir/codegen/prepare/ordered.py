"""Control dependencies of the printer's copy: what another node waits for is computed before it, by a statement of its own.

Compiled code keeps the order of statements as far as it shows: what has no effect a compiler may compute when it likes.
"""

from __future__ import annotations

from ...graph import Node
from ...op import lookup
from ...program import Program
from .base import Emission, Lowering


class KeepOrder(Lowering):
    """Control dependencies as the order of statements."""

    name = "keep_order"

    def lower(self, program: Program, emission: Emission) -> None:
        """Evaluate what is waited for where it stands. It needs no more than that: nothing is printed before its place."""
        graphs = program.graphs
        for graph in graphs:
            awaited = dict.fromkeys(other for node in graph.walk() for other in node.waits)
            for node in awaited:
                if node.values and node.graph is not None:
                    node.graph.insert(Node(lookup("evaluate"), (node.values[0], ""), (), node.span), node.next)
            for node in graph.walk() if awaited else ():
                node.waits = ()
