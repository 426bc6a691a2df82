"""Which callees are printed in place: bodies of one short expression, and containers and small functions that one place calls."""

from __future__ import annotations

from collections import Counter

from ...control import is_call
from ...graph import Graph, Value
from ...passes.moves import splice
from ...passes.outline import SMALLEST
from ...program import Program
from .base import Emission, Lowering, order
from .calls import bottom_up, callees

_WIDTH = 40


class InlineCalls(Lowering):
    """Small callees stand in the place of their calls."""

    name = "inline_calls"
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Put small callees in the place of their calls, from the leaves up."""
        functions = program.functions
        graphs = order(program)
        sites = Counter(node.args[0] for graph in graphs for node in callees(graph))
        for graph in graphs:
            for node in callees(graph):
                callee = functions[node.args[0]]
                if node.graph is graph and (
                    _is_other_name(callee, functions) or _in_place(callee, sites[node.args[0]])
                ):
                    splice(callee, node, node.args[2], node.args[1])


def _in_place(callee: Graph, sites: int) -> bool:
    if not len(callee) and type(callee.result) is Value:
        return True
    if one_expression(callee):
        calls = any(is_call(node) for node in callee)  # a block of its own: equal ones become a loop
        few = len(callee.parameters) <= 1 and not calls and _size(callee) <= _WIDTH
        return few or sites == 1
    return sites == 1 and (_is_chain(callee) or _is_small(callee))


def _is_small(graph: Graph) -> bool:
    """Whether a function computes several values of nothing but what it is given, in too few steps to be worth a name."""
    plain = type(graph.result) is tuple and not graph.parameters and len(graph) < SMALLEST
    return plain and not any(node.regions or node.op.effect or is_call(node) for node in graph)


def _is_other_name(callee: Graph, functions: dict[str, Graph]) -> bool:
    """Whether all that it does is to give its parameters to a function that has none."""
    if len(callee) != 1 or not callee.parameters or type(callee.result) is not Value:
        return False
    node = callee.result.node
    return is_call(node) and not any(graph.parameters for graph in bottom_up(functions[node.args[0]], functions))


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
