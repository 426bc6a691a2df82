"""Nodes of the op `transform`: what a function transformation makes of a region that was captured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.graph import Node, Value
from gfx_ir.op import lookup

from ..interfaces import Capturing


def transform_node(
    tracer: Capturing,
    side: Any,
    kind: str,
    inputs: Sequence[Value],
    given: Sequence[Value] = (),
    recorded: bool = True,
    count: int | None = None,
) -> list[Value]:
    """The values of a transformation (see the op `transform`) of a region that was left; where nothing is `recorded`, no gradient
    flows through them. `count`: how many there are; None: one for each input. Raises where the region writes what lives outside."""
    if side.written:
        raise tracer.error(
            f"GFX cannot convert this function transformation: the function changes {side.written[0][0].name!r}, "
            "which lives outside of it, or draws random numbers",
            "return what it computes, and pass what it draws as an argument",
        )
    operands = tracer.outer_operands([(side.graph, side.captures)])
    taken = tuple(tracer.local(value) for value in inputs)
    kinds = ("tensor",) * (len(inputs) if count is None else count)
    args = (kind, taken, operands, tuple(tracer.local(value) for value in given))
    node = tracer.append(Node(lookup("transform"), args, kinds, tracer.span(), (side.graph,)))
    if kind == "grad":
        for value, like in zip(node.values, inputs):
            value.type = like.type
    if recorded and tracer.gradients.current(tracer).records:
        return list(node.values)
    return [ops.stop_gradient(value) for value in node.values]
