"""Dead code: nodes whose values nobody takes and that have no effect, and functions that nobody calls."""

from __future__ import annotations

from ..program import Program
from .base import ALL, Context, Pass, every_graph
from .effects import Effects
from .inline import callees_first


class DeadCode(Pass):
    """Erases what no result and no effect needs, calls of functions without effect and whole regions, too."""

    name = "dead_code"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        effects, changed = Effects(program), False
        for graph in every_graph(program):
            node = graph.last
            while node is not None:
                before = node.prev
                if not any(value.uses for value in node.values) and not effects.node(node):
                    graph.erase(node)
                    changed = True
                node = before
        return _functions(program) or changed


def _functions(program: Program) -> bool:
    """Forget the functions that the entry does not reach."""
    called = set(callees_first(program))
    kept = {name: graph for name, graph in program.functions.items() if graph in called}
    changed = len(kept) < len(program.functions)
    program.functions = kept
    return changed
