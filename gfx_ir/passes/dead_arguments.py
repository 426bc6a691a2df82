"""Dead arguments and results: a function takes no value that its body does not read, and gives none that no call of it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph import Graph, Node, Value, values_in
from ..program import Program
from ..trees import BRANCHES
from .dce import eliminate_dead
from .effects import Effects
from .moves import fewer_operands, remake
from .subtrees import call_sites


def drop_unread(program: Program) -> None:
    """Take from functions, and from the calls of them, what nobody reads: what one only hands on to such a place is not read either."""
    sites, effects = call_sites(program.entry, program.functions), Effects(program)
    callers = {name: dict.fromkeys(caller for caller, _ in found) for name, found in sites.items()}
    calls = {name: [node for _, node in found] for name, found in sites.items()}
    callees: dict[str, list[str]] = {}
    for name, found in callers.items():
        for caller in found:
            callees.setdefault(caller, []).append(name)
    wave, thinner = dict.fromkeys(calls), set[str]()  # `thinner`: what gives fewer arguments to a call
    while wave:
        following: dict[str, None] = {}
        for name in wave:
            graph = program.functions[name] if name else program.entry
            sites_left = calls[name] = [node for node in calls.get(name, ()) if node.graph is not None]
            fewer = not any(map(effects.ordered, sites_left)) and drop_results(graph, sites_left)
            for node in reversed([node for node in graph.walk() if node.regions and "operands" in node.op.params]):
                fewer_operands(node)
            eliminate_dead(graph, effects.node)
            if fewer or name in thinner:
                following |= dict.fromkeys(callees.get(name, ()))
            thinner.discard(name)
            if _drop_arguments(graph, sites_left):
                following |= callers[name]
                thinner.update(callers[name])
        wave = following


def drop_results(graph: Graph, calls: list[Node]) -> bool:
    """Whether a function gave what no call of it is asked for, which it does not give any more; its calls are others then. What gives
    containers gives these whole."""
    results = graph.result if type(graph.result) is tuple else (graph.result,)
    if (
        not calls
        or any(len(node.values) != len(results) for node in calls)
        or not BRANCHES.isdisjoint(map(type, results))
    ):
        return False
    kept = [at for at in range(len(results)) if any(node.values[at].uses for node in calls)]
    if len(kept) == len(results):
        return False
    given = [results[at] for at in kept]
    graph.result = given[0] if len(given) == 1 and type(given[0]) is Value else tuple(given) or None
    calls[:] = [remake(node, node.args, kept) for node in calls]
    return True


def _drop_arguments(graph: Graph, calls: Sequence[Node]) -> bool:
    """Whether a function took what its body does not read, which it is not given any more."""
    if not calls:
        return False
    given = set(values_in((graph.result,)))
    read = [bool(place.uses) or place in given for place in graph.placeholders]
    if all(read) or any(len(node.args[2]) != len(read) for node in calls):
        return False
    graph.placeholders = [place for place, kept in zip(graph.placeholders, read) if kept]
    for node in calls:
        callee, path, args = node.args
        node.set_args((callee, path, tuple([x for x, kept in zip(args, read) if kept])))
    return True
