"""Checkpointing: a rule of a gradient that runs its function again, and derives it, says what differentiation says anyhow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gfx_ir.codegen.copying import Values, copy_nodes, placeholder, substitute
from gfx_ir.control import Form
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import Trait
from gfx_ir.passes.dce import eliminate_dead
from gfx_ir.passes.fingerprint import region_key

from ..interfaces import Capturing
from ..values.proxy import Proxy
from .grad_mode import CALLERS
from .tape import weighted_sum


def natural(tracer: Capturing, forward: Graph, rule: Graph, count: int) -> tuple[Graph, list[bool]] | None:
    """The function without a rule of its own, where `rule` gives the derivatives of what `forward` computes, and which of its
    arguments have one; None where it may give others. `forward` gives `count` results, and behind them what it keeps, which `rule`
    takes before their gradients."""
    derived = [node for node in rule if node.op.form is Form.TRANSFORM]
    if len(derived) != 1 or derived[0].arg("kind") != "grad" or any(node.op.effect for node in rule):
        return None
    node, (region,) = derived[0], derived[0].regions
    kept = dict(zip(rule.placeholders, forward.result[count:]))
    grads = rule.placeholders[len(kept) :]
    given = map(_moving, (*node.arg("inputs"), *node.arg("operands")))
    places = {place: kept.get(x, x) for place, x in zip(region.placeholders, given)}
    own = [*forward.placeholders, *grads]
    moved = _derived_by_itself(node, rule, places, forward.placeholders)
    if moved is None or not set(places.values()) <= set(own):
        return None
    order = [next((place for place, x in places.items() if x is argument), None) for argument in own]
    again, values = _copied(region, order, region.result, _is_still)
    expected, outs = _expected(tracer, forward, grads, count)
    if region_key(again) != region_key(expected):
        return None
    twins = {a: b for x, y in zip(expected, again) for a, b in zip(x.values, y.values)} | dict(
        zip(expected.placeholders, again.placeholders)
    )
    results = [next(x for x, made in values.items() if made is twins[out]) for out in outs]
    made, _ = _copied(region, order, results, lambda node: False)
    del made.placeholders[len(forward.placeholders) :]
    return made, [argument in moved for argument in forward.placeholders]


def _is_still(node: Node) -> bool:
    """Whether a node gives the elements that it takes, without their gradient."""
    return node.op.traits & Trait.GRADIENT != 0 and sum(type(x) is Value for x in node.args) == 1


def _is_itself(node: Node) -> bool:
    """Whether a node gives what it takes in the shape that it has."""
    shape = node.args[1] if len(node.args) == 2 and node.op.traits & Trait.IN_ORDER else None
    return type(shape) is Value and bool(shape.node.op.traits & Trait.ASKS) and shape.node.args == node.args[:1]


def _moving(value: Any) -> Any:
    while type(value) is Value and _is_still(value.node):
        value = value.node.args[-1]
    return value


def _derived_by_itself(node: Node, rule: Graph, places: dict[Value, Any], own: Sequence[Value]) -> set[Value] | None:
    """The arguments of the function that get the derivative by themselves; None where one gets something else."""
    found = dict(zip(node.values, node.regions[0].placeholders))
    moved = set()
    for argument, result in zip(own, rule.result):
        if result is None:
            continue
        place = found.get(_moving(result))
        if place is None or places[place] is not argument:
            return None
        moved.add(argument)
    return moved


def _expected(tracer: Capturing, forward: Graph, grads: Sequence[Value], count: int) -> tuple[Graph, list[Value]]:
    """What is derived where the rule is the natural one, the results each times its gradient; and these results."""
    with tracer.regions.opened(forward.name) as side:
        values: Values = {x: placeholder(side.graph, x) for x in (*forward.placeholders, *grads)}
        _copy(forward, side.graph, values, _is_still)
        outs = list(substitute(forward.result[:count], values))
        weights = [Proxy(values[x], None) for x in grads]
        total = tracer.gradients.within(CALLERS, weighted_sum, tracer, list(zip(outs, weights)))
        side.graph.result = (total,)
    eliminate_dead(side.graph)
    return side.graph, outs


def _copied(
    source: Graph, order: Iterable[Value | None], results: Sequence[Any], skips: Callable[[Node], bool]
) -> tuple[Graph, Values]:
    """What a graph computes as a function of some of its placeholders, in this order, as far as the results need it; and what its
    values are there."""
    made = Graph(source.name)
    values: Values = {}
    for place in order:
        own = made.add_placeholder("unused", "tensor") if place is None else placeholder(made, place)
        if place is not None:
            values[place] = own
    _copy(source, made, values, skips)
    made.result = tuple(substitute(results, values))
    eliminate_dead(made)
    return made, values


def _copy(source: Graph, into: Graph, values: Values, skips: Callable[[Node], bool]) -> None:
    for node in source:
        if skips(node) or _is_itself(node):
            values[node.value] = substitute(node.args[0], values)
        else:
            copy_nodes([node], into, None, values)
