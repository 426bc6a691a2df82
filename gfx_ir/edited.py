"""Nodes edited in place: one argument replaced, by its name."""

from __future__ import annotations

from typing import Any

from .graph import Node


def set_arg(node: Node, name: str, value: Any) -> None:
    """Put a value in the place of the argument of that name."""
    at = node.op.params.index(name)
    node.set_args((*node.args[:at], value, *node.args[at + 1 :]))
