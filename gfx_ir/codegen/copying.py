"""Nodes copied into another graph, what they take replaced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..copies import copy_graph, twin
from ..graph import Graph, Node, Value
from ..trees import tree_map

Values = dict[Value, Any]


def placeholder(graph: Graph, value: Value) -> Value:
    """What stands for a value in a graph that is given it."""
    made = graph.add_placeholder(value.name or "", value.kind, value.type, value.node.span)
    made.name = value.name
    return made


def copy_nodes(source: Iterable[Node], into: Graph, before: Node | None, values: Values) -> None:
    """Copy nodes (a Graph: all of its own) into another graph, before one of its nodes (None: at the end)."""
    twins: dict[Node, Node] = {}
    for node in source:
        regions = tuple([copy_graph(region, fresh=True) for region in node.regions])
        made = twins[node] = twin(node, substitute(node.args, values), regions)
        made.waits = tuple([twins[other] for other in node.waits])
        for old, new in zip(node.values, made.values):
            new.name, new.type = old.name, old.type
            values[old] = new
        into.insert(made, before)


def substitute(tree: Any, values: Values) -> Any:
    """The tree with old values replaced by what they became."""
    return tree_map(lambda leaf: values.get(leaf, leaf) if type(leaf) is Value else leaf, tree)
