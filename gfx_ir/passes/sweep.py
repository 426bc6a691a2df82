"""Sweep: one walk along a graph in which values are replaced by what stands before them. Linear in its edges.

A LocalPass is a rule about one node, asked of every node in such a walk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..dependence import pinned
from ..graph import Graph, Node, Value
from ..program import Program
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .base import ALL, Context, Pass, every_graph
from .escaping import Escaping

Visit = Callable[[Node], Sequence[Any] | None]


def sweep(graph: Graph, visit: Visit) -> bool:
    """Show each node to `visit`, its inputs as they are by then. What it gives, one leaf a value, takes the place of the
    values, and the node goes; None: it stays, as ends of control dependencies do. Whether anything was replaced."""
    replaced: dict[Value, Any] = {}
    gone: list[Node] = []
    fixed = pinned(graph)
    for node in graph:
        if replaced:
            substitute(node, replaced)
        found = visit(node) if node not in fixed else None
        if found is None:
            continue
        for value, leaf in zip(node.values, found):
            replaced[value] = leaf
            if type(leaf) is Value and leaf.name is None:
                leaf.name = value.name
        gone.append(node)
    if replaced:
        substitute(graph.output, replaced)
    for node in reversed(gone):
        graph.erase(node)
    return bool(gone)


def substitute(node: Node, replaced: Mapping[Value, Any]) -> None:
    """Let a node take what replaces its inputs."""
    if any(type(leaf) is Value and leaf in replaced for leaf in leaves(node.args)):
        node.set_args(tree_map(lambda leaf: replaced.get(leaf, leaf) if type(leaf) is Value else leaf, node.args))


def written(graph: Graph, surely: Callable[[Node], bool] = lambda node: True) -> set[Value]:
    """The values that some node was written over by its author, in place: they keep their users. `surely`: which nodes stay so."""
    found: set[Value] = set()
    for node in graph:
        if node.in_place and node.args and type(node.args[0]) is Value and surely(node):
            found.update((node.args[0], *node.values))
    return found


def known_type(leaf: Any) -> LogicalTensor | None:
    """The type of a tensor value where its dtype and rank are known, and it is no weak number."""
    type_ = leaf.type if type(leaf) is Value else None
    good = isinstance(type_, LogicalTensor) and type_.dtype is not None and type_.dims is not None and not type_.weak
    return type_ if good else None


def same_type(a: Any, b: Any) -> bool:
    """Whether two values are surely of one dtype and shape."""
    first, second = known_type(a), known_type(b)
    if first is None or second is None or first.dims is None or second.dims is None:
        return False
    return first.dtype == second.dtype and None not in first.dims and first.dims == second.dims


class LocalPass(Pass):
    """A rule about one node, for every node of every graph. `kept` are the values that are written in place: they stay."""

    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        changed, escaping = False, Escaping(program)
        for graph in every_graph(program):
            kept, fixed = written(graph), pinned(graph)
            changed |= sweep(graph, partial(self._visit, kept, escaping))
            for node in graph:
                changed |= node not in fixed and self.after(kept, node)
        return changed

    def _visit(self, kept: set[Value], escaping: Escaping, node: Node) -> tuple | None:
        """What its rule says of a node, unless a caller, who gets memory of the node's own, would get other memory."""
        found = self.rule(kept, node)
        if found is None or node.op.put is not None or all(map(escaping.moves, node.values, found)):
            return found
        return None

    def rule(self, kept: set[Value], node: Node) -> tuple | None:
        """What takes the place of the node's values; None: the node stays."""
        raise NotImplementedError

    def after(self, kept: set[Value], node: Node) -> bool:
        """Change a node that stayed, or put another in its place. Whether anything was changed."""
        return False
