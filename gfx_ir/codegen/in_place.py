"""Which nodes overwrite their first argument: those that their author wrote so, where nobody can tell the difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend import Backend
from ..control import is_call, is_loop
from ..graph import Graph, Node, Value
from ..infer.facts import Facts
from ..op import Trait
from .liveness import Liveness, loop_results, placeholders

Spare = Callable[[Value], bool]


def spare(value: Any, backend: Backend, results: Callable[[str], bool]) -> bool:
    """Whether a value is memory of its own, which the op that made it does not need again (see Row.spare).

    `results`: whether the one result of a function is.
    """
    node = value.node
    if len(node.values) != 1 or value.kind != "tensor":
        return False
    if is_call(node):
        return results(node.args[0])
    row = backend.rows.get(node.op.name)
    return row is not None and row.spare


def gives_spare(graph: Graph, test: Spare) -> bool:
    """Whether the one result of a function is spare, and taken by nothing else in it."""
    result = graph.result
    return type(result) is Value and result.node.graph is graph and sum(result.uses.values()) == 1 and test(result)


def carried_spare(value: Value, test: Spare) -> bool:
    """Whether a loop of Python's carries memory of its own in a value: what it begins with and what a trip leaves are spare, and
    nothing else takes either."""
    region = value.node.graph
    loop = region.owner if region is not None else None
    if loop is None or not is_loop(loop) or region is not loop.regions[-1]:
        return False
    phis = placeholders(loop, region)[1]
    if value not in phis:
        return False
    ends = loop.arg("init")[phis.index(value)], loop_results(loop)[phis.index(value)]
    return all(end is value or _is_own(end, test) for end in ends)


def _is_own(end: Any, test: Spare) -> bool:
    """Whether a value is spare and taken once; a cast of what was written in place is that, or a copy."""
    if type(end) is not Value or sum(end.uses.values()) != 1:
        return False
    node = end.node
    if node.op.traits & Trait.CASTS and type(node.args[0]) is Value and node.args[0].node.in_place:
        return _is_own(node.args[0], test)
    return test(end)


def overwriting(graph: Graph, backend: Backend, liveness: Liveness, facts: Facts, test: Spare) -> set[Node]:
    """The nodes of the graph and its regions that may be written in place.

    The author did so, so dtype and shape are those of the first argument. That is made in the same block, or carried into it, has no
    other use, and is spare. Only then neither another value nor a gradient can change.
    """
    found: set[Node] = set()
    for node in graph.walk() if backend.in_place else ():
        if not node.in_place or not backend.writes(node.op) or node not in liveness.live:
            continue
        over = liveness.resolve(node.args[0])
        if type(over) is not Value or over.node.graph is not node.graph or liveness.users.get(over) != [node]:
            continue
        if test(over) and not facts.may_be_number(over):
            found.add(node)
    return found
