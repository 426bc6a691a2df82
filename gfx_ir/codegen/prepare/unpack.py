"""Reads of all items of a slice of a shape become one unpacking: `time, size = q.shape[-2:]`."""

from __future__ import annotations

from typing import Any

from ...control import host_operator
from ...edited import take_place
from ...graph import Graph, Node, Value
from ...op import OpDef
from ...program import Program
from .base import Emission, Lowering

UNPACK = OpDef("unpack(x, count)", kinds=lambda args: ("int",) * args.count)


class Unpacked(Lowering):
    """All items of a slice of a shape are read at once."""

    name = "unpacked"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Merge such reads in the graph and its regions."""
        for node in list(graph.walk()):
            if _is_item(node) and type(node.args[1][1]) is slice and node.values[0].name is None:
                _merge(node.values[0], _length(node.args[1][1]))


def _is_item(node: Node) -> bool:
    return host_operator(node) == "getitem" and type(node.args[1][0]) is Value


def _length(part: slice) -> int | None:
    """The most items that a slice has, where it says so."""
    start, stop = part.start, part.stop
    if part.step not in (None, 1) or type(start) not in (int, type(None)) or type(stop) not in (int, type(None)):
        return None
    if stop is None:
        return -start if start is not None and start < 0 else None
    start = start or 0
    return stop - start if (start < 0) == (stop < 0) and stop > start else None


def _merge(shape: Value, length: int | None) -> None:
    """Read all items at once, if each is read once: then the slice has exactly that many."""
    readers: dict[Any, Node] = {}
    for user, count in shape.uses.items():
        if count != 1 or not _is_item(user) or user.graph is not shape.node.graph:
            return
        at = user.args[1][1]
        if type(at) is not int or at in readers:
            return
        readers[at] = user
    if length is None or length < 2 or sorted(readers) != list(range(length)):
        return
    graph = shape.node.graph
    assert graph is not None
    made = Node(UNPACK, (shape, length), None, shape.node.span)
    graph.insert(made, shape.node.next)
    for at, value in enumerate(made.values):
        take_place([value], readers[at].values)
        graph.erase(readers[at])
