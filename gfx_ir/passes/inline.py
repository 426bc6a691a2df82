"""Inline: calls become the nodes of what they call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..control import is_call
from ..dependence import waiters
from ..graph import Graph
from ..infer import retype
from ..program import Program
from ..reach import needed_first
from ..regions import with_regions
from .base import Context, Pass
from .moves import between, hand_over, relink, splice


class Inline(Pass):
    """Puts functions in the place of their calls. Attribute `limit`: only functions of at most so many nodes (None: all)."""

    name = "inline"

    def run(self, program: Program, context: Context) -> bool:
        limit = self.get("limit")
        return inlined(program, lambda callee: limit is None or size(callee) <= limit)


def inlined(program: Program, chosen: Callable[[Graph], bool]) -> bool:
    """Put the chosen functions in the place of their calls, and drop those that nothing calls any more; whether there were any."""
    changed = False
    for graph in callees_first(program):
        for inner in with_regions((graph,)):
            calls, waiting = [node for node in inner if is_call(node)], waiters(inner)
            for node in calls:
                callee = program.callee(node.args[0])
                if callee is not None and chosen(callee):
                    before, after = node.prev, node.next
                    splice(callee, node, node.args[2], node.args[1])
                    hand_over(node, between(inner, before, after) if node.waits or node in waiting else (), waiting)
                    changed = True
            if calls:
                relink(inner)
    if changed:
        reached = {node.args[0] for graph in callees_first(program) for node in graph.walk() if is_call(node)}
        program.functions = {name: g for name, g in program.functions.items() if name in reached or g in reached}
        if program.level == 2:  # what a function has of each call now is of one
            retype(program)
    return changed


def size(graph: Graph) -> int:
    """Nodes of a graph and of its regions."""
    return sum(1 for _ in graph.walk())


def callees_first(program: Program) -> list[Graph]:
    """The graphs that the entry reaches, each after those that it calls."""

    def called(graph: Graph) -> list[Graph]:
        found = [program.callee(node.args[0]) for node in graph.walk() if is_call(node)]
        return [callee for callee in reversed(found) if callee is not None]

    return needed_first(program.entry, called)


def called_by(entry: Graph, functions: Mapping[str, Graph]) -> dict[str, Graph]:
    """The functions that a graph calls, those too that these call."""
    found: dict[str, Graph] = {}
    todo = [entry] if functions else []
    for graph in todo:
        for node in graph.walk():
            if is_call(node) and node.args[0] not in found:
                found[node.args[0]] = functions[node.args[0]]
                todo.append(functions[node.args[0]])
    return found
