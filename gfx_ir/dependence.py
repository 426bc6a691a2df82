"""Dependence analysis of one graph: what a node needs, what needs it, and which nodes dominate it. Linear walks.

A node depends on the nodes whose values it takes, on the effect that it stands after, and on those that it waits for: its
control dependencies, which `order` adds. A node that waits, or is waited for, runs, and passes leave it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .control import is_given
from .errors import VerifyError
from .graph import Graph, Node, Value, values_in
from .reach import reached
from .trees import leaves


def needs(node: Node) -> list[Node]:
    """The nodes of its own graph that a node depends on directly, arguments of the graph left out."""
    graph = node.graph
    makers = [value.node for value in values_in(node.args)]
    found = [maker for maker in makers if maker.graph is graph and not is_given(maker)]
    if node.after is not None:
        found.append(node.after)
    return [*found, *node.waits] if node.waits else found


def is_end(value: Value) -> bool:
    """Whether a value is an argument or a parameter of its graph, and of no node in the list."""
    return is_given(value.node)


def order(first: Node, then: Node) -> None:
    """Let one node run before another, though that takes nothing of it: a control dependency between any two nodes of a program.

    Of nodes in regions it is between what holds them in the graph around both. What stands in the wrong order is moved. Raises
    VerifyError where `first` needs `then`, where no graph is around both, or they stand in two regions of one node.
    """
    first, then = _beside(first, then)
    graph = then.graph
    assert graph is not None
    if then in reached([first], needs):
        what = f"{then!r} cannot wait for {first!r}, which needs it"
        raise VerifyError(what, then.span, "take away one of the two dependencies")
    if first in then.waits:
        return
    if not _stands_before(first, then):
        _move_behind(graph, then, first)
    then.waits = (*then.waits, first)
    graph.edited()


def _beside(first: Node, then: Node) -> tuple[Node, Node]:
    """What holds two nodes in the innermost graph around both."""
    around = {node.graph: node for node in _holders(first)}
    for node in _holders(then):
        other = around.get(node.graph)
        if other is not None and node.graph is not None:
            if other is node:
                what = f"{first!r} and {then!r} are one node, or stand in one"
                raise VerifyError(what, then.span, "order nodes of one region, or of two nodes")
            return other, node
    what = f"{first!r} and {then!r} stand in no graph together"
    raise VerifyError(what, then.span, "order the calls of their functions")


def _holders(node: Node) -> Iterator[Node]:
    """A node, the one whose region holds it, and so on."""
    current: Node | None = node
    while current is not None:
        yield current
        current = current.graph.owner if current.graph is not None else None


def _stands_before(first: Node, then: Node) -> bool:
    forth, back = first.next, first.prev  # from both ends at once: as far as it is
    while forth is not None or back is not None:
        if forth is then:
            return True
        if back is then:
            return False
        forth = forth.next if forth is not None else None
        back = back.prev if back is not None else None
    return False


def _move_behind(graph: Graph, node: Node, place: Node) -> None:
    """Move a node, and what needs it, behind a later node that does not."""
    moved, current = {node: None}, node.next
    while current is not None and current is not place:
        if any(needed in moved for needed in needs(current)):
            moved[current] = None
        current = current.next
    before = place.next
    for each in moved:
        graph.detach(each)
        graph.insert(each, before)


def waiters(graph: Graph) -> dict[Node, list[Node]]:
    """For each node of a graph that is waited for, those that wait for it."""
    found: dict[Node, list[Node]] = {}
    for node in graph:
        for other in node.waits:
            found.setdefault(other, []).append(node)
    return found


def pinned(graph: Graph) -> set[Node]:
    """The nodes of a graph that wait, or are waited for."""
    found: set[Node] = set()
    for node in graph:
        if node.waits:
            found.update((node, *node.waits))
    return found


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
