"""Algebra: x * 1 is x, -(-x) is x, |(|x|)| is |x|, where the traits of the ops say so and the types are the same."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..graph import Node, Value
from ..op import Trait
from ..program import Program
from .base import ALL, Context, Pass, every_graph
from .sweep import same_type, sweep, written


class Algebra(Pass):
    """Neutral elements, ops that undo themselves, ops that change nothing a second time. It never changes a bit of a result."""

    name = "algebra"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        changed = False
        for graph in every_graph(program):
            changed |= sweep(graph, partial(_simpler, written(graph)))
        return changed


def _simpler(kept: set[Value], node: Node) -> tuple | None:
    if node.in_place or len(node.values) != 1 or not node.args or type(node.args[0]) is not Value:
        return None
    x = node.args[0]
    if x in kept or node.value in kept:
        return None
    if _is_neutral(node) and same_type(x, node.value):
        return (x,)
    if x.node.op is node.op and _plain(node) and _plain(x.node):
        if node.op.traits & Trait.IDEMPOTENT:
            return (x,)
        inner = x.node.args[0]
        if node.op.traits & Trait.INVOLUTION and type(inner) is Value and same_type(inner, node.value):
            return None if inner in kept else (inner,)
    return None


def _plain(node: Node) -> bool:
    return len(node.args) == 1 and not node.in_place


def _is_neutral(node: Node) -> bool:
    neutral: Any = node.op.neutral
    return (
        neutral is not None and len(node.args) == 2 and type(node.args[1]) in (int, float) and node.args[1] == neutral
    )
