"""Numbers that a functional target only has as data: the index of a loop that it runs itself, and what follows from it.

A test on such a number is no Python `if` there, but one on data, and a loop that such a test ends is no Python loop.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ...attributes import Attribute
from ...build import ASK_A_VALUE
from ...control import data_op, is_call, is_data_for, is_for, is_host, is_loop, is_open_host, is_test
from ...edited import put_before
from ...graph import Graph, Node, Value
from ...infer.facts import Facts
from ...op import lookup
from ...program import Program
from ...python_numbers import KINDS, OPEN
from ...regions import outputs_of
from ...trees import leaves
from ..liveness import loop_results, placeholders
from ..style import Style
from ..unrolling import Unrolling
from .base import HANDED, Emission, Lowering, facts_of, order
from .functions import computed
from .precision import refused

TRACED = Attribute("traced", tuple)
"""The host values of a graph that are data in a functional target."""
_LOGICAL = {"and": "logical_and", "or": "logical_or", "not": "logical_not"}


class Traced(Lowering):
    """Tests that hang on numbers which are data there are tests on data."""

    name = "traced"
    requires = (HANDED,)

    def lower(self, program: Program, emission: Emission) -> None:
        """Find such numbers, callers first: a function that some call gives one has it for a parameter, and may return one."""
        given: dict[Graph, set[Value]] = {}
        known = -1
        while known < sum(map(len, given.values())):
            known = sum(map(len, given.values()))
            for graph in reversed(order(program)):
                calls = {name for name, callee in program.functions.items() if callee in given}
                nodes = list(graph.walk())
                traced = numbers_of_data(nodes, emission.unrolling, given.get(graph, ()), calls)
                graph.set(TRACED, tuple(traced))
                for node in filter(is_call, nodes):
                    _give(node, program.functions[node.args[0]], traced, given)
        super().lower(program, emission)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Make the tests in the graph and its regions that hang on such numbers tests on data; gives the host values that do.
        `facts` tell of its values."""
        facts, traced = facts_of(graph, program), set(graph.get(TRACED))
        for node in [node for node in graph.walk() if _chosen_text(node) is not None]:
            traced.update(_by_test(node, traced))
        for node in list(graph.walk()):
            if _is_data(node, traced):
                if any(value.kind == "str" for value in node.values):
                    raise refused(node, emission.style, "this test", "which chooses a text", "choose a number instead")
                traced.update(_replace(node, data_op(node), node.args, facts))
            elif is_host(node) and _hangs(node.args[1], traced):
                sign, args = node.args
                if sign in _LOGICAL and all(map(facts.is_boolean, args)):
                    traced.update(_replace(node, _LOGICAL[sign], tuple(args), facts))
                else:
                    traced.update(_as_data(node, facts, emission.style))
        graph.set(TRACED, tuple(traced))


def _give(call: Node, callee: Graph, traced: set[Value], given: dict[Graph, set[Value]]) -> None:
    """What a call gives that is data is data in the function."""
    places = [place for place, leaf in zip(callee.placeholders, call.args[2]) if type(leaf) is Value and leaf in traced]
    if places:
        given.setdefault(callee, set()).update(places)


def numbers_of_data(
    nodes: Sequence[Node], unrolling: Unrolling, given: Iterable[Value] = (), calls: Container[str] = ()
) -> set[Value]:
    """The host values that are data there, of a graph's nodes and those in its regions. `given`: parameters that are; `calls`:
    functions that have such parameters."""
    traced: set[Value] = set(given)
    known = -1
    while known < len(traced):  # a loop hands on what its trips leave
        known = len(traced)
        for node in nodes:
            traced.update(_follows(node, traced, unrolling))
            if is_call(node) and node.args[0] in calls:
                traced.update(value for value in node.values if not value.is_tensor)
    return traced


def _hangs(tree: Any, traced: set[Value]) -> bool:
    return any(leaf in traced for leaf in leaves(tree) if type(leaf) is Value)


def _is_of_data(value: Value, given: Any, traced: set[Value]) -> bool:
    """Whether a value that is no tensor is data: such a number is given for it, or, for a number, a tensor, as what a loop carries that
    the target runs itself."""
    if value.is_tensor:
        return False
    number = value.kind in (*KINDS, OPEN)
    return any(leaf in traced or (number and leaf.is_tensor) for leaf in leaves(given) if type(leaf) is Value)


def _is_data(node: Node, traced: set[Value]) -> bool:
    """Whether a host test or loop hangs on such a number."""
    return is_open_host(node) and _hangs(node.args[0] if is_test(node) else _trips(node), traced)


