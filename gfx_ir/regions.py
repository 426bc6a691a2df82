"""How nodes hand values to regions and callees and take results back: the layouts that `ops/control.py` describes."""

from __future__ import annotations

from typing import Any

from .errors import VerifyError
from .graph import Node
from .source import Span
from .trees import BRANCHES, leaves

BRANCHING = ("cond", "host_if")
WHILE = ("while", "host_while")
FOR = ("for", "host_for")


def results(tree: Any, count: int, span: Span | None = None) -> tuple:
    """What a graph with this result gives to the `count` values of the node that holds or calls it.

    An entry of the result for each value (a whole tree for a value of kind "any"), or else a leaf for each.
    """
    if type(tree) in (tuple, list) and len(tree) == count:
        return tuple(tree)
    if count == 1 and (type(tree) not in BRANCHES or type(tree) is dict):
        return (tree,)
    found = tuple(leaves(tree)) if tree is not None or count else ()
    if len(found) != count:
        raise VerifyError(f"a result of {len(found)} values is taken as {count}", span)
    return found


def layout(node: Node) -> list[tuple[str, int, int | None]]:
    """(name, number of placeholders, number of results) of each region; None: one leaf, the truth value of a test."""
    name, count = node.op.name, len(node.values)
    if name in BRANCHING:
        return [(region, len(node.arg("operands")), count) for region in node.op.regions]
    operands, init = node.arg("operands"), node.arg("init")
    taken = len(init) + len(operands)
    if name in WHILE:
        return [("test", taken, None), ("body", taken, len(init))]
    return [("body", len(node.arg("items")) + taken, count)]


def is_range(item: Any) -> bool:
    """Whether an iterable is written ("range", start, stop, step)."""
    return type(item) is tuple and len(item) == 4 and item[0] == "range"


def join_path(prefix: str, path: str) -> str:
    """The path of a parameter of a callee that is called with `prefix`."""
    return f"{prefix}.{path}" if prefix and path else prefix or path
