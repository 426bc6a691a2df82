"""Graphs edited in place: one argument of a node replaced, by its name; a node put before or behind another."""

from __future__ import annotations

from typing import Any

from .graph import Node, Value
from .op import lookup


def set_arg(node: Node, name: str, value: Any) -> None:
    """Put a value in the place of the argument of that name."""
    at = node.op.params.index(name)
    node.set_args((*node.args[:at], value, *node.args[at + 1 :]))


def put_before(node: Node, name: str, *args: Any) -> Value:
    """The tensor, of no known type, that an op makes of these arguments: a new node before another, of the same line."""
    op = lookup(name)
    assert node.graph is not None
    return node.graph.insert(Node(op, op.bind(*args), ("tensor",), node.span), node).value


def put_behind(node: Node, name: str, *args: Any) -> Value:
    """The tensor that an op makes of these arguments, one of which is the node's value, in the place of that: a new node behind it."""
    op, value = lookup(name), node.value
    assert node.graph is not None
    made = Node(op, op.bind(*args), ("tensor",), node.span)
    users = value.users()
    node.graph.insert(made, node.next)
    for user in users:
        user.replace_input(value, made.value)
    made.value.name, made.value.type, value.name = value.name, value.type, None
    return made.value
