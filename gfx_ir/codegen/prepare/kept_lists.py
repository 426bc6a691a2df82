"""Lists that a loop of Python's fills, maybe with nothing: what asks for their length, or is a side of a test, takes the list.

A capture knows such a list as a tensor of rows, which cannot be stacked of none. It is stacked where the tensor is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...control import host_operator, is_data_test, is_output, is_test
from ...edited import put, put_before, take_place
from ...graph import Graph, Node, Value
from ...op import Trait
from ...program import Program
from ...regions import is_range
from .base import Emission, Lowering
from .filled import FILLED, python_runs


class KeptLists(Lowering):
    """Lists that may be empty stay lists up to where they are stacked."""

    name = "kept_lists"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Keep such lists in the graph and its regions."""
        for rows in [rows for node in graph.walk() for rows in _lists(node)]:
            users = rows.users()
            kept = rows.is_tensor and FILLED not in [user.op for user in users]
            if kept and any(_asks(user) or _makes_list(user) or is_test(user) for user in users):
                _keep(rows, rows.type, emission.style.control.compiled)


def _lists(node: Node) -> Sequence[Value]:
    """What a node gives for lists that may be empty."""
    if python_runs(node) and not all(map(_fixed, node.arg("items"))):
        return node.values[len(node.arg("init")) :]
    return node.values if node.op is FILLED else ()


def _fixed(part: Any) -> bool:
    """Whether it is known how many trips an iterable is good for."""
    return is_range(part) and all(type(end) is int for end in part[1:])


def _asks(user: Node) -> bool:
    """Whether a node asks how many rows there are."""
    return bool(user.op.traits & Trait.LENGTH) and user.args[1] == 0


def _makes_list(user: Node) -> bool:
    """Whether a node makes a list of the rows."""
    return host_operator(user) == "list" or (not user.regions and [value.kind for value in user.values] == ["list"])


def _keep(rows: Value, type_: Any, compiled: bool) -> None:
    """Make a value a list, and of that the tensor, which is of this type, before the first node of its graph that takes one. `compiled`:
    whether tests on data hand on tensors alone."""
    graph, users, stacked = rows.node.graph, rows.users(), None
    rows.kind, rows.type = "list", None
    assert graph is not None
    for user in (node for node in (*graph, graph.output) if node in users):
        if is_test(user) and not (compiled and is_data_test(user)):
            for region in user.regions:
                for inner, operand in zip(region.placeholders, user.args[1]):
                    if operand is rows:
                        _keep(inner, type_, compiled)
        elif _asks(user):
            take_place([put_before(user, "host", "len", (rows,))], [user.value])
            graph.erase(user)
        elif not _makes_list(user):
            if stacked is None:
                stacked = put(graph, None if is_output(user) else user, "stack", rows, 0, span=user.span)
                stacked.type = type_
            user.replace_input(rows, stacked)
