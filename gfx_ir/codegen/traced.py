"""Numbers that a functional target only has as data: the index of a loop that it runs itself, and what follows from it.

A test on such a number is no Python `if` there, but one on data.
"""

from __future__ import annotations

from ..graph import Graph, Node, Value
from ..op import lookup
from ..trees import leaves
from .liveness import placeholders
from .simplify import IFS, LOOPS, is_boolean
from .unrolling import Unrolling

_LOGICAL = {"and": "logical_and", "or": "logical_or", "not": "logical_not"}


def trace_tests(graph: Graph, unrolling: Unrolling) -> set[Value]:
    """Make the tests in the graph and its regions that hang on such numbers tests on data; gives the host values that do."""
    traced: set[Value] = set()
    for node in list(graph.walk()):
        op = node.op.name
        _pass_on(node, traced)
        taken = any(leaf in traced for leaf in leaves(node.args[:2]) if type(leaf) is Value)
        if op == "host_if" and node.args[0] in traced:
            traced.update(_replace(node, "cond", node.args))
        elif op == "host" and taken:
            name, args = _LOGICAL.get(node.args[0]), node.args[1]
            logical = name is not None and all(is_boolean(arg) for arg in args)
            traced.update(_replace(node, name, tuple(args)) if logical and name is not None else node.values)
        elif op == "host_for" and any(leaf in traced for leaf in leaves(node.args[0]) if type(leaf) is Value):
            traced.update(_replace(node, "for", node.args))
        if (op == "for" and not unrolling.takes(node)) or (op == "host_for" and node.graph is None):
            items, _ = placeholders(node, node.regions[-1])
            traced.update(item for item in items if item.kind == "int")
    return traced


def _pass_on(node: Node, traced: set[Value]) -> None:
    """What a region takes from outside is there what it was."""
    operands = node.args[1] if node.op.name in IFS else node.arg("operands") if node.op.name in LOOPS else ()
    for region in node.regions:
        given = zip(region.placeholders[len(region.placeholders) - len(operands) :], operands)
        traced.update(inner for inner, outer in given if type(outer) is Value and outer in traced)


def _replace(node: Node, name: str, args: tuple) -> tuple[Value, ...]:
    """Another op in the place of a node, whose values are data; the new values."""
    graph = node.graph
    assert graph is not None
    made = Node(lookup(name), args, ("tensor",) * len(node.values), node.span, node.regions)
    graph.insert(made, node)
    for old, new in zip(node.values, made.values):
        new.name, new.type = old.name, old.type
        old.replace_by(new)
    graph.erase(node)
    return made.values
