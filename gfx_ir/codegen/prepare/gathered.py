"""Functions of one author's that differ in how many arguments they join take these as one: `layer(params, features)`, of any length."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ...graph import Graph, Node, Value
from ...op import Trait
from ...program import Program
from ...trees import tree_map
from .base import Emission, Lowering
from .calls import callees

_NAME = "inputs"


class Gathered(Lowering):
    """Functions that join any number of arguments take them as one."""

    name = "gathered"

    def lower(self, program: Program, emission: Emission) -> None:
        """Rewrite such functions and their calls: those that compute the same of what they join of their last arguments, which are not
        equally many. What says the same then is written once."""
        entry, functions = program.entry, program.functions
        families: dict[tuple, dict[str, Node]] = defaultdict(dict)
        for key, graph in functions.items():
            node = _joining(graph)
            if node is not None:
                families[_told(graph, node)][key] = node
        chosen: dict[str, int] = {}
        for found in families.values():
            counts = {key: len(node.args[0]) for key, node in found.items()}
            if len(set(counts.values())) > 1:
                chosen |= counts
                for key, node in found.items():
                    _gather(functions[key], node, counts[key])
        for graph in (entry, *functions.values()) if chosen else ():
            for call in callees(graph):
                if call.args[0] in chosen:
                    call.set_args((*call.args[:2], _gathered(call.args[2], chosen[call.args[0]])))


def _told(graph: Graph, joining: Node) -> tuple:
    """What a function computes, without what is joined: two of which this is equal compute the same of that."""
    numbers: dict[Value, str] = {value: f"argument {at}" for at, value in enumerate(graph.placeholders)}
    numbers |= {value: f"parameter {path}" for path, value in graph.parameters.items()}
    numbers |= {value: f"value {at} {value.index}" for at, node in enumerate(graph) for value in node.values}

    def told(tree: Any) -> str:
        return repr(
            tree_map(lambda leaf: numbers[leaf] if type(leaf) is Value else (type(leaf).__name__, repr(leaf)), tree)
        )

    nodes = [(node.op.name, told(node.args[1:] if node is joining else node.args)) for node in graph]
    names = tuple(value.name for node in graph for value in node.values)
    return graph.doc, len(graph.placeholders) - len(joining.args[0]), tuple(nodes), names, told(graph.result)


def _joining(graph: Graph) -> Node | None:
    """The node that joins the last arguments of a function, all that it takes, and the only one that takes them."""
    last = graph.placeholders[-1] if graph.placeholders else None
    user = next(iter(last.uses), None) if last is not None else None
    if (
        user is None
        or user.graph is not graph
        or not user.op.traits & Trait.JOINS
        or _NAME in map(_name, graph.placeholders)
    ):
        return None
    joined = user.args[0]
    if type(joined) not in (tuple, list) or tuple(joined) != tuple(graph.placeholders[-len(joined) :]):
        return None
    if any(node.regions for node in graph):
        return None
    once = all(value.is_tensor and value.uses == {user: 1} for value in joined)
    return user if once else None


def _name(value: Value) -> str | None:
    return value.name


def _gather(graph: Graph, node: Node, count: int) -> None:
    whole = graph.add_placeholder(_NAME, "any")
    node.set_args((whole, *node.args[1:]))
    graph.placeholders = [*graph.placeholders[: -count - 1], whole]
    graph.edited()


def _gathered(args: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    return (*args[:-count], tuple(args[-count:]))
