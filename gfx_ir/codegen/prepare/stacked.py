"""Lists that Python's loops fill, stacked along another axis than the first or joined: one call, as the author writes it.

A capture knows such a list as a tensor of rows: `moveaxis(rows, 0, axis)` is `stack(list, axis)`, and where that axis and the one
behind it are merged, `concat(list, axis)`.
"""

from __future__ import annotations

from ...control import is_for
from ...edited import put_before, take_place
from ...graph import Graph, Node, Value
from ...op import Trait
from ...program import Program
from .base import Emission, Lowering
from .filled import FILLED, python_runs


class StackedLists(Lowering):
    """A list whose tensor is only moved or merged stays a list up to there."""

    name = "stacked_lists"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Stack and join such lists in the graph and its regions."""
        compiled, unrolling = emission.style.control.compiled, emission.unrolling
        for node in list(graph.walk()):
            rows = node.args[0] if node.args else None
            if type(rows) is not Value or not rows.is_tensor or rows.users() != [node]:
                continue
            found = _joining(node)
            if found is None or rows.node.graph is not node.graph:
                continue
            loop = rows.node
            fills = is_for(loop) and (not compiled or python_runs(loop) or unrolling.takes(loop))
            if loop.op is FILLED or (fills and rows.index > len(loop.arg("init"))):
                _join(rows, *found)


def _joining(node: Node) -> tuple[str, int, Node] | None:
    """What makes of a list what this node and maybe the one that takes it make of its rows: an op, along which axis, and the last of
    the two."""
    if _merges(node, 0):
        return "concat", 0, node
    if not node.op.traits & Trait.PERMUTES or node.op.params[1:] != ("source", "destination"):
        return None
    source, axis = node.args[1:]
    if source != 0 or type(axis) is not int or axis == 0:
        return None
    users = node.value.users()
    if len(users) == 1 and users[0].graph is node.graph and _merges(users[0], axis):
        return "concat", axis if axis > 0 else axis + 1, users[0]
    return "stack", axis, node


def _merges(node: Node, axis: int) -> bool:
    """Whether a node merges an axis and the one behind it."""
    return bool(node.op.traits & Trait.MERGES) and tuple(node.args[1:3]) == (axis, axis + 1)


def _join(rows: Value, op: str, axis: int, last: Node) -> None:
    graph = last.graph
    assert graph is not None
    made = put_before(last, op, rows, axis)
    take_place([made], [last.value])
    rows.kind, rows.type = "list", None
    for node in (last, *(() if last.args[0] is rows else (last.args[0].node,))):
        graph.erase(node)
