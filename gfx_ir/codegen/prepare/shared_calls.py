"""Calls that both sides of a test make, as one call behind it: the test chooses the arguments, and a second one goes on with what comes back.

A functional target traces both sides, and the body of each call in them: a function whose sides call the next one of many such
functions is traced twice as often with each. Only calls of functions that take many nodes to trace are drawn together.
"""

from __future__ import annotations

from typing import Any

from ...control import is_call, is_data_test, is_given, is_placeholder, is_test
from ...copies import copy_graph
from ...dependence import needs
from ...graph import Graph, Node, Value, values_in
from ...infer.demand import Question, Rule
from ...infer.facts import Facts
from ...infer.shaped import Shaping, shaping
from ...passes.effects import Effects
from ...program import Program
from ...reach import reached
from ...regions import outputs_of, with_regions
from ...types import LogicalTensor
from ..copying import Values, substitute
from .base import HANDED, Emission, Lowering, facts_of, order

MANY = 100
"""Nodes that are traced for one call, those of all functions that it comes to, from which on it is drawn out."""


class SharedCalls(Lowering):
    """Calls on both sides of a test are one behind it."""

    name = "shared_calls"
    requires = (HANDED,)
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Draw such calls together in all functions, callees first."""
        functions, effects = program.functions, Effects(program)
        traced: dict[Graph, int] = {}
        for graph in order(program):
            heavy = {name for name, callee in functions.items() if traced.get(callee, 0) >= MANY}
            if heavy:
                _Sharing(graph, heavy, effects, facts_of(graph, program)).run()
            traced[graph] = sum(traced.get(functions[n.args[0]], 0) if is_call(n) else 1 for n in graph.walk())


class _Sharing:
    """The same in one function."""

    def __init__(self, graph: Graph, heavy: set[str], effects: Effects, facts: Facts) -> None:
        self.graph, self.heavy, self.effects, self.facts = graph, heavy, effects, facts
        self._shapes = Question(self._shape)

    def run(self) -> None:
        """Draw out what can be, of the innermost tests first."""
        for graph in reversed(list(with_regions((self.graph,)))):
            node = graph.last
            while node is not None:
                before = node.prev
                while node is not None and is_data_test(node) and (pair := self._pair(node)) is not None:
                    node = self._drawn_out(node, *pair)
                node = before

    # ------------------------------------------------------------------ which
    def _pair(self, node: Node) -> tuple[Node, Node] | None:
        """A call on each side of a test that can be one behind it."""
        calls = [self._first_calls(region) for region in node.regions]
        for name, first in calls[0].items():
            second = calls[1].get(name)
            if second is not None and all(self._may_be_one(node, a, b) for a, b in zip(first.args[2], second.args[2])):
                return first, second
        return None

    def _first_calls(self, region: Graph) -> dict[tuple, Node]:
        """The first call of each of the functions in question that needs nothing before it but what has no effect."""
        found: dict[tuple, Node] = {}
        acted = False
        for node in region:
            if is_call(node) and node.args[0] in self.heavy and node.args[:2] not in found:
                needed = _needed(node)
                if not (acted and self.effects.node(node)) and not any(map(self._apart, needed)):
                    found[node.args[:2]] = node
            acted |= self.effects.node(node)
        return found

    def _apart(self, node: Node) -> bool:
        """Whether a node cannot be computed once more for what a call is given."""
        inside = (node, *(inner for region in node.regions for inner in region.walk()))
        return any(inner.op.effect or inner.waits or is_call(inner) for inner in inside)

    def _may_be_one(self, node: Node, first: Any, second: Any) -> bool:
        """Whether what two sides give to a call can be one value, which the test chooses."""
        a, b = (_outside(node, at, leaf) for at, leaf in enumerate((first, second)))
        if a is b or (type(a) is type(b) and type(a) in (bool, int, str, type(None)) and a == b):
            return True
        if type(a) is not Value or type(b) is not Value or a.kind != b.kind or a.kind not in ("tensor", "key"):
            return False
        known = a.type, b.type
        if all(isinstance(type_, LogicalTensor) and type_.known for type_ in known):
            return bool(known[0].dtype == known[1].dtype and known[0].dims == known[1].dims)
        return self._shapes.ask(a) == self._shapes.ask(b) and self.facts.origins.of_one(a, b)

    def _shape(self, value: Value) -> Rule:
        """The values of whose shapes, broadcast against each other, that of a value is."""
        graph, type_ = value.node.graph, value.type
        if isinstance(type_, LogicalTensor) and type_.dims == ():
            return Shaping()
        if is_placeholder(value.node) and graph is not None and graph.owner is not None and is_test(graph.owner):
            outer = graph.owner.args[1][graph.placeholders.index(value)]
            return (yield self._shapes, outer) if type(outer) is Value else Shaping()
        parts, found = shaping(value.node), Shaping()
        for part in parts or ():
            found |= yield self._shapes, part
        return found if parts is not None else Shaping((value,))

    # ------------------------------------------------------------------ drawing out
    def _drawn_out(self, node: Node, first: Node, second: Node) -> Node | None:
        """Put one call in the place of two; gives the test that goes on behind it."""
        graph = node.graph
        assert graph is not None
        given = [[_outside(node, at, leaf) for leaf in call.args[2]] for at, call in enumerate((first, second))]
        chosen = [at for at, (a, b) in enumerate(zip(*given)) if not (a is b or type(a) is not Value)]
        args = list(given[0])
        if chosen:
            for at, value in zip(chosen, self._choice(node, (first, second), chosen)):
                args[at] = value
        call = Node(first.op, (*first.args[:2], tuple(args)), tuple([v.kind for v in first.values]), first.span)
        graph.insert(call, node)
        for new, old in zip(call.values, first.values):
            new.type, new.name = old.type, old.name
        return self._behind(node, (first, second), call)

    def _choice(self, node: Node, calls: tuple[Node, Node], chosen: list[int]) -> tuple[Value, ...]:
        """A test that gives what either call is given in these places."""
        sides = []
        for region, call in zip(node.regions, calls):
            values = Values()
            side = copy_graph(region, values, fresh=True)
            side.result = tuple([substitute(call.args[2][at], values) for at in chosen])
            _leave_needed(side)
            sides.append(side)
        like = [calls[0].args[2][at] for at in chosen]
        test = Node(node.op, node.args, tuple([leaf.kind for leaf in like]), node.span, tuple(sides))
        assert node.graph is not None
        node.graph.insert(test, node)
        for value, leaf in zip(test.values, like):
            value.type = leaf.type
        return test.values

    def _behind(self, node: Node, calls: tuple[Node, Node], call: Node) -> Node | None:
        """The test behind the call, where that is not all."""
        graph = node.graph
        assert graph is not None
        node.set_args((node.args[0], (*node.args[1], *call.values)))
        for region, inner in zip(node.regions, calls):
            for old, new in zip(inner.values, call.values):
                place = region.add_placeholder(new.name or "", new.kind, new.type)
                place.name = new.name
                old.replace_by(place)
            needed = _needed(inner)
            region.erase(inner)
            for left in needed:
                if not any(value.uses for value in left.values):
                    region.erase(left)
        results = [outputs_of(region.result, len(node.values)) for region in node.regions]
        ends = [[_outside(node, at, leaf) for leaf in found] for at, found in enumerate(results)]
        if any(map(len, node.regions)) or any(a is not b for a, b in zip(*ends)):
            return node
        for value, new in zip(node.values, ends[0]):
            if type(new) is Value and new.name is None:
                new.name = value.name
            value.replace_by(new)
        graph.erase(node)
        return None


def _outside(node: Node, at: int, leaf: Any) -> Any:
    """What a leaf of a side stands for around the test; itself where that side makes it."""
    region = node.regions[at]
    if type(leaf) is Value and is_placeholder(leaf.node) and leaf.node.graph is region:
        return node.args[1][region.placeholders.index(leaf)]
    return leaf


def _needed(call: Node) -> list[Node]:
    """The nodes of its graph that a call takes values of, directly or not, the last first."""
    given = [value.node for value in values_in(call.args) if not is_given(value.node)]
    within = [node for node in given if node.graph is call.graph]
    found = set(reached(within, needs))
    graph = call.graph
    assert graph is not None
    return [node for node in reversed(list(graph)) if node in found]


def _leave_needed(graph: Graph) -> None:
    """Erase what nobody takes, be it an effect."""
    node = graph.last
    while node is not None:
        before = node.prev
        if not any(value.uses for value in node.values):
            graph.erase(node)
        node = before
