"""Functions that bring their own gradient or are transformed: their regions become functions of the module, wrapped as the target asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...control import Form, is_call
from ...copies import copy_graph
from ...edited import stand_behind, take_place
from ...errors import MissingOp
from ...graph import Graph, Node, Value
from ...infer.elements import declared
from ...naming import snake
from ...ops._transform import GRAD, SCAN, several
from ...passes.dce import eliminate_dead
from ...passes.moves import splice
from ...program import Program
from ...trees import tree_map
from .base import Emission, Lowering
from .calls import OWN, TRANSFORMED, VALUE_AND_GRAD
from .structure import structure


class OwnGradients(Lowering):
    """Functions that bring their own gradient are calls of functions of the module."""

    name = "own_gradients"
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Put a call in the place of each such function, or what it computes where the target knows no gradients."""
        entry, functions, style = program.entry, program.functions, emission.style
        known: dict[str, tuple[str, str]] = {}
        todo = [("", entry), *functions.items()]
        while todo:
            key, graph = todo.pop()
            nodes = [node for node in graph.walk() if node.op.form is Form.TRANSFORM]
            made = [_transformed(node, functions, emission) for node in nodes]
            nodes = [node for node in graph.walk() if node.op.form is Form.OWN_GRADIENT]
            if nodes and style.gradients:
                made += _called(nodes[0], functions, known)
            elif nodes:
                forward = nodes[0].regions[0]
                forward.result = forward.result[: nodes[0].arg("count")]
                splice(forward, nodes[0], nodes[0].arg("inputs"), "")
            for name in made:  # its parameters are those of the function that it was a part of
                emission.instances.setdefault(name, emission.instances.get(key, ""))
            todo += [*((key, graph) for _ in nodes[:1]), *((name, functions[name]) for name in made)]


def _called(node: Node, functions: dict[str, Graph], known: dict[str, tuple[str, str]]) -> list[str]:
    """Replace a node by a call; the names of the functions that are new."""
    inputs, name, mode, count = node.args
    forward, rule = (copy_graph(region, fresh=True) for region in node.regions)
    outs = forward.result[0] if count == 1 else forward.result[:count]
    if mode == "vjp":
        forward.result = (outs, forward.result[count:])
    else:
        forward.result = outs
        rule.result = rule.result if count == 1 else (rule.result[:count], rule.result[count:])
    key = f"{name} {mode} {structure(forward)} {structure(rule)}"
    names: list[str] = []
    if key not in known:
        for graph, suffix in ((forward, "forward"), (rule, "backward" if mode == "vjp" else "tangent")):
            graph.name = f"{snake(name)}_{suffix}"
            names.append(_free(graph.name, functions))
            functions[names[-1]] = graph
        known[key] = (names[0], names[1])
    _replace(node, Node(OWN, (*known[key], name, mode, count, inputs), ("tensor",) * count, node.span), node.values)
    return names


def _transformed(node: Node, functions: dict[str, Graph], emission: Emission) -> str:
    """Replace a transformation of a region by that of a function: its name. Raises MissingOp where the target has none."""
    kind, inputs, operands, given = node.args
    if kind not in emission.style.transforms:
        what = f"{emission.style.name} source has no transformation {kind!r} of functions"
        hint = "emit it as jax or torch source; a capture with derive=True has what jax.grad computes"
        raise MissingOp(what, node.span, hint)
    graph, values = copy_graph(node.regions[0], fresh=True), list(node.values)
    if kind == GRAD and emission.style.generator:
        values = _without_generators(graph, values, operands)
    if kind == GRAD and any(value.uses for value in values[len(inputs) :]):
        kind, graph.result = VALUE_AND_GRAD, _with_beside(graph.result)
    else:
        if kind == GRAD:
            graph.result, values = graph.result[:1], values[: len(inputs)]
            eliminate_dead(graph)
        graph.result = graph.result[0] if len(graph.result) == 1 else graph.result
    key, prefix, order = _only_call(graph, functions, not several(kind)) or ("", "", range(len(graph.placeholders)))
    if not key:
        key = graph.name = _free(snake(graph.name or kind), functions)
        functions[key] = graph
    args = (*inputs, *(inputs if kind == SCAN else ()), *operands)
    own = [at for at, place in enumerate(order) if place < len(args) - len(operands)]
    if not several(kind):
        values = [*(values[order[at]] for at in own), *values[len(inputs) :]]
    taken = tuple([args[at] for at in order])
    call = (key, prefix, taken, kind, tuple(own), given, tuple([value.kind for value in values]))
    made = Node(TRANSFORMED, call, None, node.span)
    _replace(node, made, values)
    if emission.style.conjugates and kind in (GRAD, VALUE_AND_GRAD):
        for value in made.values[: len(inputs)]:
            if (dtype := declared(value)) is not None and dtype.kind == "c":
                stand_behind(value, "conj")
    return key


def _without_generators(graph: Graph, values: list[Value], operands: Sequence[Any]) -> list[Value]:
    """The values of a transformation without those that are generators, which each draw moves on: they are what the function is given."""
    given = dict(zip(graph.placeholders[-len(operands) :], operands)) if operands else {}
    before, kept = len(values) - len(graph.result), list[int]()
    for at, result in enumerate(graph.result):
        source = result if at else None
        while type(source) is Value and source.kind == "key" and source not in given and source.node.args:
            source = source.node.args[0]
        if type(source) is Value and source in given:
            values[before + at].replace_by(given[source])
        else:
            kept.append(at)
    graph.result = tuple([graph.result[at] for at in kept])
    return [*values[:before], *(values[before + at] for at in kept)]


def _with_beside(results: tuple) -> Any:
    """What a function gives: what is derived, and beside it the others."""
    first, *others = results
    return (first, others[0] if len(others) == 1 else tuple(others)) if others else first


def _only_call(graph: Graph, functions: Mapping[str, Graph], anyhow: bool) -> tuple[str, str, list[int]] | None:
    """The function of the program that a graph calls and does nothing else, with its parameters, and which of its own arguments it hands
    to it for each; `anyhow`: whether in any order. None where there is none."""
    nodes = list(graph)
    if len(nodes) != 1 or not is_call(nodes[0]) or graph.parameters:
        return None
    (node,), places = nodes, {place: at for at, place in enumerate(graph.placeholders)}
    key, prefix, args = node.args
    given = iter(node.values)
    order = [places[x] for x in args if type(x) is Value and x in places]
    same = tree_map(lambda leaf: next(given), functions[key].result) == graph.result
    if not same or len(order) != len(args) or sorted(order) != list(range(len(places))):
        return None
    return (key, prefix, order) if anyhow or order == sorted(order) else None


def _replace(node: Node, call: Node, values: Sequence[Value]) -> None:
    """Put a call in the place of a node with these values; what others it has is needed by none."""
    owner = node.graph
    assert owner is not None
    owner.insert(call, node)
    take_place(call.values, values)
    owner.erase(node)


def _free(text: str, taken: dict[str, Graph]) -> str:
    count = 1
    while (f"{text}_{count}" if count > 1 else text) in taken:
        count += 1
    return f"{text}_{count}" if count > 1 else text
