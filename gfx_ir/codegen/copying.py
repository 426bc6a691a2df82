"""Copies of graphs, which the printer may then change as it likes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..control import calls_function
from ..graph import Graph, Node, Value
from ..trees import tree_map

Values = dict[Value, Any]


def copy_graph(graph: Graph, values: Values | None = None, prefix: str = "") -> Graph:
    """A copy, regions included; `values` is filled with old value → new value. Paths of calls get `prefix`."""
    values = {} if values is None else values
    out = _begun(graph, values)
    copy_nodes(graph, out, None, values, prefix)
    out.result = substitute(graph.result, values)
    return out


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
        kinds = tuple(value.kind for value in node.values)
        begun = [(region, held := Values(), _begun(region, held)) for region in node.regions]
        inner += [(region, out, held) for region, held, out in begun]
        args = substitute(node.args, values)
        if prefix and calls_function(node):
            args = (args[0], join(prefix, args[1]), *args[2:])
        made = Node(node.op, args, kinds, node.span, tuple(out for _, _, out in begun))
        made.in_place, made.waits = node.in_place, tuple([twins[other] for other in node.waits])
        made.noted_as(node)
        twins[node] = made
        for old, new in zip(node.values, made.values):
            new.name, new.type = old.name, old.type
            values[old] = new
        into.insert(made, before)
    return inner


def splice(source: Graph, node: Node, args: Any, prefix: str) -> None:
    """Put the body of `source` in the place of a node: `args` for its placeholders, its parameters under `prefix`."""
    graph = node.graph
    assert graph is not None
    values: Values = dict(zip(source.placeholders, args))
    for path, value in source.parameters.items():
        values[value] = graph.add_parameter(join(prefix, path), value.type)
    copy_nodes(source, graph, node, values, prefix)
    results = outputs_of(source.result, len(node.values))
    made = {values[value].node for inner in source for value in inner.values}
    for old, result in zip(node.values, results):
        new = substitute(result, values)
        if type(new) is Value and new.node in made:
            new.name = old.name
        old.replace_by(new)
    graph.detach(node)


def substitute(tree: Any, values: Values) -> Any:
    """The tree with old values replaced by what they became."""
    return tree_map(lambda leaf: values.get(leaf, leaf) if type(leaf) is Value else leaf, tree)


def outputs_of(result: Any, count: int) -> list[Any]:
    """What of a graph's result stands for each of the `count` values of the node that holds or calls it."""
    if type(result) in (tuple, list) and len(result) == count:
        return list(result)
    if count == 1:
        return [result]
    return leaves_of(result, count)


def leaves_of(result: Any, count: int) -> list[Any]:
    """Leaves of a result: all of them, or only the Values, whichever gives `count`."""
    found = [leaf for _, leaf in positions(result)]
    return found if len(found) == count else [leaf for leaf in found if type(leaf) is Value]


def positions(result: Any, prefix: tuple = ()) -> list[tuple[tuple, Any]]:
    """(path, leaf) of every leaf of a result."""
    if type(result) in (tuple, list):
        return [found for at, item in enumerate(result) for found in positions(item, (*prefix, at))]
    if type(result) is dict:
        return [found for key, item in result.items() for found in positions(item, (*prefix, key))]
    return [(prefix, result)]


def join(*parts: str | None) -> str:
    """A dotted path of the parts that are not empty."""
    return ".".join(part for part in parts if part)
