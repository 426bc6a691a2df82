"""`x[i] = x[i] + 1` as the addition at a place that functional targets have: `x.at[i].add(1)`."""

from __future__ import annotations

from typing import Any

from gfx_ir.codegen.prepare.base import Emission, Lowering
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer.elements import declared
from gfx_ir.op import Trait
from gfx_ir.program import Program
from gfx_ir.types import LogicalTensor


class Added(Lowering):
    """A sum that is written where it was read is an addition at that place."""

    name = "added"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Write such sums in the graph and its regions: of a whole number, which takes the dtype of what it is added to."""
        for node in list(graph.walk()):
            if not node.op.traits & Trait.WRITES_AT or node.arg("accumulate"):
                continue
            made = node.arg("value")
            if type(made) is not Value or made.node.op.sign != "+" or made.node.graph is not node.graph:
                continue
            read, number = made.node.args
            if type(read) is Value and type(number) is int and number >= 0 and _is_there(read.node, node):
                node.set_args((*node.args[:2], number, True))


def _is_there(read: Node, write: Node) -> bool:
    """Whether a node reads what stands where another one writes, and each element of it once."""
    if not read.op.traits & Trait.READS_AT or read.args[0] is not write.args[0] or read.args[1] != write.args[1]:
        return False
    items = write.args[1] if type(write.args[1]) is tuple else (write.args[1],)
    element = declared(write.args[0])
    return all(map(_is_one_place, items)) and (element is None or element.kind != "b")


def _is_one_place(item: Any) -> bool:
    """Whether an item of an index is a number or a slice: it names no element twice."""
    if type(item) is slice:
        return all(part is None or _is_one_place(part) for part in (item.start, item.stop, item.step))
    if type(item) is not Value:
        return type(item) is int
    known = item.type
    return item.kind == "int" or (isinstance(known, LogicalTensor) and known.dims == ())
