"""Cluster and split: some nodes of a graph become a function of the program, and a call stands for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..control import is_parameter
from ..dependence import needs
from ..errors import VerifyError
from ..graph import Graph, Node, Value
from ..op import lookup
from ..program import Program
from ..trees import leaves, tree_map
from .moves import relink


def cluster(program: Program, graph: Graph, nodes: Iterable[Node], name: str) -> Node:
    """Make a function of these nodes of one graph, in place; the call that stands for them. `Inline` undoes it.

    Raises VerifyError where they do not stand in the graph, the name is taken, or a node between them needs one of them and
    is needed by another, so that no call could stand for all.
    """
    inside = dict.fromkeys(nodes)
    if not inside or any(node.graph is not graph for node in inside):
        raise VerifyError(f"a cluster takes nodes of graph {graph.name!r}, and at least one")
    if name in program.functions or name == program.entry.name:
        raise VerifyError(f"there is a function {name!r} already")
    members = [node for node in graph if node in inside]
    later = _later(members)
    outputs = [v for node in members for v in node.values if any(user not in inside for user in v.uses)]
    inputs = _inputs(members, inside)
    callee, inner = _callee(name, inputs)
    kinds = tuple([value.kind for value in outputs])
    call = Node(lookup("call"), (name, "", tuple(inputs)), kinds, members[0].span)
    graph.insert(call, members[-1].next)
    for old, new in zip(outputs, call.values):
        new.name, new.type = old.name, old.type
        for user in old.users():
            if user not in inside:
                user.replace_input(old, new)
    _order(graph, call, inside)
    for node in members:
        graph.detach(node)
        node.args = tree_map(lambda leaf: inner(leaf) if type(leaf) is Value else leaf, node.args)
        callee.append(node)
    for node in later:
        graph.detach(node)
    before = call.next
    for node in later:
        graph.insert(node, before)
    callee.result = outputs[0] if len(outputs) == 1 else tuple(outputs)
    relink(callee)
    relink(graph)
    program.functions[name] = callee
    return call


def split(program: Program, graph: Graph, before: Node, names: tuple[str, str]) -> tuple[Node, Node]:
    """Make two functions of a graph: what stands before a node, and the rest. The two calls. Raises VerifyError as `cluster`."""
    nodes = list(graph)
    if before not in nodes:
        raise VerifyError(f"{before!r} does not stand in graph {graph.name!r}", before.span)
    at = nodes.index(before)
    first, rest = nodes[:at], nodes[at:]
    return cluster(program, graph, first, names[0]), cluster(program, graph, rest, names[1])


def _later(members: list[Node]) -> list[Node]:
    """The nodes between the members that need one of them: they have to stand behind the call."""
    inside = set(members)
    found: dict[Node, None] = {}
    node: Node | None = members[0]
    while node is not None:
        dependent = any(needed in found for needed in needs(node))
        if node in inside and dependent:
            what = f"{node.op.name} needs a node that needs another one of the cluster"
            raise VerifyError(what, node.span, "take what lies between them into the cluster, too")
        if node not in inside and (dependent or any(needed in inside for needed in needs(node))):
            found[node] = None
        node = None if node is members[-1] else node.next
    return list(found)


def _order(graph: Graph, call: Node, inside: dict[Node, None]) -> None:
    """Let the call wait for what the members waited for outside, and what waited for members wait for it."""
    outside = [other for node in inside for other in node.waits if other not in inside]
    call.waits = tuple(dict.fromkeys(outside))
    for node in list(graph):
        if node in inside:
            node.waits = tuple([other for other in node.waits if other in inside])
        elif node.waits:
            node.waits = tuple(dict.fromkeys(call if other in inside else other for other in node.waits))


def _inputs(members: list[Node], inside: dict[Node, None]) -> list[Value]:
    """What the members take from outside, parameters left out, by first use."""
    found: dict[Value, None] = {}
    for node in members:
        for leaf in leaves(node.args):
            if type(leaf) is Value and leaf.node not in inside and not is_parameter(leaf.node):
                found[leaf] = None
    return list(found)


def _callee(name: str, inputs: list[Value]) -> tuple[Graph, Any]:
    """An empty function of these inputs, and what each value from outside is in it."""
    callee = Graph(name)
    local = {value: callee.add_placeholder(value.name or "", value.kind, value.type) for value in inputs}
    for value, place in local.items():
        place.name = value.name

    def inner(value: Value) -> Value:
        if is_parameter(value.node) and value not in local:
            local[value] = callee.add_parameter(value.node.args[0], value.type)
        return local.get(value, value)

    return callee, inner
