"""A join of one array along an axis that it has, which is that array: nothing writes the arrays of JAX."""

from __future__ import annotations

from gfx_ir.codegen.prepare.base import Emission, Lowering
from gfx_ir.codegen.prepare.filled import joins
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.program import Program
from gfx_ir.types import LogicalTensor


class Joined(Lowering):
    """What joins one array is that array."""

    name = "joined"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Leave out such joins in the graph and its regions, of arrays whose rank and dtype are known: of others they may raise, or
        have another dtype."""
        for node in list(graph.walk()):
            if joins(node) and _is_alone(node):
                (array,) = node.args[0]
                array.name = array.name or node.value.name
                node.value.replace_by(array)
                assert node.graph is not None
                node.graph.erase(node)


def _is_alone(node: Node) -> bool:
    arrays, axis = node.args[0], node.arg("axis")
    if type(arrays) not in (tuple, list) or len(arrays) != 1 or type(arrays[0]) is not Value or type(axis) is not int:
        return False
    known = arrays[0].type
    return isinstance(known, LogicalTensor) and bool(known.dims) and known.dtype is not None and not known.weak
