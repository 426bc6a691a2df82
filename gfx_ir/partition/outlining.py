"""Outlining of partitions: each group of nodes becomes a function of the program, and a call with its device stands there."""

from __future__ import annotations

from collections.abc import Iterable

from ..control import is_call, is_parameter
from ..graph import Graph, Node, Value, values_in
from ..op import lookup
from ..passes.moves import relink
from ..passes.outline import free_function_name, function_of, take_over
from ..program import Program
from ..trees import leaves
from .grouping import Group


def outlined(program: Program, graph: Graph, order: list[Group | Node]) -> list[Node]:
    """Put calls in the place of groups, in place, the graph's nodes in this order; the calls.

    Values keep their ids: what a call gives, and what stands for it and for what it takes in the callee, are one value.
    """
    _reorder(graph, order)
    groups = [piece for piece in order if isinstance(piece, Group)]
    before = {node: node.after for group in groups for node in group.nodes if node.after is not None}
    calls = [_called(program, graph, group) for group in groups]
    _wait(graph, {node: call for group, call in zip(groups, calls) for node in group.nodes}, before)
    relink(graph)
    for path in [path for path, value in graph.parameters.items() if not value.uses]:
        del graph.parameters[path]
    graph.edited()
    return calls


def _reorder(graph: Graph, order: list[Group | Node]) -> None:
    wanted = [node for piece in order for node in (piece.nodes if isinstance(piece, Group) else [piece])]
    if wanted == list(graph):
        return
    for node in wanted:
        graph.detach(node)
        graph.insert(node, None)


def _called(program: Program, graph: Graph, group: Group) -> Node:
    inside = set(group.nodes)
    outputs = [v for node in group.nodes for v in node.values if not inside.issuperset(v.uses)]
    inputs = dict.fromkeys(
        v for node in group.nodes for v in values_in(node.args) if v.node not in inside and not is_parameter(v.node)
    )
    name = free_function_name(program, f"{group.device.replace(':', '_')}_{len(program.functions)}")
    call = Node(lookup("call"), (name, "", tuple(inputs)), (), group.nodes[0].span)
    call.device = group.device
    graph.insert(call, group.nodes[0])
    take_over(call, outputs)
    result = outputs[0] if len(outputs) == 1 else tuple(outputs)
    callee = function_of(Graph(name), group.nodes, _titles(inputs), "", result)
    for value, place in zip(inputs, callee.placeholders):
        place.id = value.id
    for value, inner in zip(outputs, leaves(callee.result)):
        if type(inner) is Value and inner not in callee.placeholders:
            inner.id = value.id
    program.functions[name] = callee
    return call


def _titles(inputs: Iterable[Value]) -> dict[Value, str]:
    """A name of its own for each."""
    found: dict[Value, str] = {}
    taken: set[str] = set()
    for value in inputs:
        title, count = value.name or "x", 0
        while title in taken:
            count += 1
            title = f"{value.name or 'x'}_{count}"
        taken.add(title)
        found[value] = title
    return found


def _wait(graph: Graph, calls: dict[Node, Node], before: dict[Node, Node]) -> None:
    """Control dependencies between what stands in groups, and what stands outside, are those of the calls."""
    for node, call in calls.items():
        if not node.waits and node not in before:
            continue
        effect = [before[node]] if node in before else []  # the order of effects is kept between calls, too
        outside = [other for other in (*effect, *node.waits) if calls.get(other, other) is not call]
        node.waits = tuple([other for other in node.waits if calls.get(other) is call])
        call.waits = tuple(dict.fromkeys((*call.waits, *(calls.get(other, other) for other in outside))))
    for node in graph:
        if node.waits and not is_call(node):
            node.waits = tuple(dict.fromkeys(calls.get(other, other) for other in node.waits))
