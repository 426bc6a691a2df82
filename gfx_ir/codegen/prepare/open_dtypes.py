"""Dtypes that hang on how often a loop runs: a target whose loops hold one dtype has no answer to what the author's code asks of them."""

from __future__ import annotations

from ...errors import UnsupportedConstruct
from ...graph import Graph, Node, Value
from ...types import LogicalTensor


def check_open_dtypes(graph: Graph, name: str) -> None:
    """Raise UnsupportedConstruct where code asks for the dtype of what a typed capture knows by its shape alone."""
    for node in graph.walk():
        for value in node.values:
            if value.kind == "dtype" and any(map(_is_open, node.args)) and _is_asked(value):
                raise UnsupportedConstruct(
                    f"GFX cannot write this dtype as {name} source: it hangs on how often a loop runs, and {name} holds one dtype",
                    node.span,
                    "cast the tensor before the loop, or run it as PyTorch or NumPy source",
                )


def _is_open(leaf: object) -> bool:
    known = leaf.type if type(leaf) is Value else None
    return isinstance(known, LogicalTensor) and known.dtype is None and known.dims is not None


def _is_asked(value: Value) -> bool:
    """Whether a dtype is handed on, or anything but tensors is made of it."""
    return any(_hands_on(node) or not all(made.is_tensor for made in node.values) for node in value.uses)


def _hands_on(node: Node) -> bool:
    """Whether a node is what a graph ends with, or may hand on what it takes."""
    return bool(node.regions) or node.graph is None or node is node.graph.output
