"""Algebra: x * 1 is x, -(-x) is x, |(|x|)| is |x|, where the traits of the ops say so and the types are the same."""

from __future__ import annotations

import math
from typing import Any

from ..graph import Node, Value
from ..op import Trait
from ..types import LogicalTensor
from .sweep import LocalPass, same_type


class Algebra(LocalPass):
    """Neutral elements, ops that undo themselves, ops that change nothing a second time. It never changes a bit of a result."""

    name = "algebra"

    def rule(self, kept: set[Value], node: Node) -> tuple | None:
        return _simpler(kept, node)


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
    """Whether the second argument is the neutral one, its sign too where numbers have one: x + 0.0 is 0.0 for -0.0."""
    neutral: Any = node.op.neutral
    if neutral is None or len(node.args) != 2 or type(node.args[1]) not in (int, float) or node.args[1] != neutral:
        return False
    dtype = node.value.type.dtype if isinstance(node.value.type, LogicalTensor) else None
    whole = dtype is not None and dtype.kind in "iu"
    return whole or math.copysign(1, node.args[1]) == math.copysign(1, neutral)
