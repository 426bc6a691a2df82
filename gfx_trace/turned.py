"""What is a Python number on one way to a place and a tensor on another: nothing writes the number in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gfx_ir.graph import Value
from gfx_ir.trees import leaves

from .proxy import weak_kind

if TYPE_CHECKING:
    from .tracer import Tracer


def number_too(tracer: Tracer, leaf: Any, value: Any) -> bool:
    """Whether a leaf that holds a value is a number of Python's, or may be one."""
    return bool(weak_kind(leaf)) or (bool(tracer.numbers_too) and _number_too(tracer, value))


def _number_too(tracer: Tracer, x: Any) -> bool:
    """The same of a tensor: a loop or a test made it, and says so, or it is computed from such and numbers."""
    found: set[Value] = set()
    todo = [x]
    while todo:
        if not isinstance(leaf := todo.pop(), Value):
            return False
        value = tracer.facts.root(leaf)
        if value not in found and value not in tracer.numbers_too:
            found.add(value)
            made = value.node.args if value.node.op.family == "elementwise" else ()
            tensors = [part for part in leaves(made) if type(part) is Value and part.is_tensor]
            if not tensors:
                return False
            todo += tensors
    tracer.numbers_too |= found
    return True
