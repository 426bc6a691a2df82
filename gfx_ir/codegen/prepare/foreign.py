"""Texts of shapes and dtypes, which are others in another framework: `str(x.shape)` is "torch.Size([3])" or "(3,)"."""

from __future__ import annotations

from ...control import host_operator
from ...dtypes import framework_of
from ...errors import UnsupportedConstruct
from ...graph import Graph, Node, Value
from ...program import Program
from ...trees import leaves
from .base import Emission, Lowering
from .precision import TEXTS, goes_on

_SHOWN = frozenset(("shape", "dtype"))
_OF_ITS_OWN = frozenset(("torch",))
"""Frameworks whose shapes and dtypes are objects with a text of their own; elsewhere they are Python's tuples and NumPy's names."""


class ForeignTexts(Lowering):
    """Texts of shapes and dtypes are refused where the target has others."""

    name = "foreign_texts"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Refuse a text of a shape or dtype that the code goes on with, where the target has another. Raises UnsupportedConstruct."""
        style, promotion = emission.style, program.promotion
        if style.name == framework_of(promotion) or _OF_ITS_OWN.isdisjoint((style.name, promotion)):
            return
        for node in graph.walk():
            if host_operator(node) in TEXTS and _shows(node) and goes_on(node):
                raise UnsupportedConstruct(
                    f"GFX cannot write this text as {style.name} source: a shape or dtype has another text there", node.span,
                    "make a tuple of the shape first, tuple(x.shape), or compare the shape or dtype itself",
                )  # fmt: skip


def _shows(node: Node) -> bool:
    return any(type(leaf) is Value and leaf.kind in _SHOWN and not _is_tuple(leaf) for leaf in leaves(node.args[1]))


def _is_tuple(value: Value) -> bool:
    """Whether a shape is surely a tuple of Python's."""
    node = value.node
    return host_operator(node) in ("tuple", "list", "splice")
