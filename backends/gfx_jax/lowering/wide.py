"""Whole numbers of more than 32 bits beside floats: JAX has no place for them, and a float of the same value is what they become."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gfx_ir.codegen.prepare import Emission, Lowering
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer.elements import declared
from gfx_ir.op import Trait
from gfx_ir.program import Program

_BITS = 31


class Wide(Lowering):
    """Numbers like -2**32 + 1, which hide scores, are floats where the arrays that they meet are."""

    name = "wide"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Write them so in the graph and its regions."""
        for node in graph.walk():
            if any(map(_is_wide, node.args)) and _of_floats(node):
                node.set_args(tuple(float(arg) if _is_wide(arg) else arg for arg in node.args))


def _is_wide(x: Any) -> bool:
    return type(x) is int and _BITS < x.bit_length() < 128  # more is no float of 32 bits


def _of_floats(node: Node) -> bool:
    """Whether what a node computes with is floats: all that it takes element by element, or the array that it changes."""
    met = list(_met(node))
    if not node.op.traits & Trait.ELEMENTWISE:
        met = met[:1]
    return bool(met) and all(getattr(declared(x), "kind", "") in ("f", "c") for x in met)


def _met(node: Node) -> Iterator[Value]:
    """The arrays that a node takes, but for masks."""
    return (x for x in node.args if type(x) is Value and x.is_tensor and getattr(declared(x), "kind", "") != "b")
