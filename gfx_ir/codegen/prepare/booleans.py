"""Which values are booleans, where no type says so: the rows of a target ask for the kind of what they take."""

from __future__ import annotations

from ...dtypes import bool_
from ...graph import Graph
from ...infer.facts import Facts
from ...types import LogicalTensor


def tell_booleans(graph: Graph, facts: Facts) -> None:
    """Give what is surely an array of booleans the type of one, in the graph and its regions."""
    for node in graph.walk():
        given = (value for region in node.regions for value in region.placeholders)
        for value in (*node.values, *given):
            if value.is_tensor and value.type is None and facts.is_boolean(value):
                value.type = LogicalTensor(bool_)
