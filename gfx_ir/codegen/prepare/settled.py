"""Open host tests that a test on data settles: a functional target asks them first.

It traces both sides of a test on data, whatever is true. `if m is not None and x.sum() > 0: x = x * m` would be traced with None
for m, and the body of such a loop too: so `m is not None` is asked by a Python test around them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any

from ...control import (
    is_data_test,
    is_data_while,
    is_none_test,
    is_open_host,
    is_test,
    is_truth,
    negated,
)
from ...edited import put_before, take_place
from ...graph import Graph, Node, Value
from ...op import lookup
from ...passes.moves import splice
from ...program import Program
from ...regions import outputs_of
from ...trees import leaves
from ..copying import Values, copy_nodes, substitute
from ..sides import outer
from .base import Emission, Lowering
from .merge import merge_tests
from .questions import Questions, at, brought
from .traced import TRACED

Otherwise = Callable[[Graph, Values], Any]


class AskedFirst(Lowering):
    """Open host tests that a test on data settles are asked before it."""

    name = "asked_first"
    requires = (TRACED,)
    preserves = ()

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Put such tests around the tests and loops on data in the graph and its regions. `traced` are numbers that are data."""
        traced = frozenset(graph.get(TRACED))
        while sum(_ask_before(node, traced) for node in reversed(list(graph.walk()))):
            merge_tests(graph)  # what stood in a side of the test that was asked stands beside it then


def _ask_before(node: Node, traced: Set[Value]) -> bool:
    """Put such tests around a node; whether there was one."""
    if node.graph is None:
        return False
    return _before_test(node, traced) if is_data_test(node) else is_data_while(node) and _before_loop(node, traced)


def _before_test(node: Node, traced: Set[Value]) -> bool:
    for place, side in enumerate(node.regions):
        other = node.regions[1 - place]
        if other.parameters:
            continue
        found = _asked(node, _settled(node.args[0], place == 0, traced), (side,), node.args[1], not len(other))
        if found is not None:

            def otherwise(into: Graph, held: Values, other: Graph = other) -> Any:
                values: Values = dict(zip(other.placeholders, substitute(node.args[1], held)))
                copy_nodes(other, into, None, values)
                return substitute(other.result, values)

            _before_test(_asked_before(node, *found, otherwise), traced)
            return True
    return False


def _before_loop(node: Node, traced: Set[Value]) -> bool:
    goes_on = node.regions[0].result
    goes_on = goes_on[0] if type(goes_on) in (tuple, list) else goes_on
    begins = node.arg("init")
    given = (*outputs_of(begins, len(node.values)), *node.arg("operands"))
    found = _asked(node, _settled(goes_on, True, traced), node.regions, given, True)
    if found is not None:
        _asked_before(node, *found, lambda into, held: substitute(begins, held))
        _begins_with_data(node, *found)
        _before_loop(node, traced)
    return found is not None


def _begins_with_data(node: Node, test: Value, truth: bool) -> None:
    """A carried value that is not None before a loop, as a test says, is so in every trip."""
    questions = Questions()
    asked, turned = questions.of(test)
    for place, held in enumerate(outputs_of(node.arg("init"), len(node.values))):
        if truth is turned and asked == questions.none(held) and _gives_data(node, place):
            for region in node.regions:
                _take_known(region, questions, questions.none(region.placeholders[place]), False)


def _gives_data(node: Node, at: int) -> bool:
    """Whether each trip of a loop gives an array for a carried value."""
    given = outputs_of(node.regions[1].result, len(node.values))[at]
    return type(given) is Value and given.is_tensor


def _asked(
    node: Node, settled: Iterable[tuple[Value, bool]], regions: tuple[Graph, ...], given: tuple, free: bool
) -> tuple[Value, bool] | None:
    """The first of the settled tests that `node` needs: one without which the regions have None for data, `given` to them or by a test
    of their own, or one that costs nothing (`free`) to ask; as a value of the graph that the node stands in, with what it is."""
    places = range(-len(given), 0)
    taken = [given[place] for place in places if any(region.placeholders[place].uses for region in regions)]
    questions = Questions()
    for found, known in settled:
        subject = _first(found.node.args[0], node, given) if is_none_test(found.node) else None
        if subject is not None and not known and any(x is subject for x in taken):
            return at(found, node.graph) or put_before(node, "is_none", subject), known
        if (free and any(len(region) for region in regions)) or any(
            _none_without(x, found, known, questions) for x in (*taken, *_given_by_tests(regions))
        ):
            here = None if _is_asked_around(found, node, questions) else brought(found, node)
            if here is not None:
                return here, known
    return None


def _is_asked_around(value: Value, node: Node, questions: Questions) -> bool:
    """Whether a node stands in a side of a host test of the same, as of a number, whose truth does not say what it is."""
    asked, graph = questions.of(value)[0], node.graph
    while graph is not None and graph.owner is not None:
        owner = graph.owner
        if is_test(owner) and is_open_host(owner) and questions.of(owner.args[0])[0] == asked:
            return True
        graph = owner.graph
    return False


def _first(value: Any, node: Node, given: tuple) -> Value | None:
    """What a value of a region is in the graph around it, in a loop's first trip."""
    for region in node.regions:
        place = next((place for place, x in enumerate(region.placeholders) if x is value), None)
        if place is not None and len(given) == len(region.placeholders):
            carried = is_data_while(node) and place < len(node.values)
            value = given[place] if not carried or _gives_data(node, place) else None
    return at(value, node.graph)


