"""Which values' shapes make that of a value, where no shape is known: whether what is written in place fits."""

from __future__ import annotations

from ..graph import Graph, Node, Value, values_in
from ..op import Trait
from ..rules import RAISED, UNKNOWN, infer
from ..trees import tree_map
from ..types import LogicalTensor

Shaping = frozenset[Value]
_OF_OTHERS = Trait.ELEMENTWISE | Trait.SHAPE_OF_FIRST


def shaping(node: Node) -> list[Value] | None:
    """The tensors of whose shapes, broadcast against each other, a node's one result is; None where it has one of its own."""
    if len(node.values) != 1 or not node.op.traits & _OF_OTHERS or node.regions:
        return None
    tensors = [x for x in values_in(node.args) if x.is_tensor]
    return (tensors if node.op.traits & Trait.ELEMENTWISE else tensors[:1]) or None


def growing(graph: Graph, rules: str) -> list[Node]:
    """The nodes of a graph and its regions that were written in place, element by element, and whose result may have another
    shape than what it was written over, as far as types tell."""
    marked = [node for node in graph.walk() if node.in_place and node.op.traits & Trait.ELEMENTWISE and _open(node)]
    made: dict[Value, Shaping] = {}

    def shapes(value: Value) -> Shaping:
        found = made.get(value)
        if found is None:
            found = made[value] = Shaping() if _without_axes(value, rules) else Shaping((value,))
        return found

    for node in graph.walk() if marked else ():
        parts = shaping(node)
        if parts is not None:
            made[node.value] = Shaping().union(*map(shapes, parts))
    return [node for node in marked if not made[node.value] <= shapes(node.args[0])]


def _without_axes(value: Value, rules: str) -> bool:
    """Whether a tensor surely has no axes, by its type or by its op, so that it makes no shape."""
    type_, node = value.type, value.node
    if type_ is None and not node.regions and (node.op.infer is not None or node.op.body is not None):
        told = tree_map(lambda x: UNKNOWN if type(x) is Value and x.is_tensor else x, node.args)
        try:
            type_ = infer(node.op, told, rules)[value.index - 1]
        except RAISED:  # a rule that needs more than is known
            return False
    return isinstance(type_, LogicalTensor) and type_.dims == ()


def _open(node: Node) -> bool:
    """Whether types do not tell the shapes: those that they tell the capture has compared."""
    found = [x.type for x in (node.args[0], node.value)]
    return any(not isinstance(type_, LogicalTensor) or type_.dims is None for type_ in found)
