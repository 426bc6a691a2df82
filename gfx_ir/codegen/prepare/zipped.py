"""Loops over several things at once in a functional target: `lax.scan` wants them of one length, where Python stops at the shortest."""

from __future__ import annotations

from typing import Any

from ...control import is_data_for
from ...edited import put
from ...graph import Graph, Node, Value
from ...op import Trait, lookup
from ...program import Program
from ...types import LogicalTensor
from .base import Emission, Lowering


class Shortest(Lowering):
    """Loops over several things are over ones of one length."""

    name = "shortest"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Rewrite such loops in the graph and its regions: what is longer is cut; where data tells the length, a loop counts.

        A loop that may end early counts anyway. Of lengths that are not known, any may be the shortest in a loop of Python's
        (`python`); in one of the target's own only that of a slice.
        """
        python = program.flavour != emission.backend.name  # the target's own loops are over things of one length
        for node in list(graph.walk()):
            if not is_data_for(node) or len(node.args[0]) < 2 or node.arg("exit") is not None:
                continue
            if any(_is_data(bound) for item in node.args[0] if type(item) is tuple for bound in item[1:]):
                if len(node.values) == len(node.arg("init")):
                    _count(node)
                continue
            lengths = [_known_length(item) for item in node.args[0]]
            if None not in lengths:
                if len(set(lengths)) > 1:
                    _cut(node, min(n for n in lengths if n is not None))
            elif (python or any(_is_slice(item) for item in node.args[0])) and all(
                _counts_up(item) or _known_length(item) is not None or _counts_on(item) for item in node.args[0]
            ):
                beside = [item for item in node.args[0] if not _counts_on(item) or _known_length(item) is not None]
                if len(_open_lengths(beside)) > 1:  # what counts beside one alone is as long as that
                    others = [_length(node, item) for item in node.args[0] if item not in beside]
                    _cut(node, _shortest(node, _open_lengths(beside) + others))


def _counts_up(item: Any) -> bool:
    """Whether an item is a tensor, or a range from 0."""
    return type(item) is not tuple or all(type(b) is int and b == at for b, at in ((item[1], 0), (item[3], 1)))


def _counts_on(item: Any) -> bool:
    """Whether an item is a range from a number that is known, by one, and not from 0."""
    return type(item) is tuple and type(item[1]) is int and item[1] != 0 and type(item[3]) is int and item[3] == 1


def _is_data(bound: Any) -> bool:
    return type(bound) is Value and bound.is_tensor


def _is_slice(item: Any) -> bool:
    if type(item) is not Value or not item.node.op.traits & Trait.READS_AT:
        return False
    index = item.node.args[1]
    return type(index[0] if type(index) is tuple and index else index) is slice


def _known_length(item: Any) -> int | None:
    if type(item) is tuple:
        return len(range(*item[1:])) if all(type(bound) is int for bound in item[1:]) else None
    dims = item.type.dims if isinstance(item.type, LogicalTensor) else None
    return dims[0] if dims and type(dims[0]) is int else None


def _cut(node: Node, length: Any) -> None:
    """Cut what is longer."""
    graph = node.graph
    items: list[Any] = []
    assert graph is not None
    for item in node.args[0]:
        if type(item) is tuple:
            _, start, _, step = item
            items.append(("range", start, _stop(node, start, length, step), step))
        elif type(length) is int and _known_length(item) == length:
            items.append(item)
        else:
            items.append(put(graph, node, "getitem", item, slice(None, length)))
    node.set_args((tuple(items), *node.args[1:]))


def _stop(node: Node, start: Any, length: Any, step: Any) -> Any:
    """Where a range of a length stops; one of open length begins at 0, or at a number that is known."""
    if type(length) is int:
        return start + length * step
    reach = length if step == 1 else _host(node, "*", length, step)
    return reach if type(start) is int and start == 0 else _host(node, "+", start, reach)


def _host(node: Node, operator: str, *args: Any) -> Value:
    """A number that is computed before a node."""
    graph = node.graph
    assert graph is not None
    return graph.insert(Node(lookup("host"), (operator, args), ("int",), node.span), node).value


def _open_lengths(items: list) -> list[Any]:
    """What tells the lengths: tensors by theirs, stops of ranges that count something else, and how long fixed ranges are."""
    tensors = [item for item in items if type(item) is not tuple]
    stops = [item[2] if _counts_up(item) else _known_length(item) for item in items if type(item) is tuple]
    counts = lambda stop: (
        type(stop) is Value and stop.node.op.traits & Trait.LENGTH and any(stop.node.args[0] is t for t in tensors)
    )
    return tensors + [stop for stop in stops if not counts(stop)]


def _length(node: Node, item: tuple) -> Value:
    """How long a range is that begins at a number that is known, and goes on by one."""
    return _host(node, "max", _host(node, "-", item[2], item[1]), 0)


def _shortest(node: Node, lengths: list[Any]) -> Value:
    graph = node.graph
    assert graph is not None
    sizes = [put(graph, node, "size", x, 0) if type(x) is Value and x.is_tensor else x for x in lengths]
    return _host(node, "min", *sizes)


def _count(node: Node) -> None:
    """A loop over one range, whose body takes the items by their place."""
    graph, body, items = node.graph, node.regions[0], node.args[0]
    assert graph is not None
    trips = None
    for item in items:
        count = _trips(graph, node, item)
        trips = count if trips is None else put(graph, node, "minimum", trips, count)
    operands, old, first = list(node.arg("operands")), body.placeholders[: len(items)], body.first
    counter = body.add_placeholder("k", "int")
    body.placeholders[:] = [counter, *body.placeholders[len(items) : -1]]

    def inside(value: Any) -> Any:
        if type(value) is not Value:
            return value
        operands.append(value)
        return body.add_placeholder(value.name or "", value.kind, value.type)

    for item, placeholder in zip(items, old):
        if type(item) is not tuple:
            made = put(body, first, "getitem", inside(item), counter)
        else:
            made = counter
            if type(item[3]) is not int or item[3] != 1:
                made = put(body, first, "multiply", made, inside(item[3]))
            if type(item[1]) is not int or item[1] != 0:
                made = put(body, first, "add", inside(item[1]), made)
        if made is not counter:
            made.name = placeholder.name
        placeholder.replace_by(made)
    counter.name = next((p.name for p, item in zip(old, items) if type(item) is tuple and item[1:4:2] == (0, 1)), "k")
    node.set_args(((("range", 0, trips, 1),), node.arg("init"), tuple(operands), None))


def _trips(graph: Graph, node: Node, item: Any) -> Any:
    """How many trips an item is good for; a range of fewer than none has none."""
    if type(item) is not tuple:
        return put(graph, node, "size", item, 0)
    _, start, stop, step = item
    if type(step) is int and step == 1:
        return stop if type(start) is int and start == 0 else put(graph, node, "subtract", stop, start)
    distance = put(graph, node, "subtract", start, stop)
    return put(graph, node, "negative", put(graph, node, "floor_divide", distance, step))
