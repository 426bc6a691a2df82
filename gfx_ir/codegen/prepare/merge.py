"""Two tests of the same thing, one right behind the other, as one test."""

from __future__ import annotations

from typing import Any

from ...control import is_test, negated
from ...edited import take_place
from ...graph import Graph, Node, Value
from ...program import Program
from ...regions import outputs_of
from ..copying import Values, copy_nodes, substitute
from .base import Emission, Lowering


class MergedTests(Lowering):
    """Two tests of the same thing, one right behind the other, are one."""

    name = "merged_tests"
    preserves = ()

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Merge such tests in the graph and its regions."""
        merge_tests(graph)


def merge_tests(graph: Graph) -> None:
    """Merge tests of the same thing, one right behind the other, in the graph and its regions."""
    todo = [graph]
    while todo:
        inner = todo.pop()
        node = inner.first
        while node is not None:
            second = _test_behind(node)
            truth = _asks_again(node, second) if second is not None else None
            if second is not None and truth is not None:
                node = _merged(inner, node, second, truth)
                continue
            todo.extend(node.regions)
            node = node.next


def _test_behind(first: Node) -> Node | None:
    """The test right behind a test, or behind what turns a flag of that round."""
    if not is_test(first):
        return None
    second = first.next
    while second is not None and second.values and _opposite(second.values[0]) in first.values:
        second = second.next
    return second


def _opposite(value: Any) -> Value | None:
    """The Value that is false where this one is true."""
    if type(value) is not Value:
        return None
    found = negated(value.node)
    return found if type(found) is Value else None


def _asks_again(first: Node, second: Node) -> bool | None:
    """Whether the second test is true where the first one is, or where it is false; None where it asks something else."""
    if first.op is not second.op or not is_test(first) or any(r.parameters for r in (*first.regions, *second.regions)):
        return None
    test, truth = second.args[0], True
    opposite = _opposite(test)
    if opposite is not None and test is not first.args[0]:
        test, truth = opposite, False
    if test is first.args[0]:
        return truth
    if type(test) is not Value or test.node is not first:
        return None
    sides = [outputs_of(region.result, len(first.values))[test.index - 1] for region in first.regions]
    if not all(isinstance(side, bool) for side in sides) or sides[0] == sides[1]:
        return None
    return truth if sides[0] else not truth


def _merged(graph: Graph, first: Node, second: Node, truth: bool) -> Node:
    """The test whose sides do what those of both do, with the values of both. `truth`: of the second where the first is true."""
    made_of_first = (*first.values, *(x for x in second.args[1] if _opposite(x) in first.values))
    given = (*first.args[1], *(x for x in second.args[1] if x not in made_of_first))
    others = second.regions if truth else second.regions[::-1]
    operands = [value for value in dict.fromkeys(given) if type(value) is Value]  # others are fixed by now
    regions = tuple(_side(first, second, operands, at, others[at]) for at in (0, 1))
    kinds = tuple(value.kind for value in (*first.values, *second.values))
    made = Node(first.op, (first.args[0], tuple(operands)), kinds, first.span, regions)
    graph.insert(made, first)
    for node, values in ((second, made.values[len(first.values) :]), (first, made.values)):
        take_place(values, node.values)
        graph.erase(node)
    return made


def _side(first: Node, second: Node, operands: list[Value], at: int, other: Graph) -> Graph:
    one = first.regions[at]
    side = Graph(one.name)
    held: Values = {}
    for value in operands:
        held[value] = side.add_placeholder(value.name or "", value.kind, value.type)
        held[value].name = value.name
    values: Values = dict(zip(one.placeholders, substitute(first.args[1], held)))
    copy_nodes(one, side, None, values)
    given = [substitute(leaf, values) for leaf in outputs_of(one.result, len(first.values))]
    held.update(zip(first.values, given))
    for value in second.args[1]:
        if (opposite := _opposite(value)) in first.values:
            known = held[opposite]
            if isinstance(known, bool):
                held[value] = not known
            else:
                copy_nodes([value.node], side, None, held)
    behind: Values = dict(zip(other.placeholders, substitute(second.args[1], held)))
    copy_nodes(other, side, None, behind)
    last = [substitute(leaf, behind) for leaf in outputs_of(other.result, len(second.values))]
    side.result = (*given, *last)
    return side
