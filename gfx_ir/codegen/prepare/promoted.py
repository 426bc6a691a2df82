"""Dtypes as the framework has them that a program was written for."""

from __future__ import annotations

from ...graph import Graph
from ...passes.promotion import keep_dtypes
from ...program import Program
from .base import HANDED, Emission, Lowering


class Promoted(Lowering):
    """Casts stand where the target has other dtypes, or takes others, than the framework that the program was written for."""

    name = "promoted"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Put them into a graph and its regions."""
        handed = program.entry.get(HANDED)
        keep_dtypes(graph, emission.backend, program.promotion, handed, graph is program.entry)
