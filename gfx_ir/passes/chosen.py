"""Predication (if-conversion): tests of data become choices of elements between what both sides give, as under vmap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..control import is_call, is_data_for, is_data_test, is_data_while
from ..edited import put
from ..graph import Graph, Node, Value
from ..reach import reached
from ..trees import tree_map
from .moves import results_of, splice


def choose(graph: Graph, functions: Mapping[str, Graph]) -> Node | None:
    """Put a choice of elements in the place of each test of data in a graph, and in what it calls. Returns the first node that data
    decide and that no choice can stand for: a loop that data end, or a side that acts on the world or gives what is no tensor."""
    for node in list(graph):
        if is_call(node) and any(map(_decided, _nodes([functions[node.args[0]]], functions))):
            splice(functions[node.args[0]], node, node.args[2], node.args[1])
            return choose(graph, functions)
    for node in list(graph):
        for region in node.regions:
            left = choose(region, functions)
            if left is not None:
                return left
        if _decided(node) and not (is_data_test(node) and _chosen(node, functions)):
            return node
    return None


def _decided(node: Node) -> bool:
    """Whether data decide what a node runs."""
    return is_data_test(node) or is_data_while(node) or (is_data_for(node) and node.arg("exit") is not None)


def _nodes(graphs: Iterable[Graph], functions: Mapping[str, Graph]) -> Iterator[Node]:
    """The nodes of graphs, of their regions and of what these call."""

    def further(graph: Graph) -> list[Graph]:
        called = [functions[node.args[0]] for node in graph if is_call(node)]
        return [*called, *(region for node in graph for region in node.regions)]

    for graph in reached(graphs, further):
        yield from graph


def _chosen(node: Node, functions: Mapping[str, Graph]) -> bool:
    """Whether choices stand for a test now: both of its sides are pure, and give tensors or numbers where a tensor is."""
    if any(inner.op.effect for inner in _nodes(node.regions, functions)):
        return False
    pairs = list(zip(*(results_of(region, node) for region in node.regions)))
    if not all(_fits(value, pair) for value, pair in zip(node.values, pairs)):
        return False
    test, operands = node.args[0], node.arg("operands")
    then, otherwise = (_opened(region, node, operands) for region in node.regions)
    assert node.graph is not None
    for value, one, other in zip(node.values, then, otherwise):
        made = one if one is other else put(node.graph, node, "where", test, one, other, span=node.span)
        if type(made) is Value and made is not one:
            made.name, made.type = value.name, value.type
        value.replace_by(made)
    node.graph.erase(node)
    return True


def _fits(value: Value, pair: tuple) -> bool:
    """Whether a choice of elements stands for what both sides give there."""
    tensors = [type(one) is Value and one.kind == "tensor" for one in pair]
    return (
        value.kind == "tensor"
        and any(tensors)
        and all(held or isinstance(one, (bool, int, float, complex)) for held, one in zip(tensors, pair))
    )


def _opened(region: Graph, node: Node, operands: tuple) -> tuple:
    """What a region gives, whose nodes are put before the node that has it."""
    into, given = node.graph, results_of(region, node)
    assert into is not None
    outer = dict(zip(region.placeholders, operands))
    region.result = None
    for place, value in outer.items():
        place.replace_by(value)
    for inner in list(region):
        region.detach(inner)
        into.insert(inner, node)
    found: tuple = tree_map(lambda leaf: outer.get(leaf, leaf) if type(leaf) is Value else leaf, tuple(given))
    return found
