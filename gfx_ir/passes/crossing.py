"""Permutations across calls: those that every caller makes, and the function it calls undoes."""

from __future__ import annotations

from ..control import is_call
from ..graph import Graph, Node, Value
from ..op import Trait, lookup
from ..program import Program
from .axes import permuted
from .inline import callees_first
from .shapes import order_of

Order = tuple[int, ...]


def cancelled_across_calls(program: Program) -> bool:
    """Let functions take what their callers permute as it was before, where they begin by undoing that; what is left are two
    permutations in a row, at their heads. Whether there were any."""
    graphs = callees_first(program)
    calls: dict[Graph, list[Node]] = {}
    for graph in graphs:
        for node in graph.walk():
            callee = program.callee(node.args[0]) if is_call(node) else None
            if callee is not None:
                calls.setdefault(callee, []).append(node)
    wanted: dict[Graph, dict[int, Order]] = {}
    for graph in graphs:
        wanted[graph] = _wanted(program, graph, wanted)
    changed = False
    for graph in reversed(graphs):
        for at, order in wanted[graph].items():
            sites = calls.get(graph, ())
            if sites and all(_undoes(node.args[2][at], order) for node in sites):
                _hand_over(graph, at, order, sites)
                changed = True
    return changed


def _wanted(program: Program, graph: Graph, known: dict[Graph, dict[int, Order]]) -> dict[int, Order]:
    """In which order a function, or one that it hands them to, wants the axes of its arguments; of those known so far."""
    found: dict[int, Order] = {}
    for at, value in enumerate(graph.placeholders):
        users = value.users()
        for user in () if any(user.in_place for user in users) else users:
            order: Order | None = None
            if is_call(user):
                callee, given = program.callee(user.args[0]), user.args[2]
                wishes = known.get(callee, {}) if callee is not None else {}
                order = next((wish for place, wish in wishes.items() if given[place] is value), None)
            elif user.op.traits & Trait.PERMUTES:
                order = order_of(user)
            if order is not None and order != tuple(range(len(order))):
                found[at] = order
                break
    return found


def _undoes(value: object, order: Order) -> bool:
    """Whether a value is a permutation of another one, which in this order is as that was."""
    if type(value) is not Value or not value.node.op.traits & Trait.PERMUTES or value.node.in_place:
        return False
    first = order_of(value.node)
    return first is not None and tuple([first[axis] for axis in order]) == tuple(range(len(order)))


def _hand_over(graph: Graph, at: int, order: Order, sites: list[Node]) -> None:
    for node in sites:
        name, prefix, given = node.args
        inner = given[at].node.args[0]
        node.set_args((name, prefix, (*given[:at], inner, *given[at + 1 :])))
    value = graph.placeholders[at]
    users = value.users()
    back = tuple([order.index(axis) for axis in range(len(order))])
    made = graph.insert(Node(lookup("permute_dims"), (value, back), ("tensor",), value.node.span), graph.first)
    made.value.type, value.type = value.type, permuted(value.type, order)
    for user in users:
        user.replace_input(value, made.value)
    if graph.result is value or (type(graph.result) is tuple and value in graph.result):
        swap = lambda leaf: made.value if leaf is value else leaf
        graph.result = tuple(map(swap, graph.result)) if type(graph.result) is tuple else swap(graph.result)
