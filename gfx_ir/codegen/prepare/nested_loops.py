"""Loops and tests within each other, more than Python compiles or a line has room for: those further within are functions."""

from __future__ import annotations

from itertools import count

from ...control import is_loop, is_test
from ...edited import take_place
from ...graph import Graph, Node, Value
from ...op import lookup
from ...program import Program
from ...trees import leaves
from ..copying import placeholder, substitute
from .base import Emission, Lowering, order

_MOST = 12
"""How many stand within each other in one function: CPython compiles 20 blocks, of which a loop may be two, and 100 indentations."""


class NestedLoops(Lowering):
    """Loops and tests far within others are functions."""

    name = "nested_loops"
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Make functions of what stands within more than that, in all graphs."""
        functional = emission.style.control.higher_order
        todo = [(graph, 0) for graph in order(program)]
        while todo:
            graph, depth = todo.pop()
            for node in [node for node in graph if node.regions]:
                inside = depth + (functional or is_loop(node) or is_test(node))
                if inside > _MOST:
                    _outline(node, program)
                    inside = 1
                first, *others = node.regions
                beside = inside - (is_test(node) and not functional)  # an elif, or what stands behind a return
                todo += [(first, inside), *((region, beside) for region in others)]


def _outline(node: Node, program: Program) -> None:
    """Put a call in the place of a loop or test, which goes to a function of its own."""
    graph, functions = node.graph, program.functions
    kind = "loop" if is_loop(node) else "test"
    assert graph is not None
    name = next(name for at in count(1) if (name := f"{program.entry.name}_{kind}_{at}") not in functions)
    inputs = tuple(dict.fromkeys(leaf for leaf in leaves(node.args) if type(leaf) is Value))
    call = Node(lookup("call"), (name, "", inputs), tuple(value.kind for value in node.values), node.span)
    graph.insert(call, node)
    take_place(call.values, node.values)
    graph.detach(node)
    made = functions[name] = Graph(name)
    node.set_args(substitute(node.args, {value: placeholder(made, value) for value in inputs}))
    made.append(node)
    made.result = node.values[0] if len(node.values) == 1 else tuple(node.values)
