"""A write to as many places as are given from one on that data choose, as `queue[:, p:p + n] = keys`, by positions: a tracing compiler
has no such slice."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from gfx_ir.codegen.prepare.base import Emission, Lowering
from gfx_ir.codegen.prepare.traced import numbers_of_data
from gfx_ir.control import host_operator
from gfx_ir.edited import put_before
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.host import bounds
from gfx_ir.op import Trait
from gfx_ir.ops import _seen
from gfx_ir.program import Program


class Runs(Lowering):
    """A slice whose first place is data, and whose length is none, is an array of positions where it is written."""

    name = "runs"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Name the places of such slices, where nothing but slices stands beside them: one array keeps the axes in their order."""
        nodes = list(graph.walk())
        written = [(node, index) for node in nodes if any(map(_is_open, index := _index(node)))]
        traced = numbers_of_data(nodes, emission.unrolling) if written else set()
        for node, index in written:
            lengths = [_length(item, traced) for item in index]
            plain = all(length is not None or _is_plain(item, traced) for item, length in zip(index, lengths))
            if plain and _is_filled(node, index, lengths):
                placed = [
                    item if length is None else _places(node, item.start, length)
                    for item, length in zip(index, lengths)
                ]
                node.set_args((node.args[0], tuple(placed), *node.args[2:]))


def _index(node: Node) -> tuple:
    """The items of the index that a node writes at."""
    if not node.op.traits & Trait.WRITES_AT:
        return ()
    return node.args[1] if type(node.args[1]) is tuple else (node.args[1],)


def _is_open(item: Any) -> bool:
    return type(item) is slice and type(item.start) is Value


def _length(item: Any, traced: Container[Value]) -> Any:
    """How many places a slice has whose first one is data: its end is that one and a number which is none. None: it is no such slice."""
    if type(item) is not slice or not _is_data(item.start, traced) or item.step not in (None, 1):
        return None
    end = item.stop.node if type(item.stop) is Value else None
    if end is None or (host_operator(end) or end.op.sign) != "+":
        return None
    operands = end.args[1] if host_operator(end) else end.args[:2]
    others = [x for x in operands if x is not item.start]
    return others[0] if len(others) == 1 and not _is_data(others[0], traced) else None


def _is_filled(node: Node, index: tuple, lengths: list) -> bool:
    """Whether just one item has a length, above 1, and what is written has as many rows: Python raises an error then where the slice is a
    shorter one, as beyond the end, or from a place that counts from there."""
    found = [(at, length) for at, length in enumerate(lengths) if length is not None]
    dims, written = (_seen.type_of(x).dims for x in (node.args[0], node.args[2]))
    if len(found) != 1 or dims is None or written is None:
        return False
    at, length = found[0][0] - len(dims), found[0][1]
    size = length.type if type(length) is Value else length
    return -at <= len(written) and size is not None and written[at] == size and (bounds(size)[0] or 0) > 1


def _is_data(x: Any, traced: Container[Value]) -> bool:
    return type(x) is Value and (x.is_tensor or x in traced)


def _is_plain(item: Any, traced: Container[Value]) -> bool:
    """Whether an item of an index is a slice that a compiler has."""
    return type(item) is slice and not any(_is_data(end, traced) for end in (item.start, item.stop, item.step))


def _places(node: Node, first: Value, length: Any) -> Value:
    return put_before(node, "add", put_before(node, "arange", length), first)
