"""Lists that a loop of Python's fills, maybe with nothing: what asks for their length, reads an item or a part of them, goes on with more
items behind it, or is a side of a test or a loop, takes the list.

A capture knows such a list as a tensor of rows, which cannot be stacked of none. It is stacked where the tensor is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...control import host_operator, is_data_test, is_for, is_loop, is_open_host, is_output, is_test
from ...edited import put, put_before, take_place
from ...graph import Graph, Node, Value
from ...op import Trait
from ...program import Program
from ...regions import is_range
from ...trees import leaves
from ...types import LogicalTensor
from .base import Emission, Lowering
from .filled import FILLED, joins, python_runs


class KeptLists(Lowering):
    """Lists that may be empty stay lists up to where they are stacked."""

    name = "kept_lists"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Keep such lists in the graph and its regions."""
        compiled = emission.style.control.compiled
        for rows in [rows for node in graph.walk() for rows in _lists(node, compiled)]:
            kept = rows.is_tensor and FILLED not in [user.op for user in rows.users()]
            if kept and any(_takes_list(user, rows, compiled) for user in rows.users()):
                _keep(rows, rows.type, compiled)


def _lists(node: Node, compiled: bool) -> Sequence[Value]:
    """What a node gives for lists that may be empty."""
    fills = python_runs(node) if compiled else is_for(node)
    if fills and not all(map(_fixed, node.arg("items"))):
        return node.values[len(node.arg("init")) :]
    return node.values if node.op is FILLED else ()


def _fixed(part: Any) -> bool:
    """Whether it is known how many trips an iterable is good for."""
    if type(part) is Value:
        dims = part.type.dims if isinstance(part.type, LogicalTensor) else None
        return dims is not None and all(type(size) is int for size in dims[:1])
    return is_range(part) and all(type(end) is int for end in part[1:])


def _asks(user: Node) -> bool:
    """Whether a node asks how many rows there are."""
    return bool(user.op.traits & Trait.LENGTH) and user.args[1] == 0


def _makes_list(user: Node, rows: Value) -> bool:
    """Whether a node makes a list of the rows, not one in which they are an item."""
    if host_operator(user) == "list":
        return True
    return not user.regions and [value.kind for value in user.values] == ["list"] and any(x is rows for x in user.args)


def _reads_item(user: Node) -> bool:
    """Whether a node reads one of the rows, at a place that is no array's element."""
    if not user.op.traits & Trait.READS_AT:
        return False
    place = user.args[1]
    return type(place) is int or (type(place) is Value and place.kind == "int")


def _extends(user: Node, rows: Value) -> bool:
    """Whether a node joins the rows with items that stand before or behind them."""
    parts = user.args[0] if joins(user) and user.args[1] == 0 else ()
    return type(parts) in (list, tuple) and len(parts) > 1 and all(x is rows or _items(x) is not None for x in parts)


def _items(part: Any) -> tuple | None:
    """The items of which a tensor is made as of a list; None for another one."""
    node = part.node if type(part) is Value else None
    if node is not None and node.op.traits & Trait.STACKS and node.args[1] == 0 and type(node.args[0]) in (list, tuple):
        return tuple(node.args[0])
    return (node.args[0],) if node is not None and node.op.traits & Trait.READS_AT and node.args[1] is None else None


def _inner(user: Node, rows: Value, compiled: bool) -> Iterator[Value]:
    """What stands for the rows in the regions of a test or a loop of Python's, which takes them as they are."""
    if is_test(user) and not (compiled and is_data_test(user)):
        taken = [(region.placeholders, user.args[1]) for region in user.regions]
    elif (
        is_loop(user) and (is_open_host(user) or not compiled) and rows not in leaves((user.args[0], user.arg("init")))
    ):
        operands = user.arg("operands")
        taken = [(region.placeholders[len(region.placeholders) - len(operands) :], operands) for region in user.regions]
    else:
        return
    for placeholders, operands in taken:
        yield from (inner for inner, operand in zip(placeholders, operands) if operand is rows)


def _takes_list(user: Node, rows: Value, compiled: bool) -> bool:
    """Whether a node, or what stands in its regions, takes the list as well as the tensor of its rows; so does a side of a test behind
    a loop that asks for no array."""
    if _asks(user) or _makes_list(user, rows) or _reads_item(user) or _extends(user, rows):
        return True
    inside = list(_inner(user, rows, compiled))
    if inside and is_test(user) and not (is_for(rows.node) and not python_runs(rows.node)):
        return True
    return any(_takes_list(within, inner, compiled) for inner in inside for within in inner.users())


def _keep(rows: Value, type_: Any, compiled: bool) -> None:
    """Make a value a list, and of that the tensor, which is of this type, before the first node of its graph that takes one. `compiled`:
    whether tests and loops on data hand on tensors alone."""
    graph, users, stacked = rows.node.graph, rows.users(), None
    rows.kind, rows.type = "list", None
    assert graph is not None
    for user in [node for node in (*graph, graph.output) if node in users]:
        for inner in (inside := list(_inner(user, rows, compiled))):
            _keep(inner, type_, compiled)
        if inside or _makes_list(user, rows):
            continue
        if _asks(user):
            _replace(user, put_before(user, "host", "len", (rows,)))
        elif _reads_item(user):
            _replace(user, put_before(user, "seq_at", rows, user.args[1]))
        elif _extends(user, rows):
            parts = [part if part is rows else _items(part) for part in user.args[0]]
            _replace(user, put_before(user, "stack", _chained(user, parts), 0))
        else:
            if stacked is None:
                stacked = put(graph, None if is_output(user) else user, "stack", rows, 0, span=user.span)
                stacked.type = type_
            user.replace_input(rows, stacked)


def _chained(user: Node, parts: Sequence[Any]) -> Any:
    """One list of several lists and tuples of items, before a node."""
    found = parts[0]
    for part in parts[1:]:
        found = put_before(user, "seq_concat", found, part)
    return found


def _replace(user: Node, made: Value) -> None:
    take_place([made], [user.value])
    assert user.graph is not None
    user.graph.erase(user)
