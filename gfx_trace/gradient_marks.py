"""Gradient marks: values that another's data was given to, or from which no gradient flows on."""

from __future__ import annotations

from typing import Any

from gfx_ir.graph import Value
from gfx_ir.op import OpDef

_MARKS = frozenset(("stop_gradient", "straight_through"))
"""Ops that say themselves what gradient goes through them, and leave the data of their last argument as it is."""


def marks(op: OpDef) -> bool:
    """Whether an op says itself what gradient goes through it."""
    return op.name in _MARKS


def data_of(value: Any) -> Any:
    """The value that has the same data, where one is marked with another's gradient."""
    while type(value) is Value and value.node.op.name == "straight_through":
        value = value.node.args[1]
    return value


def unmarked(value: Any) -> Any:
    """The value that has the same data, without marks of gradients: what outlives the call has none."""
    while type(value) is Value and marks(value.node.op):
        value = value.node.args[-1]
    return value
