"""Which values are booleans, where no type says so: the rows of a target ask for the kind of what they take."""

from __future__ import annotations

from ...dtypes import bool_
from ...graph import Graph
from ...program import Program
from ...types import LogicalTensor
from .base import HANDED, Emission, Lowering, facts_of


class Booleans(Lowering):
    """What is surely an array of booleans has the type of one."""

    name = "booleans"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Give what is surely an array of booleans the type of one, in the graph and its regions."""
        facts = facts_of(graph, program)
        for node in graph.walk():
            given = (value for region in node.regions for value in region.placeholders)
            for value in (*node.values, *given):
                if value.is_tensor and value.type is None and facts.is_boolean(value):
                    value.type = LogicalTensor(bool_)
