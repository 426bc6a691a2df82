"""Which nodes compute numbers where Python or an array library runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dtypes import DType
from ..graph import Node, Value
from ..types import LogicalTensor

ARITHMETIC = frozenset(
    "add subtract multiply divide floor_divide remainder pow negative positive abs equal not_equal less less_equal"
    " greater greater_equal maximum minimum sqrt exp log sin cos tan tanh".split()
)
COMPARISONS = frozenset("equal not_equal less less_equal greater greater_equal".split())
HOST = frozenset(("host_if", "host_for", "host_while"))
_CHOICES = frozenset(("min", "max"))
_OPERATORS = frozenset("+ - * % // neg abs".split()) | _CHOICES
ORDER = "bifc"
STEPS = 8


def is_number(leaf: Any) -> bool:
    """Whether a leaf is a Python number."""
    return isinstance(leaf, (bool, int, float, complex))


def strong(leaf: Any) -> DType | None:
    """The dtype of a value that is known to be no number."""
    known = leaf.type if type(leaf) is Value else None
    return known.dtype if isinstance(known, LogicalTensor) and not known.weak else None


def operands(node: Node) -> Sequence[Any] | None:
    """What a number is computed from, where it is of the kind of that."""
    if node.op.name == "host":
        return node.args[1] if node.args[0] in _OPERATORS else None
    return node.args if node.op.name in ARITHMETIC - COMPARISONS else None


def gives_one(node: Node) -> bool:
    """Whether Python computes the node, and gives one of several values as it is."""
    return node.op.name in HOST or (node.op.name == "host" and node.args[0] in _CHOICES)


def runs(node: Node) -> bool:
    """Whether a loop of Python's own has at least one trip: one over a fixed range without any is not kept."""
    items = node.args[0]
    return (
        node.op.name == "host_for"
        and len(items) == 1
        and type(items[0]) is tuple
        and all(type(bound) is int for bound in items[0][1:])
    )
