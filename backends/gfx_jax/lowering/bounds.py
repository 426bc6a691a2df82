"""How many trips a loop takes at most: a `while` whose test asks `n < stop` of a counter that every trip raises by one, a `for`."""

from __future__ import annotations

from typing import Any

from gfx_ir.codegen.iterables import counts_rows
from gfx_ir.codegen.liveness import placeholders
from gfx_ir.codegen.sides import outer
from gfx_ir.control import is_data_test, is_placeholder
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer.facts import Facts
from gfx_ir.op import Trait, lookup
from gfx_ir.reach import reached
from gfx_ir.regions import outputs_of
from gfx_ir.types import LogicalTensor

_BELOW = {"<": (0, 1, 0), "<=": (0, 1, 1), ">": (1, 0, 0), ">=": (1, 0, 1)}
"""Comparison → positions of the counter and of the stop, and how far the counter may come beyond it."""

_FEW = 128
"""A loop that data may end early is worth its whole length where that is not more than this: it gains a reverse mode."""


def trips_of(node: Node, facts: Facts) -> tuple[Any, Value] | None:
    """(trips, the comparison that holds in each of them), put before the loop; None where there is no such counter."""
    holding = _conjuncts(node.regions[0].result, facts)
    for found in holding:
        if found.node.op.sign not in _BELOW or found.node.graph is None:
            continue
        counter, stop, beyond = _BELOW[found.node.op.sign]
        at = _counter(node, _outside(found.node.args[counter], node.regions[0]))
        bound = outer(_outside(found.node.args[stop], node.regions[0]))
        if at is None or not _worth(bound, node.regions[0], len(holding) == 1):
            continue
        return _plus(node, bound, beyond - node.arg("init")[at]), found
    return None


def _worth(bound: Any, test: Graph, alone: bool) -> bool:
    """Whether a loop is to run to this bound: nothing else ends it, it is near, or it is an argument, by which the user says so."""
    if type(bound) is not Value:
        return type(bound) is int and (alone or bound <= _FEW)
    return bound.kind == "int" and bound.graph is not test and (alone or is_placeholder(bound.node))


def ends_soon(node: Node, facts: Facts) -> bool:
    """Whether a `for` that data may end carries what has a derivative, and an end of its own is near, or told by sizes or the user."""
    if all(dtype is not None and dtype.kind in "biu" for value in node.values for dtype, _ in facts.elements(value)):
        return False
    lengths = [part[1:] for part in node.args[0] if type(part) is tuple]
    if any(type(bound) is Value and bound.is_tensor for bounds in lengths for bound in bounds):
        return False
    known = [len(range(*bounds)) for bounds in lengths if all(type(bound) is int for bound in bounds)]
    return not known or min(known) <= _FEW


def as_long(items: tuple) -> bool:
    """Whether all that a `for` goes over surely has one length: the shortest ends it."""
    rows = next((part for part in items if type(part) is Value), None)
    if len(items) == 1 or rows is None:
        return len(items) == 1
    length = lambda x: x.type.dims[0] if isinstance(x.type, LogicalTensor) and x.type.dims else None
    same = lambda x: (
        counts_rows(lambda leaf: leaf, x, rows)
        if type(x) is tuple
        else type(length(x)) is int and length(x) == length(rows)
    )
    return all(part is rows or same(part) for part in items)


def _conjuncts(asked: Any, facts: Facts) -> list[Value]:
    """The booleans that all hold where a test does: of `a and b` both, though b stands in a region of its own."""
    asked = asked[0] if type(asked) in (tuple, list) else asked
    parts = lambda leaf: _both(leaf, facts)
    return [leaf for leaf in reached([asked], parts) if type(leaf) is Value and not parts(leaf)]


def _both(leaf: Any, facts: Facts) -> list[Any]:
    """What all has to hold for `a and b` to do so; nothing of what is no such test."""
    node = leaf.node if type(leaf) is Value else None
    if node is None or node.op.traits & Trait.BOTH:
        return [] if node is None else list(node.args)[::-1]
    if not is_data_test(node) or len(node.values) != 1 or not facts.is_boolean(leaf):
        return []
    then, other = (outputs_of(region.result, 1)[0] for region in node.regions)
    test = node.args[0]
    return [then, test] if other is False or outer(other) is test else []


def _outside(leaf: Any, top: Graph) -> Any:
    """A value of a side of a test as what it is in `top`, the region of the loop."""
    while type(leaf) is Value and leaf.node.graph is not top and outer(leaf) is not leaf:
        leaf = outer(leaf)
    return leaf


def _counter(node: Node, leaf: Any) -> int | None:
    """Which carried value is this counter: it starts as a number and every trip adds one."""
    carried = placeholders(node, node.regions[0])[1]
    if leaf not in carried:
        return None
    at = carried.index(leaf)
    phi = placeholders(node, node.regions[1])[1][at]
    after = outputs_of(node.regions[1].result, len(node.values))[at]
    if type(node.arg("init")[at]) is not int or type(after) is not Value or after.node.op.sign != "+":
        return None
    return at if after.node.args[0] is phi and after.node.args[1] == 1 and after.node.graph is node.regions[1] else None


def _plus(node: Node, bound: Any, number: int) -> Any:
    if type(bound) is int:
        return max(0, bound + number)
    if not number or node.graph is None:
        return bound
    made = Node(lookup("host"), ("+" if number > 0 else "-", (bound, abs(number))), ("int",), node.span)
    node.graph.insert(made, node)
    return made.value
