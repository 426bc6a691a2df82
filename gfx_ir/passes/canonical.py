"""Canonical form: the operands of a commutative op stand in the order in which they are made, constants last."""

from __future__ import annotations

from typing import Any

from ..graph import Graph, Value
from ..op import Trait
from ..program import Program
from .base import ALL, Context, Pass, every_graph


class Canonical(Pass):
    """Orders operands, so that equal computations are written alike (for common subexpressions and patterns)."""

    name = "canonical"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        return sum(_order(graph) for graph in every_graph(program)) > 0


def _order(graph: Graph) -> bool:
    ends = (*graph.placeholders, *graph.parameters.values())
    places: dict[Value, int] = {value: at for at, value in enumerate(ends)}
    changed = False
    for node in graph:
        for value in node.values:
            places[value] = len(places)
        if node.op.traits & Trait.COMMUTATIVE and len(node.args) == 2 and not node.in_place:
            a, b = node.args
            if _place(a, places) > _place(b, places):
                node.set_args((b, a))
                changed = True
    return changed


def _place(leaf: Any, places: dict[Value, int]) -> float:
    return places[leaf] if type(leaf) is Value else float("inf")
