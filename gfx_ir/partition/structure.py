"""Structure of a partition: equal for graphs that compute the same of their inputs and parameters, whatever their values are called."""

from __future__ import annotations

from collections.abc import Hashable

from ..graph import Graph
from ..passes.fingerprint import fingerprint
from ..program import Program
from ..trees import leaves


def structure(program: Program) -> Hashable:
    """A key of the entry, of the functions that it calls, and of the promotion that it was written under."""
    order = {graph: at for at, graph in enumerate(program.graphs)}
    return program.promotion, tuple([_graph(graph) for graph in order]), tuple(program.functions)


def _graph(graph: Graph) -> Hashable:
    ends = list(graph.placeholders)
    kinds = tuple([value.kind for value in ends])
    found, _ = fingerprint(list(graph), tuple(leaves(graph.result)), "", ends)
    return kinds, found
