"""Gradients of what was computed before (torch.autograd.grad): the part of the graph between is a function, which is transformed."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.codegen.copying import copy_nodes, substitute
from gfx_ir.dependence import ancestors
from gfx_ir.graph import Graph, Node, Value, values_in
from gfx_ir.types import LogicalTensor

from ..interfaces import Capturing
from ..values.proxy import Proxy, is_open
from .function_transforms import transform_node
from .grad_mode import CALLERS, GradMode

_UNUSED = "one of the tensors to derive by is not among what the result was computed from"


def tape_gradient(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """torch.autograd.grad(outputs, inputs, grad_outputs=None, ...)."""
    bound = inspect.signature(f).bind(*args, **kwargs)
    bound.apply_defaults()
    given = bound.arguments
    if given["is_grads_batched"] or isinstance(given["inputs"], dict):
        raise _refused(tracer, "is_grads_batched=True, or inputs in a dictionary")
    outputs, inputs = (_tensors(tracer, given[name]) for name in ("outputs", "inputs"))
    weights = given["grad_outputs"]
    if weights is None:
        weights = [None] * len(outputs)
    weights = list(weights) if isinstance(weights, (tuple, list)) else [weights]
    if len(weights) != len(outputs) or any(type(x.read()) is not Value for x in (*outputs, *inputs)):
        raise _refused(tracer, "an output without a weight of its own, or a number for a tensor")
    outs = [tracer.local(x.read()) for x in outputs]
    wanted = [tracer.local(x.read()) for x in inputs]
    found = _gradients(tracer, outs, weights, list(dict.fromkeys(wanted)), bool(given["create_graph"]))
    unused = given["allow_unused"] or given["materialize_grads"]
    result: list[Any] = []
    for value, x in zip(wanted, inputs):
        if value in found:
            result.append(Proxy(found[value], x.backend))
        elif not unused:
            raise _refused(tracer, _UNUSED)
        else:
            result.append(tracer.wrap(ops.zeros_like(value), x.backend) if given["materialize_grads"] else None)
    return tuple(result)


def _tensors(tracer: Capturing, given: Any) -> list[Proxy]:
    """The tensors of a tensor, or of several."""
    items = [given] if type(given) is Proxy or tracer.arrays.array_owner(given) is not None else list(given)
    found = [x if is_open(x) else tracer.arrays.array_proxy(x) for x in items]
    if not all(type(x) is Proxy for x in found):
        raise _refused(tracer, "what is no tensor")
    return found


def _refused(tracer: Capturing, what: str) -> Exception:
    return tracer.error(
        f"GFX cannot convert this call of torch.autograd.grad: it has {what}",
        "derive a function instead: torch.func.grad(function)(tensors)",
    )


def _gradients(
    tracer: Capturing, outs: Sequence[Value], weights: Sequence[Any], wanted: Sequence[Value], recorded: bool
) -> dict[Value, Value]:
    """The gradients of the weighted sum of some values by others, where it hangs on them."""
    nodes, used = _between(tracer, outs, wanted)
    if len(wanted) > 1 and any(
        value in wanted for node in nodes for value in node.values
    ):  # one hangs on another: each by itself
        alone = [_gradients(tracer, outs, weights, [value], recorded) for value in wanted]
        return {value: made for found in alone for value, made in found.items()}
    _check_given(tracer, nodes, outs, wanted)
    wanted = [value for value in wanted if value in used]
    made_there = {value for node in nodes for value in node.values} | set(wanted)
    with tracer.regions.opened(_name(outs)) as side:
        places = {value: side.graph.add_placeholder(value.name or "x", "tensor", value.type) for value in wanted}
        values = dict(places)
        for value in dict.fromkeys(value for node in nodes for value in values_in(node.args)):
            if value not in made_there:
                values[value] = tracer.local(value)
        copy_nodes(nodes, side.graph, None, values)
        parts = [(out, weight) for out, weight in zip(outs, weights) if out in made_there]
        total = tracer.gradients.within(CALLERS, weighted_sum, tracer, [(substitute(o, values), w) for o, w in parts])
        side.graph.result = (total,)
    return dict(zip(wanted, transform_node(tracer, side, "grad", wanted, recorded=recorded))) if wanted else {}


def _name(outs: Sequence[Value]) -> str:
    return next((f"{value.name}_of" for value in outs if value.name), "differentiated")


def weighted_sum(tracer: Capturing, parts: Iterable[tuple[Value, Any]]) -> Any:
    """The sum of all elements, each times its weight."""
    total: Any = None
    for out, weight in parts:
        scalar = isinstance(out.type, LogicalTensor) and out.type.dims == ()
        weighted = out if weight is None else ops.multiply(out, tracer.local(tracer.unwrap(weight)))
        term = weighted if scalar else ops.sum(weighted)
        total = term if total is None else ops.add(total, term)
    return total


# ---------------------------------------------------------------- the part of the graph
def _between(tracer: Capturing, outs: Sequence[Value], wanted: Sequence[Value]) -> tuple[list[Node], set[Value]]:
    """The nodes by which gradients flow from some values back to others, in order; and those of the others that they take."""
    graph, moved = tracer.graph, set(wanted)
    needed = {value.node for value in outs}
    needed |= ancestors(needed)
    nodes = []
    for node in graph:
        if node in needed and not moved.isdisjoint(values_in(node.args)) and not _still(tracer, node):
            nodes.append(node)
            moved.update(value for value in node.values if value not in wanted)
    nodes = _leading(nodes, outs)
    taken = {value for node in nodes for value in values_in(node.args)} | set(outs)
    for node in nodes:
        if node.op.effect or node.draws:
            raise _refused(tracer, f"{node.op.name!r} on the way, which draws random numbers or acts on the world")
    return nodes, {value for value in wanted if value in taken}


def _leading(nodes: Sequence[Node], outs: Sequence[Value]) -> list[Node]:
    """Those of the nodes that the values need along these nodes alone."""
    needed, kept = set(outs), []
    for node in reversed(nodes):
        if not needed.isdisjoint(node.values):
            kept.append(node)
            needed.update(values_in(node.args))
    return kept[::-1]


def _still(tracer: Capturing, node: Node) -> bool:
    """Whether what a node gives was not recorded when it was made."""
    modes = [tracer.record.mode_of(value) for value in node.values]
    return any(isinstance(mode, GradMode) and not mode.records for mode in modes)


def _check_given(tracer: Capturing, nodes: Sequence[Node], outs: Sequence[Value], wanted: Sequence[Value]) -> None:
    """Raises where a value that comes from around this graph may hang on what is derived by, which only the code around knows."""
    levels = [*tracer.stack, (tracer.graph, tracer.captures)]
    if len(levels) == 1:
        return
    outer: list[Value] = list(wanted)
    reached = [x for x in (*outs, *(value for node in nodes for value in values_in(node.args))) if x not in outer]
    for (graph, captures), (around, _) in zip(reversed(levels), reversed(levels[:-1])):
        known = {place: value for value, place in captures.items()}
        places = [place for place in _ends(graph, reached, outer) if place not in outer]
        inside = [value for value in outer if value.node.graph is graph]
        from_outside = [value for value in inside if value in graph.placeholders]
        if not from_outside:
            return
        if any(place not in known and place.is_tensor for place in (*places, *from_outside)):
            raise _refused(tracer, "a tensor that this part of the code is given, and which may hang on the others")
        outer = [known[value] for value in from_outside]
        reached = [known[place] for place in places if place in known]  # no gradient flows into the turn of a loop
        if any(_hangs_on(around, value, outer) for value in reached):
            raise _refused(tracer, "a tensor from outside of this part of the code, which hangs on the others")


def _ends(graph: Graph, values: Iterable[Value], leaves: Sequence[Value]) -> list[Value]:
    """The arguments of a graph that values are made of, as far as they are not made of these leaves."""
    own, open_ = set(values), [value for value in values if value.node.graph is graph]
    while open_:
        taken = set(values_in(open_.pop().node.args)).difference(own, leaves)
        own |= taken
        open_ += taken
    return [place for place in graph.placeholders if place in own]


def _hangs_on(graph: Graph, value: Value, others: Sequence[Value]) -> bool:
    nodes = ancestors([value.node]) | {value.node} if value.node.graph is graph else set()
    return any(other in values_in(node.args) for node in nodes for other in others)
