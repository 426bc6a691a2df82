"""Common subexpressions: of nodes that compute the same of the same values one is kept, tests and loops, too."""

from __future__ import annotations

from collections.abc import Hashable

from ..graph import Node, Value
from ..keys import tree_key
from ..op import Trait
from ..program import Program
from .base import ALL, Context, Pass, every_graph
from .effects import Effects
from .escaping import Escaping
from .fingerprint import region_key
from .sweep import sweep, written


class CommonSubexpressions(Pass):
    """Keeps the first of equal nodes in each graph and region. Two results that a caller gets stay two,
    and what they share memory with, as it may write them."""

    name = "common_subexpressions"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        effects, escaping, changed = Effects(program), Escaping(program), False
        for graph in reversed(every_graph(program)):  # regions first: equal ones have equal keys then
            first: dict[Hashable, Node] = {}
            kept = written(graph)

            def visit(node: Node, first: dict[Hashable, Node] = first, kept: set[Value] = kept) -> tuple | None:
                if not node.values or node.in_place or node.op.traits & Trait.FRESH or effects.node(node):
                    return None
                found = first.setdefault(_key(node), node)
                return None if found is node or not _one(found, node, kept, escaping) else found.values

            changed |= sweep(graph, visit)
        return changed


def _key(node: Node) -> Hashable:
    """Equal for nodes that compute the same."""
    regions = [region_key(region) for region in node.regions]
    kinds = tuple([value.kind for value in node.values])
    return (node.op.name, kinds, tree_key(node.args), *regions)


def _one(first: Node, other: Node, kept: set[Value], escaping: Escaping) -> bool:
    """Whether the values of one may stand for those of the other."""
    for a, b in zip(first.values, other.values):
        if a in kept or b in kept or (a.is_tensor and a in escaping and b in escaping):
            return False
    for a, b in zip(first.values, other.values):
        if b in escaping:
            escaping.values.add(a)
        if a.type is None:
            a.type = b.type
    return True
