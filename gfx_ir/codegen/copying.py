"""Nodes copied into another graph, what they take replaced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..control import calls_function
from ..copies import twin
from ..graph import Graph, Node, Value
from ..regions import join_path
from ..trees import tree_map

Values = dict[Value, Any]


def _begun(graph: Graph, values: Values) -> Graph:
    """A graph with the arguments and parameters of another one."""
    out = Graph(graph.name, graph.doc)
    for value in graph.placeholders:
        values[value] = placeholder(out, value)
    for path, value in graph.parameters.items():
        values[value] = out.add_parameter(path, value.type)
    return out


def placeholder(graph: Graph, value: Value) -> Value:
    """What stands for a value in a graph that is given it."""
    made = graph.add_placeholder(value.name or "", value.kind, value.type, value.node.span)
    made.name = value.name
    return made


def copy_nodes(source: Iterable[Node], into: Graph, before: Node | None, values: Values, prefix: str = "") -> None:
    """Copy nodes (a Graph: all of its own) into another graph, before one of its nodes (None: at the end); calls get `prefix`."""
    inner = _copy_flat(source, into, before, values, prefix)
    while inner:
        region, out, held = inner.pop()
        inner += _copy_flat(region, out, None, held, prefix)
        out.result = substitute(region.result, held)


def _copy_flat(
    source: Iterable[Node], into: Graph, before: Node | None, values: Values, prefix: str
) -> list[tuple[Graph, Graph, Values]]:
    """The same but for what stands in regions: gives each with its copy, which has arguments only, and their values."""
    inner, twins = [], dict[Node, Node]()
    for node in source:
        begun = [(region, held := Values(), _begun(region, held)) for region in node.regions]
        inner += [(region, out, held) for region, held, out in begun]
        args = substitute(node.args, values)
        if prefix and calls_function(node):
            args = (args[0], join_path(prefix, args[1]), *args[2:])
        made = twins[node] = twin(node, args, tuple([out for _, _, out in begun]))
        made.waits = tuple([twins[other] for other in node.waits])
        for old, new in zip(node.values, made.values):
            new.name, new.type = old.name, old.type
            values[old] = new
        into.insert(made, before)
    return inner


def substitute(tree: Any, values: Values) -> Any:
    """The tree with old values replaced by what they became."""
    return tree_map(lambda leaf: values.get(leaf, leaf) if type(leaf) is Value else leaf, tree)
