"""Graph functions: a graph's nodes put in the place of a node; effects kept in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..control import is_call
from ..copies import copy_graph
from ..dependence import needs
from ..edited import take_place
from ..graph import Graph, Node, Value, replace_values
from ..regions import join_path, outputs_of, with_regions
from ..trees import tree_map


def results_of(graph: Graph, node: Node) -> tuple:
    """What a graph gives to each value of a node that holds or calls it."""
    return outputs_of(graph.result, len(node.values), node.span)


def splice(source: Graph, node: Node, args: Sequence[Any], prefix: str) -> None:
    """Put a copy of `source` in the place of a node: `args` for its placeholders, its parameters (and calls) under `prefix`.

    Effects may be out of order then: `relink` the graph once all is in place.
    """
    into = node.graph
    assert into is not None
    body = copy_graph(source, fresh=True)
    replaced: dict[Value, Any] = dict(zip(body.placeholders, args))
    for path, value in body.parameters.items():
        replaced[value] = into.add_parameter(join_path(prefix, path), value.type)
    if prefix:
        rebased((body,), lambda path: join_path(prefix, path))
    given = results_of(body, node)

    def outer(leaf: Any) -> Any:
        return replaced.get(leaf, leaf) if type(leaf) is Value else leaf

    body.result = None
    before = node
    for inner in list(body):
        body.detach(inner)
        inner.args = tree_map(outer, inner.args)
        into.insert(inner, before)
    made = list(map(outer, given))
    for value, leaf, new in zip(node.values, given, made):
        if new is leaf and type(new) is Value:
            new.name, new.type = value.name, value.type or new.type
    replace_values(dict(zip(node.values, made)))
    into.erase(node)


def move_in(source: Graph, node: Node) -> dict[Value, Value]:
    """Move the nodes of `source`, a function without parameters, to the place of its only call; names of its own stay. By values that
    are gone: what stands for each."""
    into = node.graph
    assert into is not None
    gone: dict[Value, Value] = {}
    for place, value in zip(list(source.placeholders), node.args[2]):
        if value.name is None:
            value.name = place.name
        gone[place] = value
    replace_values(gone)
    for inner in list(source):
        source.detach(inner)
        into.insert(inner, node)
    given, source.result = results_of(source, node), None
    for value, leaf in zip(node.values, given):
        if leaf.name is None:
            leaf.name = value.name
    left = dict(zip(node.values, given))
    replace_values(left)
    into.erase(node)
    return gone | left


def rebased(graphs: Iterable[Graph], to: Callable[[str], str]) -> None:
    """Let the calls and the parameters of graphs, and of their regions, stand where `to` says of where they do."""
    for graph in with_regions(graphs):
        for node in graph:
            if is_call(node):
                callee, path, args = node.args
                node.set_args((callee, to(path), args))
        graph.parameters = {to(path): value for path, value in graph.parameters.items()}
        for path, value in graph.parameters.items():
            value.node.args = (path,)


def relink(graph: Graph) -> None:
    """Let each effect stand after the one before it."""
    last: Node | None = None
    for node in graph:
        if node.op.effect:
            node.after, last = last, node


def hand_over(node: Node, made: Sequence[Node], waiting: dict[Node, list[Node]]) -> None:
    """Let the first of the nodes that stand for one wait for what it waited for, and what waits for it (`waiting`, of the graph) for
    the last of them."""
    followers = waiting.pop(node, [])
    if not followers and not node.waits:
        return
    inside, needed = set(made), {other for each in made for other in needs(each)}
    first = [each for each in made if inside.isdisjoint(needs(each))]
    last = [each for each in made if each not in needed]
    for each in first:
        each.waits = (*node.waits, *each.waits)
    for other in node.waits:
        waiting[other] = [*(each for each in waiting[other] if each is not node), *first]
    for each in followers:
        each.waits = tuple([x for other in each.waits for x in ((last or node.waits) if other is node else (other,))])
    for each in last:
        waiting.setdefault(each, []).extend(followers)


def between(graph: Graph, before: Node | None, after: Node | None) -> list[Node]:
    """The nodes of a graph behind one node and before another (None: its ends)."""
    found, node = [], graph.first if before is None else before.next
    while node is not None and node is not after:
        found.append(node)
        node = node.next
    return found


def remake(node: Node, args: tuple, kept: Sequence[int]) -> Node:
    """The same node with other arguments and of its values only those at `kept`; the others must have no users."""
    graph = node.graph
    assert graph is not None
    made = Node(node.op, args, tuple([node.values[at].kind for at in kept]), node.span, node.regions)
    made.after, made.in_place, made.device = node.after, node.in_place, node.device
    made.noted_as(node)
    graph.insert(made, node)
    take_place(made.values, [node.values[at] for at in kept])
    graph.erase(node)
    return made


def drop_placeholders(graph: Graph, gone: Sequence[Value]) -> None:
    """Take placeholders that nobody uses out of a region."""
    taken = set(gone)
    graph.placeholders[:] = [value for value in graph.placeholders if value not in taken]
    graph.edited()


def fewer_operands(node: Node) -> bool:
    """Drop the operands of a test or loop that no region uses; whether there were any."""
    operands = node.arg("operands")
    count = len(operands)
    if not count:
        return False
    used = [any(region.placeholders[at - count].uses for region in node.regions) for at in range(count)]
    if all(used):
        return False
    for region in node.regions:
        drop_placeholders(region, [region.placeholders[at - count] for at in range(count) if not used[at]])
    kept = tuple([leaf for leaf, use in zip(operands, used) if use])
    node.set_args(tuple([kept if name == "operands" else arg for name, arg in zip(node.op.params, node.args)]))
    return True
