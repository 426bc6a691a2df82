"""Whole numbers to a negative power: whole numbers in PyTorch, which has 0 for all but those of 1 and -1, and undefined in JAX."""

from __future__ import annotations

from typing import Any

from ...dtypes import framework_of
from ...edited import put_before
from ...graph import Graph, Node, Value
from ...op import lookup
from ...program import Program
from ...python_numbers import COMPARISONS
from ...types import LogicalTensor
from .base import HANDED, Emission, Lowering, facts_of
from .made_of import MadeOf


class Powers(Lowering):
    """Whole numbers to a negative power are what PyTorch has."""

    name = "powers"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Put what PyTorch has into the graph and its regions, where the exponent may be negative."""
        backend, rules, facts = emission.backend, program.promotion, facts_of(graph, program)
        if framework_of(rules) != "torch" or backend.promotion != "jax":
            return
        found = [
            node for node in graph.walk() if node.op.sign == "**" and all(map(_is_whole, (*node.args, node.value)))
        ]
        made_of = MadeOf(facts) if found else None
        for node in found:
            if type(node.args[1]) is Value and made_of is not None and not made_of.not_negative(node.args[1]):
                _choose(node)


def _is_whole(leaf: Any) -> bool:
    if type(leaf) is not Value:
        return type(leaf) is int
    dtype = leaf.type.dtype if isinstance(leaf.type, LogicalTensor) else None
    return dtype is not None and dtype.kind == "i"


def _choose(node: Node) -> None:
    """`where(x2 < 0, …, x1 ** x2)` in the place of `x1 ** x2`."""
    base, exponent = node.args
    type_ = node.value.type

    def make(name: str, *args: Any) -> Value:
        made = put_before(node, name, *args)
        made.type = None if made.node.op.sign in COMPARISONS else type_
        return made

    below: Any = 0
    if type(base) is Value or base in (1, -1):
        one = make("equal", make("abs", base), 1) if type(base) is Value else True
        odd = make("pow", base, make("remainder", exponent, 2))
        below = odd if one is True else make("where", one, odd, 0)
    chosen = Node(lookup("where"), (make("less", exponent, 0), below, 0), ("tensor",), node.span)
    assert node.graph is not None
    node.graph.insert(chosen, node.next)
    chosen.value.type = type_
    node.value.replace_by(chosen.value)
    chosen.set_args((*chosen.args[:2], node.value))
