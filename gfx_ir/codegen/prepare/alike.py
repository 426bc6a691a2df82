"""Lists of arrays and of Python's numbers, which JAX joins as arrays of one dtype: what a number has beside the others is told when it runs.

Other targets make arrays of numbers alone, in their own default dtype, or take none in a list.
"""

from __future__ import annotations

from typing import Any

from ...control import is_for, is_loop
from ...dtypes import default, framework_of
from ...edited import put, put_before, set_arg
from ...graph import Graph, Node, Value
from ...infer.facts import Facts
from ...infer.listed import ItemsOf
from ...op import Trait
from ...program import Program
from ...python_numbers import NUMBER_CLASSES
from ...regions import outputs_of
from .base import HANDED, Emission, Lowering, facts_of
from .filled import python_runs


class AlikeLists(Lowering):
    """Items that may be numbers of Python's are made arrays as JAX does, where a list is joined, or a loop of Python's stacks rows."""

    name = "alike_lists"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Put `seq_alike` before what joins such lists, in the graph and its regions."""
        if framework_of(program.promotion) != "jax":
            return
        alone = default("f", program.promotion)
        facts = facts_of(graph, program, True)
        runs = python_runs if emission.style.control.compiled else is_for
        for node in list(graph.walk()):
            if node.op.traits & Trait.JOINS and _are_mixed(node.arg("arrays"), facts):
                set_arg(node, "arrays", put_before(node, "seq_alike", node.arg("arrays"), alone))
            elif is_loop(node) and runs(node):
                _stack_alike(node, facts, alone)


def _are_mixed(items: Any, facts: Facts) -> bool:
    """Whether numbers stand, or may stand, beside arrays that are told no dtype, or where only arrays should."""
    if type(items) is Value:
        return items.kind == "list" and facts.may_be_number(ItemsOf(items, ()))
    arrays = [item for item in items if type(item) is Value and item.is_tensor]
    if any(map(facts.may_be_number, arrays)):
        return True
    untold = any(dtype is None for item in arrays for dtype, _ in facts.elements(item))
    return untold and any(isinstance(item, NUMBER_CLASSES) for item in items)


def _stack_alike(loop: Node, facts: Facts, alone: Any) -> None:
    """Rows that may be numbers are a list of Python's first."""
    left, graph, first = outputs_of(loop.regions[-1].result, len(loop.values)), loop.graph, len(loop.arg("init"))
    assert graph is not None
    for rows, row in list(zip(loop.values, left))[first:]:
        if not rows.is_tensor or not facts.may_be_number(row):
            continue
        users = rows.users()
        items = put(graph, loop.next, "seq_alike", (), alone, span=loop.span)
        stacked = put(graph, items.node.next, "stack", items, span=loop.span)
        for user in users:
            user.replace_input(rows, stacked)
        items.node.set_args((rows, alone))
        stacked.name, stacked.type = rows.name, rows.type
        rows.kind, rows.type = "list", None
