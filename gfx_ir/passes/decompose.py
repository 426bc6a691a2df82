"""Decompose: composites become the ops of their bodies, down to an op set that the user chose."""

from __future__ import annotations

from collections.abc import Collection

from ..body import body_of
from ..dependence import waiters
from ..errors import listed
from ..graph import Graph, Node, Value
from ..op import lookup
from ..program import Program
from ..trees import leaves
from ..types import LogicalTensor
from .base import Context, Pass, PassError
from .moves import between, hand_over, relink, splice
from .sweep import same_type


class Decompose(Pass):
    """Puts the bodies of composites in their place. Attribute `ops`: the names of the ops to end with (None: all primitives).

    A primitive that is left and not among them is an error, which names each with its line. Bodies hang on dtypes: bind and
    infer the program first.
    """

    name = "decompose"

    def run(self, program: Program, context: Context) -> bool:
        named: Collection[str] | None = self.get("ops")
        chosen = None if named is None else frozenset(map(lookup, named))
        graphs, left = program.graphs, []
        changed = False
        for graph in graphs:
            node, waiting = graph.first, waiters(graph)
            while node is not None:
                if node.op.body is not None and (chosen is None or node.op not in chosen):
                    node = _expand(graph, node, program.promotion, waiting)
                    changed = True
                    continue
                if chosen is not None and node.op not in chosen and _computes(node):
                    left.append(node)
                graphs += node.regions
                node = node.next
            relink(graph)
        if left:
            found = [node.op.name + (f" [{node.span.place()}]" if node.span else "") for node in left]
            hint = "take these ops into `ops`, too: they are primitives"
            raise PassError(f"the chosen ops lack{listed(list(dict.fromkeys(found)))}", hint=hint)
        return changed


def _computes(node: Node) -> bool:
    """Whether it computes tensors; what runs regions, tells sizes or acts on the world belongs to every op set."""
    return node.op.control is None and not node.op.effect and any(value.is_tensor for value in node.values)


def _has_dtype(value: Value) -> bool:
    return isinstance(value.type, LogicalTensor) and value.type.dtype is not None


def _expand(graph: Graph, node: Node, promotion: str, waiting: dict[Node, list[Node]]) -> Node | None:
    """Put the body in the place of a node, for which others may be `waiting`; the first node that stands there now."""
    open_ = [leaf for leaf in leaves(node.args) if type(leaf) is Value and leaf.is_tensor and not _has_dtype(leaf)]
    if open_ or (node.in_place and not same_type(node.args[0], node.value)):
        what = f"{node.op.name} is made of other ops for other dtypes, and those of its arguments are not known"
        raise PassError(
            what, node.span, "bind the program to types, and infer: program.bind(x=TensorSpec(...)).infer()"
        )
    before, after, span = node.prev, node.next, node.span
    found = body_of(node, promotion)
    splice(found.graph, node, found.operands, "")
    made = between(graph, before, after)
    for inner in made:
        inner.span = inner.span or span
    hand_over(node, made, waiting)
    return graph.first if before is None else before.next
