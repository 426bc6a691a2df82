"""Carried values that a loop carries for nobody."""

from __future__ import annotations

from ...control import is_for, is_loop
from ...edited import take_place
from ...graph import Graph, Node
from ...program import Program
from ...regions import outputs_of
from ..liveness import placeholders
from .base import Emission, Lowering


class DropCarried(Lowering):
    """Loops carry nothing in vain."""

    name = "drop_carried"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Leave them out of the loops of the graph and its regions."""
        for node in list(graph.walk()):
            if is_loop(node):
                _drop(node)


def _drop(node: Node) -> None:
    """Replace a loop by one without the carried values that are read neither in it nor behind it."""
    graph, init = node.graph, node.arg("init")
    phis = [placeholders(node, region)[1] for region in node.regions]
    kept = [
        at
        for at, value in enumerate(node.values[: len(init)])
        if at == node.arg("exit") or value.uses or any(found[at].uses for found in phis)
    ]
    if len(kept) == len(init) or graph is None or not kept:
        return
    stacked = range(len(init), len(node.values))
    items = len(node.args[0]) if is_for(node) else 0
    results = outputs_of(node.regions[-1].result, len(node.values))
    node.regions[-1].result = tuple(results[at] for at in (*kept, *stacked))
    for region in node.regions:
        first, rest = region.placeholders[:items], region.placeholders[items + len(init) :]
        region.placeholders[:] = [*first, *(region.placeholders[items + at] for at in kept), *rest]
    args = list(node.args)
    args[node.op.params.index("init")] = tuple(init[at] for at in kept)
    if node.arg("exit") is not None:
        args[node.op.params.index("exit")] = kept.index(node.arg("exit"))
    values = [node.values[at] for at in (*kept, *stacked)]
    made = Node(node.op, tuple(args), tuple(value.kind for value in values), node.span, node.regions)
    graph.insert(made, node)
    take_place(made.values, values)
    graph.erase(node)
