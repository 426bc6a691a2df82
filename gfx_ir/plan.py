"""In what order a graph runs, and which values may be freed after which node."""

from __future__ import annotations

from typing import Any

from .errors import VerifyError
from .graph import UNBOUND, Graph, Node, Value
from .trees import BRANCHES, leaves

# How an argument is filled: as it is, by the value of a Value, or as a tree that holds Values.
CONSTANT, VALUE, TREE = range(3)


class Step:
    """A node, how its arguments are filled, and the values that nobody takes after it."""

    __slots__ = ("node", "fills", "frees")

    def __init__(self, node: Node) -> None:
        need_bound(node)
        self.node = node
        self.fills = tuple([(_way(arg), arg) for arg in node.args])
        self.frees: list[Value] = []


def _way(arg: Any) -> int:
    if type(arg) is Value:
        return VALUE
    return TREE if type(arg) in BRANCHES and any(type(leaf) is Value for leaf in leaves(arg)) else CONSTANT


def need_bound(node: Node) -> None:
    """Raise VerifyError where an input of a node is not bound, so that it can neither be run nor written."""
    if any(leaf is UNBOUND for leaf in leaves(node.args)):
        what = f"an input of {node.op.name} is not bound"
        raise VerifyError(what, node.span, "bind it: node.inputs[i].bind(value)")


def steps(graph: Graph) -> list[Step]:
    """The steps of a graph: its nodes in order."""
    found = [Step(node) for node in graph]
    kept = {leaf for leaf in leaves(graph.result) if type(leaf) is Value}
    for step in reversed(found):
        taken = (leaf for leaf in leaves(step.node.args) if type(leaf) is Value)
        for value in (*taken, *step.node.values):
            if value not in kept:
                kept.add(value)
                step.frees.append(value)
    return found
