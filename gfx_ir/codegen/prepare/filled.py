"""Lists that Python's loops fill: what was in one before the loop, and the items of a trip, are one list, stacked at its end.

A capture knows such lists as tensors of rows: `concat([stack(before), rows])`, and `flatten(stack([rows, more], 1), 0, 1)`
where a trip appends several items. Rows that are numbers of Python's are a list of these, and one array is made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...control import is_for, is_given, is_open_host
from ...dtypes import DType
from ...edited import put, take_place
from ...graph import Graph, Node, Value
from ...infer.facts import Facts
from ...op import OpDef, Trait
from ...program import Program
from ...regions import outputs_of
from .base import HANDED, Emission, Lowering, facts_of

BEGIN = OpDef("begin_list(items)", kinds=("any",))
# `begun`: the list as it is before the loop, None for an empty one; `rows`: results of the loop, as a trip appends them.
FILLED = OpDef("filled_list(begun, rows)", kinds=("tensor",))

Fills = Callable[[Node], bool]
"""Which loops fill lists."""


class FilledLists(Lowering):
    """Lists that Python's loops fill are lists."""

    name = "filled_lists"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Write such lists in the graph and its regions as lists."""
        fills = python_runs if emission.style.control.compiled else is_for
        for node in list(graph.walk()):
            if node.op.traits & Trait.MERGES and tuple(node.args[1:3]) == (0, 1):
                _several(node, fills)
            elif (
                joins(node)
                and node.arg("axis") == 0
                and type(node.arg("arrays")) is not Value
                and len(node.arg("arrays")) == 2
            ):
                _begun(node, fills)
        facts = facts_of(graph, program, True)
        for node in list(graph.walk()):
            if fills(node):
                _numbers(node, facts)


def python_runs(node: Node) -> bool:
    """Whether a node is a loop that is Python's also where those on data are functions of the target."""
    return is_for(node) and is_open_host(node)


def _numbers(loop: Node, facts: Facts) -> None:
    """Rows of numbers are an array that is made behind the loop: of none, too, where no row tells its dtype."""
    body, graph = loop.regions[-1], loop.graph
    found, first = list(outputs_of(body.result, len(loop.values))), len(loop.arg("init"))
    for at, rows in list(enumerate(loop.values))[first:]:
        made = _once(found[at], body.output)
        if made is None or not made.op.traits & Trait.OF_NUMBERS or made.op.put is None or graph is None:
            continue
        number, dtype, device = made.args
        if type(number) is Value and isinstance(dtype, DType) and device is None and facts.is_number(number):
            if any(user.op is FILLED for user in rows.users()):
                continue
            array = put(graph, loop.next, "seq_array", (), dtype, span=made.span)
            take_place([array], [rows])
            array.node.set_args((rows, dtype))
            rows.kind, rows.type, found[at] = "list", None, number
    body.result = tuple(found)


def _several(flat: Node, fills: Fills) -> None:
    """Several items that each trip appends."""
    found = _once(flat.args[0], flat)
    if found is None or not found.op.traits & Trait.STACKS or found.arg("axis") != 1 or found.graph is not flat.graph:
        return
    rows = tuple(found.arg("arrays"))
    if all(_is_rows(row, found, fills) and row.node is rows[0].node for row in rows) and len(set(rows)) == len(rows):
        _replace(flat, None, rows, (found,))


def _begun(joined: Node, fills: Fills) -> None:
    """A list that is not empty before the loop."""
    head, more = (_once(leaf, joined) for leaf in joined.arg("arrays"))
    if head is None or more is None or not head.op.traits & Trait.STACKS or head.arg("axis") != 0:
        return
    last = joined.arg("arrays")[1]
    whole = more.op is FILLED and more.args[0] is None
    if not whole and not _is_rows(last, joined, fills):
        return
    rows = more.args[1] if whole else (last,)
    loop, items, graph = rows[0].node, tuple(head.arg("arrays")), joined.graph
    if graph is None or head.graph is not graph or loop.graph is not graph:
        return
    if all(type(item) is Value and _precedes(item, loop) for item in items):
        begun = Node(BEGIN, (items,), None, head.span)
        graph.insert(begun, loop)
        _replace(joined, begun.value, rows, (head, more) if whole else (head,))


def joins(node: Node) -> bool:
    """Whether a node joins tensors along an axis that they have."""
    return node.op.traits & (Trait.JOINS | Trait.STACKS) == Trait.JOINS


def _once(leaf: Any, user: Node) -> Node | None:
    """The node of a value that nothing but the user takes."""
    return leaf.node if type(leaf) is Value and leaf.uses == {user: 1} else None


def _is_rows(value: Any, user: Node, fills: Fills) -> bool:
    """Whether the value is what a loop beside its only user stacks."""
    loop = _once(value, user)
    if loop is None or not fills(loop) or loop.graph is not user.graph:
        return False
    return bool(value.index > len(loop.arg("init")))


def _precedes(value: Value, loop: Node) -> bool:
    """Whether the value is there before the loop."""
    if value.node.graph is not loop.graph or is_given(value.node):
        return True
    before = loop.prev
    while before is not None and before is not value.node:
        before = before.prev
    return before is not None


def _replace(node: Node, begun: Value | None, rows: tuple[Value, ...], parts: tuple[Node, ...]) -> None:
    """The list in the place of a node, and of the parts that only it takes."""
    graph = node.graph
    assert graph is not None
    made = Node(FILLED, (begun, rows), None, node.span)
    graph.insert(made, node)
    take_place([made.value], [node.value])
    for dead in (node, *parts):
        graph.erase(dead)
