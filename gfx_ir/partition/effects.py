"""Order of effects: what acts on the world keeps its order where a program is cut, tests, loops and calls that hold such nodes too."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from ..control import is_call
from ..graph import Graph, Node
from ..program import Program
from ..reach import needed_first
from ..regions import with_regions
from ..verify import called


def acting_graphs(program: Program) -> set[Graph]:
    """The graphs in which something acts, by what they call, too."""
    found: set[Graph] = set()
    for graph in needed_first(program.entry, partial(called, program)):
        if any(node.op.effect for node in graph.walk()) or not found.isdisjoint(called(program, graph)):
            found.add(graph)
    return found


def acts(node: Node, program: Program, graphs: Collection[Graph]) -> bool:
    """Whether a node acts, or what it holds or calls does; `graphs`: see `acting_graphs`."""
    everything = (node, *(inner for region in node.regions for inner in region.walk()))
    return any(one.op.effect or (is_call(one) and program.callee(one.args[0]) in graphs) for one in everything)


def keep_order(program: Program) -> None:
    """Let each node that acts wait for the one before it in its graph, in place."""
    if not any(node.op.effect for graph in program.graphs for node in graph.walk()):
        return
    graphs = acting_graphs(program)
    for graph in with_regions(program.graphs):
        before: Node | None = None
        for node in graph:
            if not acts(node, program, graphs):
                continue
            if before is not None and before is not node.after and before not in node.waits:
                node.waits = (*node.waits, before)
            before = node
