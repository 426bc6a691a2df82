"""Who calls whom in the printer's copy of a program, functions that bring their own gradient among them."""

from __future__ import annotations

from ...control import calls_function
from ...graph import Graph, Node
from ...op import OpDef
from ...ops._transform import several
from ...reach import needed_first

TRANSFORMED = OpDef("transformed(function, prefix, args, kind, at, given, kinds)", kinds=lambda a: a.kinds)
"""A transformation of a function of the module, laid out as a call of it; `at`: which of the arguments are transformed, the others are
held fixed. "grad" gives gradients alone, VALUE_AND_GRAD behind them what the function gives."""
VALUE_AND_GRAD = "value_and_grad"
OWN = OpDef("own_gradient(forward, rule, name, mode, count, args)", kinds=lambda a: ("tensor",) * a.count)


def derives(node: Node) -> bool:
    """Whether a node gives derivatives of a function of the module, which stand where its arguments do."""
    return node.op is TRANSFORMED and not several(node.args[3])


def callees(graph: Graph) -> list[Node]:
    """Every call in the graph and its regions."""
    return [node for node in graph.walk() if calls_function(node)]


def own_gradients(graph: Graph) -> list[Node]:
    """Every call of a function that brings its own gradient: its first arguments name what computes it, and its rule."""
    return [node for node in graph.walk() if node.op is OWN]


def transformed(graph: Graph) -> list[Node]:
    """Every transformation of a function, which its first argument names."""
    return [node for node in graph.walk() if node.op is TRANSFORMED]


def referred(graph: Graph) -> list[str]:
    """The functions that a graph makes others of: those that bring their own gradients, and those that are transformed."""
    own = [key for node in reversed(own_gradients(graph)) for key in node.args[:2]]
    return [*own, *(node.args[0] for node in transformed(graph))]


def bottom_up(entry: Graph, functions: dict[str, Graph]) -> list[Graph]:
    """The graphs that the entry needs, callees first, the entry last."""

    def called(graph: Graph) -> list[Graph]:
        return [functions[key] for key in (*referred(graph), *(node.args[0] for node in callees(graph)))]

    return needed_first(entry, called)
