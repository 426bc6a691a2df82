"""Dead code: nodes without effect whose values nobody uses are erased, those of regions too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..graph import Graph, Node, Value, values_in
from ..op import lookup
from ..reach import reached
from .moves import fewer_operands, relink

Acts = Callable[[Node], bool]
Raises = Callable[[Node], str | None]
"""The error that Python may raise where a node computes its value, "" for one that every target raises; None: it raises none."""


def acting(node: Node) -> bool:
    """Whether a node by itself acts on the world."""
    return node.op.effect


def eliminate_dead(graph: Graph, acts: Acts = acting) -> None:
    """Erase the dead nodes of a graph and of its regions. `acts`: whether a node has to run, as a call of a function that raises has:
    that is `Effects(program).node` where there are functions."""
    todo: list[Node | None] = [graph.last]
    while todo:
        node = todo.pop()
        while node is not None:
            previous = node.prev
            if not needed(node, acts):
                assert node.graph is not None
                node.graph.erase(node)
            elif node.regions:
                todo.append(previous)
                todo.extend([region.last for region in node.regions])
                break
            node = previous


def needed(node: Node, acts: Acts = acting) -> bool:
    """Whether anybody uses its values, or it has to run all the same."""
    for value in node.values:
        if value.uses:
            return True
    return has_effect(node, acts)


def has_effect(node: Node, acts: Acts = acting) -> bool:
    """Whether a node has to run although nobody uses its values. `acts`: whether one by itself has to, as a call may."""
    return acts(node) or any(acts(inner) for region in node.regions for inner in region.walk())


def keep_errors(graph: Graph, raises: Raises, may_fail: Acts, acts: Acts) -> None:
    """Evaluate the dead nodes of a fresh graph and of its regions that may raise an error, so that they stay, and erase the others.

    `may_fail`: whether a node may get tensors that its op does not take. Where another node of the same operation of the
    author's is used, it is a part of that, or was captured twice, and goes. `acts`: whether a node acts on the world."""
    graphs = [graph]
    for outer in graphs:
        graphs += [region for node in outer for region in node.regions]
    left = False
    for inner in reversed(graphs):  # what a region holds is settled before the node that holds it
        node = inner.last
        while node is not None:
            previous = node.prev
            if node.regions and "operands" in node.op.params:
                fewer_operands(node)  # those that only what is gone took: their errors are asked for next
            if not needed(node, acts):
                left |= _keep(node, raises, may_fail)
            node = previous
    if left:
        _keep_failing(graphs, raises, may_fail, acts)
    for inner in graphs:
        relink(inner)


def _keep_failing(graphs: list[Graph], raises: Raises, may_fail: Acts, acts: Acts) -> None:
    """Evaluate what is left of dead nodes, and of what their regions give, where no other of the same operation of the author's is
    used."""
    everything = [node for graph in graphs for node in graph]
    steps = {_step(node) for node in _living(everything, graphs[0], acts) if any(map(_is_used, node.values))}
    for node in reversed(everything):
        if not needed(node, acts) and node.graph is not None and not _keep_raising(node, raises):
            inside = (inner for region in node.regions for inner in region.walk())
            failing = [each for each in (node, *inside) if may_fail(each) and _step(each) not in steps]
            for each in failing:
                _evaluate(each, "")
            if not failing:
                node.graph.erase(node)


def _living(everything: list[Node], graph: Graph, acts: Acts) -> Iterator[Node]:
    """The nodes that the result of a graph, or an effect, follows from."""

    def further(node: Node) -> list[Node]:
        return _read((node.args, *(region.result for region in node.regions)))

    return reached([*_read(graph.result), *(node for node in everything if has_effect(node, acts))], further)


def _read(tree: Any) -> list[Node]:
    return [value.node for value in values_in((tree,))]


def _is_used(value: Value) -> bool:
    return value.is_tensor and bool(value.uses)


def _step(node: Node) -> tuple:
    return () if node.span is None else node.span.step


def _keep(node: Node, raises: Raises, may_fail: Acts) -> bool:
    """Evaluate a dead node for its error, or those in its regions for theirs; else it goes, if it cannot fail. Whether it is left."""
    if _keep_raising(node, raises) or node.graph is None:
        return False
    if may_fail(node) or any(may_fail(inner) for region in node.regions for inner in region.walk()):
        return True
    node.graph.erase(node)
    return False


def _keep_raising(node: Node, raises: Raises) -> bool:
    """Evaluate a dead node for the error that it may raise, or those in its regions for theirs. Whether there is one."""
    held = [inner for region in node.regions for inner in region.walk() if raises(inner) is not None]
    found = held or ([node] if raises(node) is not None else [])
    for raising in found:
        _evaluate(raising, raises(raising))
    return bool(found)


def _evaluate(node: Node, error: str | None) -> None:
    """Let a node be computed, whoever takes its value."""
    assert node.graph is not None
    node.graph.insert(Node(lookup("evaluate"), (node.values[0], error), (), node.span), node.next)
