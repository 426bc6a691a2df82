"""Loops within loops, more than Python compiles: those further within are functions of their own."""

from __future__ import annotations

from itertools import count

from ...control import is_loop
from ...edited import take_place
from ...graph import Graph, Node, Value
from ...op import lookup
from ...program import Program
from ...trees import leaves
from ..copying import placeholder, substitute
from .base import Emission, Lowering, order

_MOST = 12
"""How many stand within each other in one function: CPython compiles 20, and a loop may be written as two."""


class NestedLoops(Lowering):
    """Loops far within others are functions."""

    name = "nested_loops"
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Make functions of the loops in all graphs that stand within more loops than that."""
        todo = [(graph, 0) for graph in order(program)]
        while todo:
            graph, depth = todo.pop()
            for node in [node for node in graph if node.regions]:
                inside = depth + is_loop(node)
                if inside > _MOST:
                    _outline(node, program)
                    inside = 1
                todo += [(region, inside) for region in node.regions]


def _outline(loop: Node, program: Program) -> None:
    """Put a call in the place of a loop, which goes to a function of its own."""
    graph, functions = loop.graph, program.functions
    assert graph is not None
    name = next(name for at in count(1) if (name := f"{program.entry.name}_loop_{at}") not in functions)
    inputs = tuple(dict.fromkeys(leaf for leaf in leaves(loop.args) if type(leaf) is Value))
    call = Node(lookup("call"), (name, "", inputs), tuple(value.kind for value in loop.values), loop.span)
    graph.insert(call, loop)
    take_place(call.values, loop.values)
    graph.detach(loop)
    made = functions[name] = Graph(name)
    loop.set_args(substitute(loop.args, {value: placeholder(made, value) for value in inputs}))
    made.append(loop)
    made.result = loop.values[0] if len(loop.values) == 1 else tuple(loop.values)
