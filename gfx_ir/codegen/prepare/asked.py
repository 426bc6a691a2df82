"""Tests whose sides give numbers or arrays, and that are only asked for their truth: their sides give that.

`if x.sum() and k:` is the test `(k if x.sum() != 0 else x.sum()) != 0`; it becomes one of booleans: `x.sum() != 0 and k != 0`.
"""

from __future__ import annotations

from typing import Any

from ...dtypes import bool_
from ...graph import Graph, Node, Value
from ...op import lookup
from ...types import LogicalTensor
from ..control import IFS, is_boolean, outer
from ..copying import outputs_of

_NUMBERS = ("bool", "int", "float")


def give_truths(graph: Graph) -> None:
    """Rewrite such tests in the graph and its regions."""
    for node in list(graph.walk()):
        if node.op.name != "not_equal" or type(node.args[0]) is not Value or node.graph is None:
            continue
        value = node.args[0]
        if _is_truth(node) and value.node.op.name in IFS and not is_boolean(value) and _can(value, node):
            _ask_sides(value)
            node.value.replace_by(value)
            node.graph.erase(node)


def _is_truth(node: Node) -> bool:
    return node.op.name == "not_equal" and type(node.args[1]) is int and node.args[1] == 0


def _can(value: Value, user: Node) -> bool:
    """Whether nothing else takes what a test gives, and each side of it has a truth."""
    return value.uses == {user: 1} and all(_has_truth(leaf, side) for leaf, side in _sides(value))


def _has_truth(leaf: Any, side: Graph) -> bool:
    if type(leaf) is not Value:
        return isinstance(leaf, (bool, int, float))
    if leaf.node.graph is side and leaf.node.op.name in IFS and not is_boolean(leaf):
        return _can(leaf, side.output)
    return leaf.kind == "tensor" or leaf.kind in _NUMBERS


def _sides(value: Value) -> list[tuple[Any, Graph]]:
    node = value.node
    return [(outputs_of(side.result, len(node.values))[value.index - 1], side) for side in node.regions]


def _ask_sides(value: Value) -> None:
    node = value.node
    for at, (leaf, side) in enumerate(_sides(value)):
        results = outputs_of(side.result, len(node.values))
        results[value.index - 1] = _truth(leaf, side, node.args[0], at == 0)
        side.result = tuple(results)
    host = all(isinstance(leaf, bool) or leaf.kind == "bool" for leaf, _ in _sides(value))
    value.kind = "bool" if host and node.op.name == "host_if" else "tensor"
    value.type = value.type.with_(dtype=bool_) if isinstance(value.type, LogicalTensor) else None


def _truth(leaf: Any, side: Graph, test: Any, taken: bool) -> Any:
    """Whether a leaf is true, on the side that is taken where `test` is, or is not."""
    if type(leaf) is not Value:
        return bool(leaf)
    found = outer(leaf)
    if found is not leaf and (found is test or (_is_truth(test.node) and test.node.args[0] is found)):
        return taken
    if is_boolean(leaf):
        return leaf
    if leaf.node.op.name in IFS and leaf.node.graph is side:
        _ask_sides(leaf)
        return leaf
    if leaf.kind in _NUMBERS:
        made = Node(lookup("host"), ("!=", (leaf, 0)), ("bool",), leaf.node.span)
    else:
        made = Node(lookup("not_equal"), (leaf, 0), ("tensor",), leaf.node.span)
        if isinstance(leaf.type, LogicalTensor):
            made.value.type = leaf.type.with_(dtype=bool_, weak=False)
    side.append(made)
    return made.value
