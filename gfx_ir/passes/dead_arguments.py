"""Dead arguments: a function takes no value that its body does not read."""

from __future__ import annotations

from ..graph import values_in
from ..program import Program
from .dce import eliminate_dead
from .effects import Effects
from .subtrees import call_sites


def drop_unread(program: Program) -> None:
    """Take from functions, and from the calls of them, what no body reads: what one only hands on to such a place is not read either."""
    sites, effects = call_sites(program.entry, program.functions), Effects(program)
    todo = list(sites)
    while todo:
        name = todo.pop()
        graph = program.functions[name]
        eliminate_dead(graph, effects.node)
        given = set(values_in((graph.result,)))
        read = [bool(place.uses) or place in given for place in graph.placeholders]
        if all(read) or any(len(node.args[2]) != len(read) for _, node in sites[name]):
            continue
        graph.placeholders = [place for place, kept in zip(graph.placeholders, read) if kept]
        for _, node in sites[name]:
            callee, path, args = node.args
            node.set_args((callee, path, tuple([x for x, kept in zip(args, read) if kept])))
        todo += dict.fromkeys(caller for caller, _ in sites[name] if caller in sites)
