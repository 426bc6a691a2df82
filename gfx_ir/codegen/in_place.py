"""Which nodes overwrite their first argument: those that their author wrote so, where nobody can tell the difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend import Backend
from ..graph import Graph, Node, Value
from ..infer.facts import Facts
from .liveness import Liveness

Spare = Callable[[Value], bool]


def spare(value: Any, backend: Backend, results: Callable[[str], bool]) -> bool:
    """Whether a value is memory of its own, which the op that made it does not need again (see Row.spare).

    `results`: whether the one result of a function is.
    """
    node = value.node
    if len(node.values) != 1 or value.kind != "tensor":
        return False
    if node.op.name == "call":
        return results(node.args[0])
    row = backend.rows.get(node.op.name)
    return row is not None and row.spare


def gives_spare(graph: Graph, test: Spare) -> bool:
    """Whether the one result of a function is spare, and taken by nothing else in it."""
    result = graph.result
    return type(result) is Value and result.node.graph is graph and sum(result.uses.values()) == 1 and test(result)


def overwriting(graph: Graph, backend: Backend, liveness: Liveness, facts: Facts, test: Spare) -> set[Node]:
    """The nodes of the graph and its regions that may be written in place.

    The author did so, so dtype and shape are those of the first argument. That is made in the same block, has no other
    use, and is spare. Only then neither another value nor a gradient can change.
    """
    found: set[Node] = set()
    for node in graph.walk() if backend.in_place else ():
        if not node.in_place or node.op.name not in backend.in_place or node not in liveness.live:
            continue
        over = liveness.resolve(node.args[0])
        if type(over) is not Value or over.node.graph is not node.graph or liveness.users.get(over) != [node]:
            continue
        if test(over) and not facts.may_be_number(over):
            found.add(node)
    return found
