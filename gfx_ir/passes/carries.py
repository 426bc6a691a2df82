"""Dead carries: what loops and tests take, carry and give that nobody needs."""

from __future__ import annotations

from typing import Any

from ..dependence import pinned
from ..graph import Node, Value, values_among
from ..program import Program
from ..reach import reached
from ..trees import leaves
from .base import ALL, Context, Pass, every_graph
from .effects import Effects
from .moves import drop_placeholders, fewer_operands, remake, results_of


class DeadCarries(Pass):
    """Drops results of loops and tests that nobody takes, carried values that only feed themselves, and unused operands."""

    name = "dead_carries"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        effects, changed = Effects(program), False
        for graph in every_graph(program):
            fixed = pinned(graph)
            for node in list(graph):
                control = node.op.control
                if control is None or not node.regions or node in fixed or "operands" not in node.op.params:
                    continue
                if control.carried(node):
                    node, fewer = _fewer_carries(node, effects)
                else:
                    node, fewer = _fewer_results(node)
                changed |= fewer | fewer_operands(node)
        return changed


def _fewer_results(node: Node) -> tuple[Node, bool]:
    """A test without the results that nobody takes."""
    kept = [at for at, value in enumerate(node.values) if value.uses]
    if len(kept) == len(node.values):
        return node, False
    for region in node.regions:
        given = results_of(region, node)
        region.result = tuple([given[at] for at in kept])
    return remake(node, node.args, kept), True


def _fewer_carries(node: Node, effects: Effects) -> tuple[Node, bool]:
    control = node.op.control
    assert control is not None
    carried, body = control.carried(node), node.regions[-1]
    count, exit_ = len(carried), node.arg("exit")
    given = results_of(body, node)
    needed = {at for at, value in enumerate(node.values) if value.uses} | ({exit_} if exit_ is not None else set())
    alive = _alive(node, carried, given, needed, effects)
    if len(needed) == len(node.values):
        return node, False
    kept = sorted(needed)
    body.result = tuple([given[at] for at in kept])
    for region in node.regions:
        for inner in reversed(list(region)):
            if inner not in alive and not any(value.uses for value in inner.values):
                region.erase(inner)
        gone = [region.placeholders[carried[at]] for at in range(count) if at not in needed]
        drop_placeholders(region, gone)
    init = tuple([leaf for at, leaf in enumerate(node.arg("init")) if at in needed])
    moved = None if exit_ is None else kept.index(exit_)
    changes = {"init": init, "exit": moved}
    args = tuple([changes.get(name, arg) for name, arg in zip(node.op.params, node.args)])
    return remake(node, args, kept), True


def _alive(node: Node, carried: range, given: tuple, needed: set[int], effects: Effects) -> set[Node]:
    """The nodes of the regions that the needed results take; `needed` grows by the carried values that these take."""
    first = carried.start
    at_place = {region.placeholders[at]: at - first for region in node.regions for at in carried}
    roots: list[Any] = [given[at] for at in needed]
    running = [inner for region in node.regions for inner in region if effects.node(inner)]
    roots += [leaf for inner in running for leaf in leaves(inner.args)]
    roots += [leaf for region in node.regions[:-1] for leaf in leaves(region.result)]

    def taken(value: Value) -> list[Value]:
        at = at_place.get(value)
        if at is not None:
            needed.add(at)
            return values_among([given[at]])
        return values_among(leaves(value.node.args)) if value.node.graph is not None else []

    return {*running, *(value.node for value in reached(values_among(roots), taken))}
