"""Constant folding: host values that follow from constants and from known types, numbers, and tests that are decided."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dependence import pinned
from ..errors import GfxError
from ..graph import Node, Value
from ..infer.joins import alike
from ..infer.walk import Walk
from ..program import Program
from ..rules import OPEN
from ..trees import leaves
from ..types import LogicalTensor
from .base import ALL, Context, Pass, every_graph
from .effects import Effects
from .moves import relink, results_of, splice
from .sweep import sweep

_PLAIN = (bool, int, float, str)


class Constants(Pass):
    """Replaces what is known by what it is; of a decided test the side that is taken stays, in its place."""

    name = "constants"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        known, effects = _known(program), Effects(program)

        def visit(node: Node) -> tuple | None:
            if not node.values or node.in_place or effects.node(node):
                return None
            found = [known.get(value, OPEN) for value in node.values]
            if all(_is_plain(x) and not value.is_tensor for x, value in zip(found, node.values)):
                return tuple(found)
            return _number(node)

        changed = False
        for graph in every_graph(program):
            changed |= sweep(graph, visit)
            fixed = pinned(graph)
            if sum(_decided(node) for node in list(graph) if node not in fixed):
                relink(graph)
                changed = True
        return changed


def _known(program: Program) -> dict[Value, Any]:
    """What is known of each value wherever its graph is called; where calls differ, nothing is."""
    try:
        site = Walk(program, program.promotion, partial=True).run(program.entry)
    except GfxError:  # types do not fit: the run says so
        return {}
    found: dict[Value, Any] = {}
    for current in site.walk():
        for value, type_ in current.env.items():
            if not value.is_tensor:
                found[value] = type_ if value not in found or alike(found[value], type_) else OPEN
    return found


def _is_plain(x: Any) -> bool:
    return type(x) in _PLAIN or (type(x) is tuple and all(type(item) is int for item in x))


def _number(node: Node) -> tuple | None:
    """The Python number that an op on Python numbers gives, where it counts in promotion as such a number does."""
    if node.regions or node.op.eval is None or node.op.control is not None or len(node.values) != 1:
        return None
    args = list(leaves(node.args))
    type_ = node.value.type
    weak = isinstance(type_, LogicalTensor) and type_.weak and type_.dims == ()
    taken = node.graph is None or any(user is node.graph.output or user.regions for user in node.value.uses)
    if not weak or taken or not args or not all(type(leaf) in (bool, int, float) for leaf in args):
        return None
    try:
        with np.errstate(all="raise"):
            out = node.eval()
    except (GfxError, ArithmeticError, TypeError, ValueError):
        return None  # the run says what is wrong
    found = out.item() if isinstance(out, (np.generic, np.ndarray)) and out.ndim == 0 else out
    kind = type_.dtype.kind if type_.dtype is not None else ""
    return (found,) if {bool: "b", int: "i", float: "f"}.get(type(found)) == kind else None


def _decided(node: Node) -> bool:
    """Put the region that is surely taken in the place of its node."""
    region = node.op.control.taken(node) if node.op.control is not None else None
    if region is None:
        return False
    given = results_of(region, node)
    if any(type(leaf) is not Value and value.is_tensor and value.uses for leaf, value in zip(given, node.values)):
        return False  # a number would stand where a tensor did
    splice(region, node, node.arg("operands"), "")
    return True
