"""Two tests of the same thing, one right behind the other, as one test."""

from __future__ import annotations

from ...control import is_test
from ...graph import Graph, Node, Value
from ..copying import Values, copy_nodes, outputs_of, substitute


def merge_tests(graph: Graph) -> None:
    """Merge such tests in the graph and its regions."""
    todo = [graph]
    while todo:
        inner = todo.pop()
        node = inner.first
        while node is not None:
            following = node.next
            if following is not None and _asks_again(node, following):
                node = _merged(inner, node, following)
                continue
            todo.extend(node.regions)
            node = following


def _asks_again(first: Node, second: Node) -> bool:
    """Whether the second test is the first one's, or of a flag that only says which way the first one went."""
    if first.op is not second.op or not is_test(first) or any(r.parameters for r in (*first.regions, *second.regions)):
        return False
    test = second.args[0]
    if test is first.args[0]:
        return True
    if type(test) is not Value or test.node is not first:
        return False
    sides = [outputs_of(region.result, len(first.values))[test.index - 1] for region in first.regions]
    return sides[0] is True and sides[1] is False


def _merged(graph: Graph, first: Node, second: Node) -> Node:
    """The test whose sides do what those of both do, with the values of both."""
    given = (*first.args[1], *(o for o in second.args[1] if o not in first.values))
    operands = [value for value in dict.fromkeys(given) if type(value) is Value]  # others are fixed by now
    regions = tuple(_side(first, second, operands, at) for at in (0, 1))
    kinds = tuple(value.kind for value in (*first.values, *second.values))
    made = Node(first.op, (first.args[0], tuple(operands)), kinds, first.span, regions)
    graph.insert(made, first)
    for node, values in ((second, made.values[len(first.values) :]), (first, made.values)):
        for old, new in zip(node.values, values):
            new.name, new.type = old.name, old.type
            old.replace_by(new)
        graph.erase(node)
    return made


def _side(first: Node, second: Node, operands: list[Value], at: int) -> Graph:
    one, other = first.regions[at], second.regions[at]
    side = Graph(one.name)
    held: Values = {}
    for value in operands:
        held[value] = side.add_placeholder(value.name or "", value.kind, value.type)
        held[value].name = value.name
    values: Values = dict(zip(one.placeholders, substitute(first.args[1], held)))
    copy_nodes(one, side, None, values)
    given = [substitute(leaf, values) for leaf in outputs_of(one.result, len(first.values))]
    held.update(zip(first.values, given))
    behind: Values = dict(zip(other.placeholders, substitute(second.args[1], held)))
    copy_nodes(other, side, None, behind)
    last = [substitute(leaf, behind) for leaf in outputs_of(other.result, len(second.values))]
    side.result = (*given, *last)
    return side