def _given_by_tests(regions: tuple[Graph, ...]) -> Iterator[Value]:
    """What open host tests in regions give that may be None, and is needed."""
    tests = (node for region in regions for node in region.walk() if is_test(node) and is_open_host(node))
    return (value for node in tests for value in node.values if value.kind == "optional" and value.uses)


def _none_without(x: Any, test: Value, known: bool, questions: Questions) -> bool:
    """Whether a value is None where a test is not what is `known` of it."""
    x = outer(x) if type(x) is Value else x
    if type(x) is not Value or not (is_test(x.node) and is_open_host(x.node)):
        return x is None
    sides = [outputs_of(side.result, len(x.node.values))[x.index - 1] for side in x.node.regions]
    (asked, turned), (again, turned_again) = questions.of(test), questions.of(x.node.args[0])
    if asked == again:
        sides = [sides[known is (turned is turned_again)]]
    return all(_none_without(side, test, known, questions) for side in sides)


def _settled(value: Any, truth: bool, traced: Set[Value]) -> Iterator[tuple[Value, bool]]:
    """Open host tests that are known where `value` is true, or false, with what they are then."""
    if type(value) is not Value or value in traced:
        return
    node = value.node
    opposite = negated(node)
    if opposite is not None:
        yield from _settled(opposite, not truth, traced)
    elif is_truth(node):
        yield from _settled(node.args[0], truth, traced)
    elif is_test(node):
        test = node.args[0]
        sides = [outputs_of(side.result, len(node.values))[value.index - 1] for side in node.regions]
        excluded = [at for at, side in enumerate(sides) if _known(side, test, at == 0) is (not truth)]
        if len(excluded) == 1:  # of `a and b` that is true, both are; of `a or b` that is false, neither
            yield from _settled(test, excluded[0] == 1, traced)
            yield from _settled(sides[1 - excluded[0]], truth, traced)
    elif not value.is_tensor:
        yield value, truth


def _known(side: Any, test: Any, truth: bool) -> bool | None:
    """The truth of what a side gives, where the side's test has this truth."""
    if isinstance(side, bool):
        return side
    found = outer(side)
    asks_it = type(test) is Value and is_truth(test.node) and test.node.args[0] is found
    return truth if found is not side and (found is test or asks_it) else None


def _asked_before(node: Node, test: Value, truth: bool, otherwise: Otherwise) -> Node:
    """Put a host test around a node, which keeps its place where the test has this truth; gives the node that it became."""
    graph = node.graph
    assert graph is not None
    moved = [*reversed(list(_only_for(node))), node]
    inner = {value for part in moved for value in part.values}
    operands = list(
        dict.fromkeys(x for part in moved for x in leaves(part.args) if type(x) is Value and x not in inner)
    )
    sides = Graph("then"), Graph("else")
    made = Node(lookup("host_if"), (test, tuple(operands)), tuple(v.kind for v in node.values), node.span, sides)
    graph.insert(made, node)
    kept, other = sides if truth else sides[::-1]
    held: list[Values] = [{}, {}]
    for side, values in zip((kept, other), held):
        for value in operands:
            values[value] = side.add_placeholder(value.name or "", value.kind, value.type)
            values[value].name = value.name
    other.result = tuple(outputs_of(otherwise(other, held[1]), len(node.values)))
    take_place(made.values, node.values)
    for part in moved:
        graph.detach(part)
        part.set_args(substitute(part.args, held[0]))
        kept.append(part)
    kept.result = node.values
    for side, known in ((kept, truth), (other, not truth)):
        questions = Questions()
        asked, turned = questions.of(test)
        _take_known(side, questions, asked, known is not turned)
    return node


def _only_for(node: Node) -> Iterator[Node]:
    """The nodes that a test on data consists of, from the last on, where nothing else takes them."""
    value = node.args[0] if is_data_test(node) else None
    user = node
    while (
        type(value) is Value
        and (is_test(value.node) or value.node.op.sign in ("!=", "not"))
        and value.node.graph is node.graph
    ):
        others = any(made.uses for made in value.node.values if made is not value)
        if others or value.uses != {user: 1} or any(leaf is value for leaf in leaves(user.args[1:])):
            return
        user = value.node
        yield user
        value = user.args[0]


def _take_known(region: Graph, questions: Questions, what: Any, truth: bool) -> None:
    """Where a region asks this, the answer is known."""
    nodes = list(region.walk())
    inside = [region, *(inner for node in nodes for inner in node.regions)]
    values = (*(x for graph in inside for x in graph.placeholders), *(x for node in nodes for x in node.values))
    asked = [(value, *questions.of(value)) for value in values if value.kind == "bool"]
    tests = {node: questions.of(node.args[0]) for node in nodes if is_test(node) and is_open_host(node)}
    for value, other, turned in asked:
        if other == what:
            value.replace_by(truth is not turned)
    for node, (other, turned) in tests.items():
        if node.graph is not None and (other == what or isinstance(node.args[0], bool)):
            taken = truth is not turned if other == what else node.args[0]
            splice(node.regions[0 if taken else 1], node, node.args[1], "")
