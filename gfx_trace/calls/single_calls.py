"""Inlining: the body of a function that one place calls stands in the place of its call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from gfx_ir.control import is_call
from gfx_ir.graph import Graph, Value
from gfx_ir.naming import free_name
from gfx_ir.passes.inline import called_by
from gfx_ir.passes.moves import move_in
from gfx_ir.source import Scope


def inline_single_calls(entry: Graph, functions: Mapping[str, Graph], authors: Mapping[str, str]) -> dict[str, Graph]:
    """The functions that are left, by name, where the body of each that is called from one place only is put there. Those that are gone
    leave their names to the others, which have the author's: `authors` has these by the names in `functions`."""
    graphs = [entry, *called_by(entry, functions).values()]
    calls = [node for graph in graphs for node in graph.walk() if is_call(node)]
    sites, gone = Counter(node.args[0] for node in calls), dict[Value, Value]()
    for node in calls:
        if sites[node.args[0]] == 1:
            gone |= move_in(functions[node.args[0]], node)
    if gone:
        _tell_scopes(gone, graphs)
    left, found = called_by(entry, functions), dict[str, Graph]()
    for name in [name for name in functions if name in left]:
        graph = left[name]
        graph.name = free_name(authors[name], (*found, entry.name))
        found[graph.name] = graph
        for value in graph.placeholders:
            value.name = value.node.args[0] or value.name
    for node in calls:
        if node.graph is not None:
            node.set_args((left[node.args[0]].name, *node.args[1:]))
    return found


def _tell_scopes(gone: Mapping[Value, Value], graphs: Iterable[Graph]) -> None:
    """Let the calls that nodes belong to know what stands for the values that they were entered with."""
    told = set[Scope]()
    for graph in graphs:
        for node in graph.walk():
            scope = node.span.scope if node.span is not None else None
            while scope is not None and scope not in told:
                told.add(scope)
                scope.args = tuple([(name, _standing(value, gone)) for name, value in scope.args])
                scope = scope.parent


def _standing(value: Any, gone: Mapping[Value, Value]) -> Any:
    """What stands for a value, which may be gone itself."""
    while type(value) is Value and value in gone:
        value = gone[value]
    return value
