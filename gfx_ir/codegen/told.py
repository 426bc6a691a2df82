"""What is told in words: texts, and the numbers of tensors that stand in them."""

from __future__ import annotations

from ..control import is_host
from ..graph import Node, Value

NUMBERS = frozenset(("int", "float", "bool", "item"))
"""What makes the number of Python's that is told of a tensor."""


def is_text(node: Node) -> bool:
    """Whether the node makes what is told: a text with values in it, or the number of a tensor."""
    if not is_host(node) or node.args[0] == "format":
        return is_host(node)
    return node.args[0] in NUMBERS and any(type(arg) is Value and arg.is_tensor for arg in node.args[1])
