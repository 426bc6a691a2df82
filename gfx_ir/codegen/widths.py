"""About how wide a node is when it is printed: decides what is still written inside one line."""

from __future__ import annotations

from typing import Any

from ..graph import Node, Value
from ..trees import leaves

DEPTH = 8
WIDTH = 104
_SIGNS = frozenset(
    "add subtract multiply divide floor_divide remainder pow matmul equal not_equal less less_equal greater greater_equal"
    " bitwise_and bitwise_or bitwise_xor logical_not bitwise_invert negative getitem is_none".split()
)


def width_of(node: Node) -> int:
    """Estimated columns of the node without what is printed inside it."""
    name = node.op.name
    if name == "output":
        return 7
    if name == "call":
        return len(str(node.args[0])) + 8 + _args(node.args[2]) + len(str(node.args[1] or ""))
    if name == "host":
        return 3 + _args(node.args[1])
    own = 3 if name in _SIGNS else len(name) + 6
    return own + _args(node.args)


def _args(args: Any) -> int:
    total = 0
    for leaf in leaves(args):
        if type(leaf) is not Value:
            total += 0 if leaf is None else min(len(repr(leaf)), 20) + 2
        elif leaf.node.op.name == "parameter":
            total += len(leaf.node.args[0]) + 16
        elif leaf.name or leaf.node.op.name == "placeholder":
            total += len(leaf.name or "x") + 2
        else:
            total += 4
    return total
