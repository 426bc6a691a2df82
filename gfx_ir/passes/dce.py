"""Dead code: nodes without effect whose values nobody uses are erased, those of regions too."""

from __future__ import annotations

from ..graph import Graph, Node


def eliminate_dead(graph: Graph) -> int:
    """Erase the dead nodes of a graph and of its regions; returns how many."""
    erased = 0
    todo: list[Node | None] = [graph.last]
    while todo:
        node = todo.pop()
        while node is not None:
            previous = node.prev
            for value in node.values:
                if value.uses:
                    needed = True
                    break
            else:
                needed = has_effect(node)
            if not needed:
                assert node.graph is not None
                node.graph.erase(node)
                erased += 1
            elif node.regions:
                todo.append(previous)
                todo.extend([region.last for region in node.regions])
                break
            node = previous
    return erased


def has_effect(node: Node) -> bool:
    """Whether a node has to run although nobody uses its values."""
    return node.op.effect or any(inner.op.effect for region in node.regions for inner in region.walk())
