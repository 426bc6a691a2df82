"""What tests and loops are to the printer: which nodes they are, what their sides give, and what is surely a boolean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph import Node, Value
from .copying import outputs_of

IFS = frozenset(("cond", "host_if"))
LOOPS = frozenset(("while", "for", "host_while", "host_for"))
CONTROL = IFS | LOOPS | {"repeat_calls"}
_BOOLEAN = frozenset(
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not isnan isinf"
    " isfinite signbit all any array_equal bernoulli is_none is_floating can_cast to_bool".split()
)
ALIKE = frozenset(
    "getitem reshape permute_dims squeeze expand_dims broadcast_to flatten unflatten take take_along_axis flip roll tile"
    " repeat copy tril triu swapaxes moveaxis matrix_transpose diagonal index_put".split()
)
"""Ops whose result has the dtype of their first argument."""


def is_boolean(root: Any) -> bool:
    """Whether the value is surely a boolean: all that it comes from is, what a loop makes of itself apart."""
    seen: set[Value] = set()
    todo = [root]
    while todo:
        value = todo.pop()
        if type(value) is not Value:
            if not isinstance(value, bool):
                return False
        elif value not in seen:
            seen.add(value)
            sources = _boolean_where(value)
            if sources is None:
                return False
            todo.extend(sources)
    return True


def _keeps_dtype(value: Value) -> bool:
    return value.node.op.name in ALIKE or value.node.op.name == "where"


def _boolean_where(value: Value) -> Sequence[Any] | None:
    """The leaves that have to be booleans for the value to be one; None where it is none in any case."""
    element, node = getattr(value.type, "dtype", None), value.node
    op = node.op.name
    if value.kind == "bool" or (element is not None and element.kind == "b") or op in _BOOLEAN:
        return ()
    if op in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert"):
        return node.args
    if _keeps_dtype(value):
        return node.args[1:3] if op == "where" else node.args[:1]
    if "dtype" in node.op.params and node.op.family in ("create", "elementwise"):
        return () if getattr(node.arg("dtype"), "kind", "") == "b" else None
    if op in IFS:
        return [outputs_of(region.result, len(node.values))[value.index - 1] for region in node.regions]
    return next(iter((*_carried(value), *_given(value))), None)


def outer(leaf: Any) -> Any:
    """What a placeholder of a test's side, or of a loop behind what is carried, stands for outside; any other leaf as it is."""
    found = _given(leaf) if type(leaf) is Value else []
    return found[0][0] if found else leaf


def _given(value: Value) -> list[tuple[Any]]:
    graph = value.node.graph
    owner = graph.owner if graph is not None else None
    if owner is None or graph is None or value not in graph.placeholders:
        return []
    operands = owner.args[1] if owner.op.name in IFS else owner.arg("operands")
    at = graph.placeholders.index(value) - len(graph.placeholders) + len(operands)
    return [(operands[at],)] if at >= 0 else []


def _carried(value: Value) -> list[tuple[Any, Any]]:
    """What a value that a loop carries is at first and after a trip, for a placeholder of the loop or an output of it."""
    graph = value.node.graph
    node = value.node if value.node.op.name in LOOPS else graph.owner if graph is not None else None
    if node is None or node.op.name not in LOOPS:
        return []
    at = value.index - 1
    if node is not value.node:
        if value not in graph.placeholders:  # type: ignore[union-attr]
            return []
        at = graph.placeholders.index(value)  # type: ignore[union-attr]
        at -= len(node.args[0]) if node.op.name in ("for", "host_for") else 0
    init = node.arg("init")
    return [(init[at], outputs_of(node.regions[-1].result, len(node.values))[at])] if 0 <= at < len(init) else []


def joins(node: Node) -> list[tuple[Value, Any, Any]]:
    """(output, what the one side gives for it, what the other does) of every output of a test."""
    count = len(node.values)
    return list(zip(node.values, *(outputs_of(region.result, count) for region in node.regions)))
