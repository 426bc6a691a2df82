"""Inlining: the body of a small function that one place calls stands in the place of its call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from gfx_ir.control import is_call, is_given
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.naming import free_name
from gfx_ir.passes.inline import called_by
from gfx_ir.passes.moves import move_in
from gfx_ir.passes.outline import SMALLEST
from gfx_ir.passes.selected import selected, selects
from gfx_ir.passes.subtrees import callers_first
from gfx_ir.source import Scope


def inline_single_calls(
    entry: Graph, functions: Mapping[str, Graph], authors: Mapping[str, str], flat: Collection[str]
) -> dict[str, Graph]:
    """The functions that are left, by name, where the body of each that is called from one place only is put there: if it computes
    little, is one of the steps of a recursion, has to do with rows that data choose, or takes or gives other values than its author's
    (those that do not are `flat`).

    Those that are gone leave their names to the others, which have the author's: `authors` has these by the names in `functions`."""
    graphs = [entry, *called_by(entry, functions).values()]
    calls = [node for graph in graphs for node in graph.walk() if is_call(node)]
    sites, gone = Counter(node.args[0] for node in calls), dict[Value, Value]()
    apart = [
        name for name in sites if _calls_itself(name, functions, authors) or any(map(selects, functions[name].walk()))
    ]
    sizes = _sizes(entry, functions)
    own, rows = set(flat).difference(apart), selected(node for graph in graphs for node in graph.walk())
    for node in calls:
        name = node.args[0]
        takes_rows = not rows.isdisjoint(node.args[2])
        if sites[name] == 1 and (
            name not in own or takes_rows or sizes.get(name, SMALLEST) < SMALLEST or _is_alone(node)
        ):
            gone |= move_in(functions[name], node)
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


def _calls_itself(name: str, functions: Mapping[str, Graph], authors: Mapping[str, str]) -> bool:
    """Whether a function calls what its author calls by the same name: itself, with other numbers."""
    return any(is_call(node) and authors[node.args[0]] == authors[name] for node in functions[name].walk())


def _sizes(entry: Graph, functions: Mapping[str, Graph]) -> dict[str, int]:
    """How many arrays functions make, of those that are worth no name of their own these among them: sizes and other numbers are read
    where they are needed."""
    found: dict[str, int] = {}
    for graph, calls in reversed(list(callers_first(entry, functions))):
        made = (found.get(node.args[0], 1) if is_call(node) else 1 for node in graph if _computes(node))
        found[calls[0].args[0]] = sum(count if count < SMALLEST else 1 for count in made)
    return found


def _is_alone(call: Node) -> bool:
    """Whether a call is all that its graph does, though its author has not written it in the body of a loop or test: what these are
    given, as by lax.scan, is that body."""
    graph = call.graph
    if graph is None or any(_computes(node) or node.op.effect for node in graph if node is not call):
        return False
    owner = graph.owner
    return owner is None or (owner.span is not None and call.span is not None and owner.span.step == call.span.step)


def _computes(node: Node) -> bool:
    return any(value.is_tensor or value.kind == "list" for value in node.values) and not is_given(node)


def _tell_scopes(gone: Mapping[Value, Value], graphs: Iterable[Graph]) -> None:
    """Let the calls that nodes belong to know what stands for the values that they were entered with."""
    told = set[Scope]()
    for graph in graphs:
        for node in graph.walk():
            scope = node.span.scope if node.span is not None else None
            while scope is not None and scope not in told:
                told.add(scope)
                scope.args = tuple([(name, _standing(value, gone)) for name, value in scope.args])
                scope.gives = tuple([_standing(value, gone) for value in scope.gives])
                scope = scope.parent


def _standing(value: Any, gone: Mapping[Value, Value]) -> Any:
    """What stands for a value, which may be gone itself."""
    while type(value) is Value and value in gone:
        value = gone[value]
    return value
