"""Names of results: what has its name from the caller alone is returned as an expression."""

from __future__ import annotations

from ...control import is_given
from ...graph import Graph, Value
from ...program import Program
from ...regions import outputs_of
from .base import Emission, Lowering
from .calls import callees


class Returned(Lowering):
    """A result that is called as its caller calls it got that name from there: it is returned as an expression."""

    name = "returned"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Give what the calls in a graph take the names of the results, and these none."""
        for node in callees(graph):
            result = program.functions[node.args[0]].result
            if len(node.values) > 1:
                for value, leaf in zip(node.values, outputs_of(result, len(node.values))):
                    value.name = value.name or (leaf.name if type(leaf) is Value else None)
            if type(result) is Value and len(node.values) == 1 and result.name == node.values[0].name:
                if sum(result.uses.values()) == 1 and not is_given(result.node) and not _named_within(result):
                    result.name = None


def _named_within(value: Value) -> bool:
    """Whether it is what regions give under the same name: its author assigned it there."""
    node, at = value.node, value.index - 1
    found = [outputs_of(region.result, len(node.values)) for region in node.regions]
    return any(type(leaf := outs[at]) is Value and leaf.name == value.name for outs in found if at < len(outs))
