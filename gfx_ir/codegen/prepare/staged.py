"""Loops over open host ranges in a functional target.

A loop over `range(x.shape[0])` is a Python loop: a tracing compiler would unroll it. Where its body treats the index as
data and keeps the shapes of what it carries, it is staged as a loop over data is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...control import (
    hangs_on_data,
    host_operator,
    is_call,
    is_data_test,
    is_for,
    is_holder,
    is_loop,
    is_open_host,
    is_output,
    is_test,
    makes_python,
)
from ...edited import take_place
from ...graph import Graph, Node, Value
from ...infer.carried import Carried
from ...infer.flow import Flow
from ...op import Trait, lookup
from ...program import Program
from ...reach import reached
from ...regions import outputs_of
from ...trees import leaves
from ..unrolling import Unrolling
from .base import Emission, Lowering

_KEEPS_SHAPE = Trait.ELEMENTWISE | Trait.TOTAL | Trait.SHAPE_OF_FIRST


class StagedRanges(Lowering):
    """Open host loops that the target can run itself are its own."""

    name = "staged_ranges"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Rewrite such loops in the graph and its regions, which calls `functions`; one that is to be unrolled stays."""
        unrolling, functions = emission.unrolling, program.functions
        found = [node for node in graph.walk() if is_for(node) and is_open_host(node) and _can(node, unrolling)]
        if not found:
            return
        called = {node.args[0] for loop in found for node in loop.regions[0].walk() if is_call(node)}
        flow = Flow([graph], {name: functions[name] for name in called if _is_plain(functions[name])})
        for node in found:
            if _keep(node, flow):
                _stage(node)


def _is_plain(function: Graph) -> bool:
    """Whether a function is one block of computations: the body of an op that the target lacks, for the most part."""
    apart = any(node.regions or node.op.effect or is_call(node) or makes_python(node) for node in function)
    return not apart and not function.parameters


def _can(node: Node, unrolling: Unrolling) -> bool:
    items, init = node.args[0], node.arg("init")
    if len(items) != 1 or type(items[0]) is not tuple or node.arg("exit") is not None or node.graph is None:
        return False
    if len(init) != len(node.values) or not init or items[0][3] != 1:
        return False
    if unrolling.takes(node):
        return False
    starts = (value.kind == "tensor" if type(value) is Value else isinstance(value, (int, float)) for value in init)
    body = node.regions[0]
    if any(makes_python(inner) or is_holder(inner) for inner in body.walk()):
        return False
    if not all(starts) or any(value.kind not in ("tensor", "int", "float") for value in node.values):
        return False
    carried = body.placeholders[1 : 1 + len(init)]
    return all(map(_is_data, (body.placeholders[0], *carried, *node.values)))


def _is_data(value: Value) -> bool:
    """Whether the value is only computed with, and Python never asked for it."""
    return not any(_asks(user, found) for found in reached([value], _handed_on) for user in found.uses)


def _handed_on(value: Value) -> list[Value]:
    """What Python computes from a value, and what it is within tests and loops, and behind them."""
    found: list[Value] = []
    for user in value.uses:
        if is_output(user):
            found += _behind(user, value)
        elif hangs_on_data(user):
            found += _inner(user, value)
        elif _is_arithmetic(user):
            found.append(user.value)
    return found


def _asks(user: Node, value: Value) -> bool:
    """Whether a node asks Python for a value: a number that it takes is no operand."""
    if is_output(user) or hangs_on_data(user) or _is_arithmetic(user):
        return False
    if user.op.traits & (Trait.READS_AT | Trait.WRITES_AT):
        return any(type(part) is slice and value in leaves(part) for part in _parts(user.args[1]))
    return not value.is_tensor and not user.op.traits & _KEEPS_SHAPE


def _is_arithmetic(node: Node) -> bool:
    return host_operator(node) in ("+", "-", "*", "//", "%")


def _parts(index: Any) -> tuple:
    return index if type(index) is tuple else (index,)


def _inner(node: Node, value: Value) -> list[Value]:
    """The placeholders of regions that stand for an operand."""
    found: list[Value] = []
    operands = node.args[1] if is_test(node) else node.arg("operands")
    for region in node.regions:
        offset = len(region.placeholders) - len(operands)
        found.extend(region.placeholders[offset + at] for at, operand in enumerate(operands) if operand is value)
    return found


def _behind(output: Node, value: Value) -> list[Value]:
    """What a result of a region is behind it; in the next trip of a loop it is what the loop carries, which is asked apart."""
    owner = output.graph.owner if output.graph is not None else None
    if owner is None or is_loop(owner):
        return []
    return [made for made, leaf in zip(owner.values, outputs_of(output.args[0], len(owner.values))) if leaf is value]


def _keep(loop: Node, flow: Flow) -> bool:
    """Whether what a loop carries keeps its shape: no op on the way through a trip changes it."""
    dependence = Carried(loop, flow, lambda node: False)
    carried = set(loop.regions[0].placeholders)

    def moving(found: Iterable[Any]) -> list[Value]:
        return [leaf for leaf in found if type(leaf) is Value and dependence.made_of(leaf)]

    def taken(value: Value) -> list[Value]:
        source = flow.sources.get(value)
        if value in carried or (source is None and not _keeps_shape(value.node)):
            return []
        if source is not None:
            return moving(source.leaves)
        first = value.node.op.traits & Trait.SHAPE_OF_FIRST
        return moving(leaves(value.node.args[:1] if first else value.node.args))

    def passed_on(value: Value) -> bool:
        source = flow.sources.get(value)
        chosen = source is not None and (source.node is None or is_data_test(source.node))
        return value in carried or chosen or _keeps_shape(value.node)

    return all(map(passed_on, reached(moving(outputs_of(loop.regions[0].result, len(loop.values))), taken)))


def _keeps_shape(node: Node) -> bool:
    return bool(node.op.traits & (_KEEPS_SHAPE | Trait.ROW_BY_ROW))


def _stage(node: Node) -> None:
    graph = node.graph
    assert graph is not None
    made = Node(lookup("for"), node.args, ("tensor",) * len(node.values), node.span, node.regions)
    graph.insert(made, node)
    take_place(made.values, node.values)
    graph.erase(node)
