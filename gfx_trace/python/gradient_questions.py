"""Whether a tensor requires gradients, as code asks it: where it is computed from an argument, as that was given, with a guard."""

from __future__ import annotations

from collections import deque
from typing import Any

from gfx_ir import ops
from gfx_ir.control import is_parameter, is_placeholder
from gfx_ir.graph import Value
from gfx_ir.program import Guard
from gfx_ir.reach import reached
from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..values.proxy import Proxy


def gradient_question(tracer: Capturing, x: Proxy, name: str) -> Any:
    """`x.requires_grad`; NotImplemented where the attribute is no such question. What is computed from a trained parameter requires
    gradients wherever the caller records them."""
    backend = x.backend
    if backend is None or name != backend.trained_attribute:
        return NotImplemented
    asked = tracer.facts.root(x.read())
    arguments: dict[Value, bool] = {}
    trained: list[Value] = []

    def computed_from(value: Value) -> list[Value]:
        if not tracer.gradients.moves(tracer, value):
            return []
        if tracer.assumed.is_argument(value):
            arguments[value] = bool(backend.trained(tracer.assumed.given.get(value)))
            return []
        if is_parameter(value.node):
            trained.append(value)
            return []
        if is_placeholder(value.node):
            raise tracer.error(
                "GFX cannot tell whether this tensor requires gradients: a loop or a function hands it on",
                "ask an argument for it, or say which is meant",
            )
        return [
            tracer.facts.root(leaf) for leaf in leaves(value.node.args) if isinstance(leaf, Value) and leaf.is_tensor
        ]

    deque(reached([asked], computed_from), 0)
    for argument, told in arguments.items():
        tracer.assumed.guard(Guard("requires_grad", argument.node.args[0], str(told), tracer.span()))
    if not trained and not any(arguments.values()):
        return False
    return True if asked in trained or asked in arguments else tracer.wrap(ops.gradients_enabled())
