"""Tests whose sides give numbers or arrays, and that are only asked for their truth: their sides give that.

`if x.sum() and k:` is the test `(k if x.sum() != 0 else x.sum()) != 0`; it becomes one of booleans: `x.sum() != 0 and k != 0`.
"""

from __future__ import annotations

from typing import Any

from ...control import is_open_host, is_test, is_truth
from ...dtypes import bool_
from ...graph import Graph, Node, Value
from ...infer.facts import Facts
from ...op import lookup
from ...program import Program
from ...regions import outputs_of
from ...types import LogicalTensor
from ..sides import outer
from .base import HANDED, Emission, Lowering, facts_of

_NUMBERS = ("bool", "int", "float")


class Truths(Lowering):
    """Tests that are only asked for their truth give that."""

    name = "truths"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Rewrite such tests in the graph and its regions, of whose values `facts` tells."""
        facts = facts_of(graph, program)
        truths = _Truths(facts)
        for node in list(graph.walk()):
            if not is_truth(node) or type(node.args[0]) is not Value or node.graph is None:
                continue
            value = node.args[0]
            if truths.gives_number(value) and truths.can(value, node):
                truths.ask_sides(value)
                node.value.replace_by(value)
                node.graph.erase(node)


def _sides(value: Value) -> list[tuple[Any, Graph]]:
    node = value.node
    return [(outputs_of(side.result, len(node.values))[value.index - 1], side) for side in node.regions]


class _Truths:
    """What the tests of one graph give, as truths."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def gives_number(self, value: Value) -> bool:
        """Whether a test gives a value that is not surely a boolean."""
        return is_test(value.node) and not self._facts.is_boolean(value)

    def can(self, value: Value, user: Node) -> bool:
        """Whether nothing else takes what a test gives, and each side of it has a truth."""
        return value.uses == {user: 1} and all(self._has_truth(leaf, side) for leaf, side in _sides(value))

    def _has_truth(self, leaf: Any, side: Graph) -> bool:
        if type(leaf) is not Value:
            return isinstance(leaf, (bool, int, float))
        if leaf.node.graph is side and self.gives_number(leaf):
            return self.can(leaf, side.output)
        return leaf.kind == "tensor" or leaf.kind in _NUMBERS

    def ask_sides(self, value: Value) -> None:
        """Let a test give the truths of what its sides gave."""
        node = value.node
        for at, (leaf, side) in enumerate(_sides(value)):
            results = list(outputs_of(side.result, len(node.values)))
            results[value.index - 1] = self._truth(leaf, side, node.args[0], at == 0)
            side.result = tuple(results)
        host = all(isinstance(leaf, bool) or leaf.kind == "bool" for leaf, _ in _sides(value))
        value.kind = "bool" if host and is_open_host(node) else "tensor"
        value.type = value.type.with_(dtype=bool_) if isinstance(value.type, LogicalTensor) else None
        self._facts.stands_for(value, True)

    def _truth(self, leaf: Any, side: Graph, test: Any, taken: bool) -> Any:
        """Whether a leaf is true, on the side that is taken where `test` is, or is not."""
        if type(leaf) is not Value:
            return bool(leaf)
        found = outer(leaf)
        if found is not leaf and (found is test or (is_truth(test.node) and test.node.args[0] is found)):
            return taken
        if self._facts.is_boolean(leaf):
            return leaf
        if is_test(leaf.node) and leaf.node.graph is side:
            self.ask_sides(leaf)
            return leaf
        if leaf.kind in _NUMBERS:
            made = Node(lookup("host"), ("!=", (leaf, 0)), ("bool",), leaf.node.span)
        else:
            made = Node(lookup("not_equal"), (leaf, 0), ("tensor",), leaf.node.span)
            if isinstance(leaf.type, LogicalTensor):
                made.value.type = leaf.type.with_(dtype=bool_, weak=False)
        side.append(made)
        return made.value
