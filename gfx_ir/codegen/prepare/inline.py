"""Which callees are printed in place: bodies of one short expression, and containers that are called from one place."""

from __future__ import annotations

from collections import Counter

from ...control import calls_function, is_call
from ...graph import Graph, Node, Value
from ...reach import needed_first
from ..copying import splice
from .own_gradients import OWN

_WIDTH = 40


def callees(graph: Graph) -> list[Node]:
    """Every call in the graph and its regions."""
    return [node for node in graph.walk() if calls_function(node)]


def own_gradients(graph: Graph) -> list[Node]:
    """Every call of a function that brings its own gradient: its first arguments name what computes it, and its rule."""
    return [node for node in graph.walk() if node.op is OWN]


def inline_calls(entry: Graph, functions: dict[str, Graph]) -> None:
    """Put small callees in the place of their calls, from the leaves up."""
    order = bottom_up(entry, functions)
    sites = Counter(node.args[0] for graph in order for node in callees(graph))
    for graph in order:
        for node in callees(graph):
            callee = functions[node.args[0]]
            if node.graph is graph and _in_place(callee, sites[node.args[0]]):
                splice(callee, node, node.args[2], node.args[1])


def bottom_up(entry: Graph, functions: dict[str, Graph]) -> list[Graph]:
    """The graphs that the entry needs, callees first, the entry last."""

    def called(graph: Graph) -> list[Graph]:
        own = [key for node in reversed(own_gradients(graph)) for key in node.args[:2]]
        return [functions[key] for key in (*own, *(node.args[0] for node in callees(graph)))]

    return needed_first(entry, called)


def _in_place(callee: Graph, sites: int) -> bool:
    if not len(callee) and type(callee.result) is Value:
        return True
    if one_expression(callee):
        calls = any(is_call(node) for node in callee)  # a block of its own: equal ones become a loop
        few = len(callee.parameters) <= 1 and not calls and _size(callee) <= _WIDTH
        return few or sites == 1
    return sites == 1 and _is_chain(callee)


def one_expression(graph: Graph) -> bool:
    """Whether the body is one expression in which every argument stands once at most."""
    if len(graph) > 4 or type(graph.result) is not Value:
        return False
    for node in graph:
        if node.regions or node.op.effect or len(node.values) != 1 or sum(node.value.uses.values()) != 1:
            return False
    return all(sum(p.uses.values()) <= 1 for p in graph.placeholders)


def _size(graph: Graph) -> int:
    return sum(len(node.op.name) + 4 * len(node.args) for node in graph)


def _is_chain(graph: Graph) -> bool:
    """Whether every node takes the value of the one before: a container."""
    if len(graph.placeholders) != 1 or type(graph.result) is not Value:
        return False
    before = graph.placeholders[0]
    for node in graph:
        if node.regions or len(node.values) != 1 or before.uses != {node: 1}:
            return False
        before = node.value
    return before is graph.result
