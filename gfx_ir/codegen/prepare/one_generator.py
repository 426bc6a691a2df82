"""A generator of random numbers that every draw moves on."""

from __future__ import annotations

from ...dtypes import int64
from ...graph import Graph, Node, Value
from ...op import lookup
from ...program import Program
from .base import Emission, Lowering
from .repeated_keys import is_derived, takes_key

_MADE = lookup("make_key")
_WORD = (1 << 32) - 1  # of a seed, what leaves room for a sum within 64 bits


class OneGenerator(Lowering):
    """Every draw takes the generator itself: it is not split. One that a seed makes begins anew in each call: what is folded into it
    is added to the seed, or each call would draw the same numbers."""

    name = "one_generator"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Put the generator in the place of what is made of it."""
        for node in list(graph.walk()):
            if node.graph is None or not takes_key(node) or is_derived(node):
                continue
            if {value.kind for value in node.values} == {"key"}:
                source = _folded(node) or node.args[0]
                for value in node.values:
                    value.replace_by(source)
                node.graph.erase(node)


def _folded(node: Node) -> Value | None:
    """The generator of a seed and what is folded into its key; None where the key is no seed's, or no value is folded into it."""
    made = _outermost(node.args[0]).node
    folded = [other for other in node.args[1:] if type(other) is Value]
    if made.op is not _MADE or not folded or type(made.args[0]) is not int:
        return None
    number = _before(node, "astype", (folded[0], int64)) if folded[0].is_tensor else folded[0]
    return _before(node, "make_key", (_before(node, "add", (number, made.args[0] & _WORD)),), "key")


def _outermost(value: Value) -> Value:
    """What a value is outside of the regions that take it as it is."""
    graph = value.graph
    owner = graph.owner if graph is not None else None
    control = owner.op.control if owner is not None else None
    if graph is None or owner is None or control is None or value not in graph.placeholders:
        return value
    at, place, feeds = graph.placeholders.index(value), owner.regions.index(graph), control.feeds(owner)
    fed = feeds[place] if place < len(feeds) else None
    if fed is None or len(fed) != len(graph.placeholders) or at in control.carried(owner) or type(fed[at]) is not Value:
        return value
    return _outermost(fed[at])


def _before(node: Node, name: str, args: tuple, kind: str = "tensor") -> Value:
    assert node.graph is not None
    op = lookup(name)
    return node.graph.insert(Node(op, op.bind(*args), (kind,), node.span), node).value
