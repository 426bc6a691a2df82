"""Dead code: nodes without effect whose values nobody uses are erased, those of regions too."""

from __future__ import annotations

from ..graph import Graph, Node


def eliminate_dead(graph: Graph) -> int:
    """Erase the dead nodes of a graph and of its regions; returns how many."""
    erased = 0
    node = graph.last
    while node is not None:
        previous = node.prev
        for value in node.values:
            if value.uses:
                needed = True
                break
        else:
            needed = has_effect(node)
        if not needed:
            graph.erase(node)
            erased += 1
        elif node.regions:
            erased += sum(eliminate_dead(region) for region in node.regions)
        node = previous
    return erased


def has_effect(node: Node) -> bool:
    """Whether a node has to run although nobody uses its values."""
    return node.op.effect or any(has_effect(inner) for region in node.regions for inner in region)
