"""Dependence analysis of one graph: what a node needs, what needs it, and which nodes dominate it. Linear walks.

A node depends on the nodes whose values it takes, and on the effect that it stands after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .graph import Graph, Node, Value
from .trees import leaves


def needs(node: Node) -> Iterator[Node]:
    """The nodes of its own graph that a node depends on directly, arguments of the graph left out."""
    for leaf in leaves(node.args):
        if type(leaf) is Value and leaf.node.graph is node.graph and not is_end(leaf):
            yield leaf.node
    if node.after is not None:
        yield node.after


def is_end(value: Value) -> bool:
    """Whether a value is an argument or a parameter of its graph, and of no node in the list."""
    return value.node.op.name in ("placeholder", "parameter")


def ancestors(nodes: Iterable[Node]) -> set[Node]:
    """Everything that these nodes depend on, in their graph, themselves left out unless one needs another."""
    found: set[Node] = set()
    stack = [needed for node in nodes for needed in needs(node)]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack.extend(needs(node))
    return found


def descendants(graph: Graph, nodes: Iterable[Node]) -> set[Node]:
    """Every node of the graph that depends on these, themselves left out unless one needs another."""
    start, found = set(nodes), set()
    for node in graph:
        if any(needed in start or needed in found for needed in needs(node)):
            found.add(node)
    return found


def dominators(graph: Graph) -> dict[Node, Node | None]:
    """The immediate dominator of each node: the last one that every way from the arguments to it passes (None: none does).

    Source: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001); without cycles one walk is enough.
    """
    depth: dict[Node | None, int] = {None: 0}
    found: dict[Node, Node | None] = {}
    for node in graph:
        before = list(needs(node))
        open_ways = not before or any(type(leaf) is Value and is_end(leaf) for leaf in leaves(node.args))
        common: Node | None = None if open_ways else before[0]
        for other in before[1:] if not open_ways else ():
            common = _common(common, other, found, depth)
        found[node] = common
        depth[node] = depth[common] + 1
    return found


def _common(
    a: Node | None, b: Node | None, found: dict[Node, Node | None], depth: dict[Node | None, int]
) -> Node | None:
    while a is not b:
        if depth[a] < depth[b]:
            a, b = b, a
        if a is not None:
            a = found[a]
    return a