def _trips(loop: Node) -> tuple:
    """What tells how many trips a loop has."""
    leaves_early = () if loop.arg("exit") is None else loop.regions[-1].result[loop.arg("exit")]
    return (loop.args[0] if is_for(loop) else loop.regions[0].result), leaves_early


def _follows(node: Node, traced: set[Value], unrolling: Unrolling) -> Iterator[Value]:
    """The host values that are data because of what is known so far, and of this node."""
    if is_host(node) and _hangs(node.args[1], traced):
        yield from node.values
    elif is_test(node):
        yield from _passed_on(node, node.args[1], traced)
        sides = zip(node.values, *(outputs_of(region.result, len(node.values)) for region in node.regions))
        yield from (value for value, *given in sides if _is_of_data(value, given, traced))
        if _is_data(node, traced):
            yield from node.values
    elif is_loop(node):
        yield from _passed_on(node, node.arg("operands"), traced)
        data = _is_data(node, traced)
        items = placeholders(node, node.regions[-1])[0]
        if data or (is_data_for(node) and not unrolling.takes(node)):
            yield from (item for item in items if item.kind == "int")
        yield from _carried(node, traced, data)


def _passed_on(node: Node, operands: tuple, traced: set[Value]) -> Iterator[Value]:
    """What a region takes from outside is there what it was."""
    for region in node.regions:
        given = zip(region.placeholders[len(region.placeholders) - len(operands) :], operands)
        yield from (inner for inner, outer in given if type(outer) is Value and outer in traced)


def _carried(node: Node, traced: set[Value], data: bool) -> Iterator[Value]:
    """Host values that a loop carries, where they are data before it or after a trip; all of a loop that is data."""
    for at, (init, result) in enumerate(zip(node.arg("init"), loop_results(node))):
        phis = [placeholders(node, region)[1][at] for region in node.regions]
        held = (value for value in (*phis, node.values[at]) if not value.is_tensor)
        yield from (value for value in held if data or _is_of_data(value, (init, result), traced))


def _as_data(node: Node, facts: Facts, style: Style) -> list[Value]:
    """What Python computes by asking a number for its value, computed of data; nothing where it need not ask. Raises UnsupportedConstruct
    where no op computes it."""
    made = computed(partial(put_before, node), node.args[0], node.args[1], facts)
    if made is None:
        if node.args[0] in ASK_A_VALUE:
            raise refused(node, style, f"{node.args[0]}()", "which asks for a number of Python's own")
        return []
    made.name, made.type = node.value.name, node.value.type
    facts.stands_for(made, node.value)
    node.value.replace_by(made)
    made.node.graph.erase(node)  # type: ignore[union-attr]  # both stand in it
    return [made]


def _chosen_text(node: Node) -> Value | None:
    """The text that a test chose, of two that are known, which a node compares with one that is known; None of any other node."""
    if not is_host(node) or node.args[0] not in ("==", "!="):
        return None
    texts = [leaf for leaf in node.args[1] if type(leaf) is Value]
    if len(texts) != 1 or texts[0].kind != "str" or not is_test(texts[0].node) or _sides(texts[0]) is None:
        return None
    return texts[0] if any(type(leaf) is str for leaf in node.args[1]) else None


def _sides(text: Value) -> list[str] | None:
    """What a test chose a text from, where that is known."""
    found = [region.result[text.index - 1] for region in text.node.regions]
    return found if all(type(side) is str for side in found) else None


def _by_test(node: Node, traced: set[Value]) -> list[Value]:
    """Let a comparison of a text that a test on data chose ask that test; the host values that stand for it, which are data too."""
    text = _chosen_text(node)
    if text is None or not _is_data(text.node, traced):
        return []
    other = next(leaf for leaf in node.args[1] if type(leaf) is str)
    then, otherwise = [(side == other) is (node.args[0] == "==") for side in _sides(text) or ()]
    made: Any = then
    if then is not otherwise:
        made = put_before(node, "host", "bool" if then else "not", (text.node.args[0],))
    node.value.replace_by(made)
    node.graph.erase(node)  # type: ignore[union-attr]  # both stand in it
    if not any(value.uses for value in text.node.values) and not any(len(region) for region in text.node.regions):
        text.node.graph.erase(text.node)  # type: ignore[union-attr]
    return [made] if type(made) is Value else []


def _replace(node: Node, name: str, args: tuple, facts: Facts) -> tuple[Value, ...]:
    """Another op in the place of a node, whose values are data; the new values."""
    graph = node.graph
    assert graph is not None
    made = Node(lookup(name), args, ("tensor",) * len(node.values), node.span, node.regions)
    graph.insert(made, node)
    for old, new in zip(node.values, made.values):
        new.name, new.type = old.name, old.type
        facts.stands_for(new, old)
        old.replace_by(new)
    graph.erase(node)
    return made.values
