"""What is a Python number on one way to a place and a tensor on another: nothing writes the number in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gfx_ir.graph import Value
from gfx_ir.trees import leaves

from .proxy import weak_kind

if TYPE_CHECKING:
    from .tracer import Tracer

_MOST = 200
"""How many steps back are looked at."""


def number_too(tracer: Tracer, leaf: Any, value: Any) -> bool:
    """Whether a leaf that holds a value is a number of Python's, or may be one."""
    return bool(weak_kind(leaf)) or (bool(tracer.numbers_too) and _number_too(tracer, value, {}))


def _number_too(tracer: Tracer, x: Any, found: dict[Value, bool]) -> bool:
    """The same of a tensor: a loop or a test made it, and says so, or it is computed from such and numbers."""
    if not isinstance(x, Value):
        return False
    value = tracer.facts.root(x)
    if value not in found:
        found[value] = value in tracer.numbers_too
        if not found[value] and value.node.op.family == "elementwise" and len(found) < _MOST:
            tensors = {leaf for leaf in leaves(value.node.args) if type(leaf) is Value and leaf.is_tensor}
            found[value] = bool(tensors) and all(_number_too(tracer, leaf, found) for leaf in tensors)
    return found[value]
