"""Graphs edited in place: one argument of a node replaced, by its name; a node put before or behind another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .dtypes import DType
from .graph import Graph, Node, Value
from .op import lookup
from .source import Span


def set_arg(node: Node, name: str, value: Any) -> None:
    """Put a value in the place of the argument of that name."""
    at = node.op.params.index(name)
    node.set_args((*node.args[:at], value, *node.args[at + 1 :]))


def put(graph: Graph, place: Node | None, name: str, *args: Any, span: Span | None = None) -> Value:
    """The value, of no known type, that an op makes of these arguments: a new node before another (None: at the end), of this line."""
    op = lookup(name)
    return graph.insert(Node(op, op.bind(*args), None, span), place).value


def put_before(node: Node, name: str, *args: Any) -> Value:
    """The same before a node, of its line."""
    assert node.graph is not None
    return put(node.graph, node, name, *args, span=node.span)


def take_place(new: Iterable[Value], old: Iterable[Value]) -> None:
    """Let values stand for others wherever these are used, with their names and types."""
    for made, before in zip(new, old):
        made.name, made.type = before.name, before.type
        before.replace_by(made)


def cast_behind(node: Node, dtype: DType | Value) -> Value:
    """A node's value as another dtype, in the place of that: a new node behind it."""
    return stand_behind(node.value, "astype", dtype)


def stand_behind(value: Value, name: str, *args: Any) -> Value:
    """What an op makes of a value, in the place of that wherever it is used: a new node behind the value's, which takes its name."""
    node, op, users = value.node, lookup(name), value.users()
    assert node.graph is not None
    made = node.graph.insert(Node(op, op.bind(value, *args), None, node.span), node.next).value
    for user in users:
        user.replace_input(value, made)
    made.name, made.type, value.name = value.name, value.type, None
    return made
