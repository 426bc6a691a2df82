"""The nodes of staged loops, made of what settled: what is carried, the regions, and the flag that ends them."""

from __future__ import annotations

from typing import Any

from gfx_ir.graph import Node, Value
from gfx_ir.op import lookup

from ..interfaces import Capturing
from .carries import Carries
from .peeling import of_for, of_while
from .sides import Side
from .sources import Source


def make_while(tracer: Capturing, carries: Carries, test_side: Side, found: Any, body_side: Side, flag: Any) -> None:
    """The node of a loop that goes on while its test holds."""
    exit_ = carries.exit_position(flag)
    sides = [test_side, body_side]
    carries.close_body(body_side, flag, exit_)
    host = carries.host
    operands = tracer.outer_operands([(s.graph, s.captures) for s in sides])
    if exit_ == len(carries.slots):  # a flag of its own behind the carried values
        for side in sides:
            at = len(carries.slots)
            kind = "bool" if host else "tensor"
            extra = side.graph.add_placeholder("done", kind)
            side.graph.placeholders.pop()
            side.graph.placeholders.insert(at, extra)
    init = carries.initial() + ((False,) if exit_ == len(carries.slots) else ())
    kinds = carries.kinds() + (("bool" if host else "tensor",) if exit_ == len(carries.slots) else ())
    op = lookup("host_while" if host else "while")
    node = Node(op, (init, operands, exit_), kinds, tracer.span(), tuple(s.graph for s in sides))
    carries.ran = of_while(tracer, test_side, found, init)
    tracer.append(node)
    carries.finish(node.values)


def make_for(tracer: Capturing, source: Source, carries: Carries, side: Side, flag: Any, items: list[Value]) -> None:
    """The node of a loop over items."""
    exit_ = carries.exit_position(flag)
    carries.close_body(side, flag, exit_)
    operands = tracer.outer_operands([(side.graph, side.captures)])
    placeholders = [p for p in side.graph.placeholders if p not in items]
    extra_init: tuple = ()
    extra_kinds: tuple = ()
    if exit_ is not None and exit_ == len(carries.slots):
        done = side.graph.add_placeholder("done", "bool" if carries.host else "tensor")
        placeholders.insert(exit_, done)
        extra_init, extra_kinds = (False,), (done.kind,)
    side.graph.placeholders[:] = [*items, *placeholders]
    op = lookup("host_for" if carries.host and all(k == "int" for k in source.kinds) else "for")
    kinds = carries.kinds() + extra_kinds + carries.appended.kinds()
    init = carries.initial() + extra_init
    args = (tuple(_local_tree(tracer, i) for i in source.items), init, operands, exit_)
    node = Node(op, args, kinds, tracer.span(), (side.graph,))
    carries.ran = of_for(tracer, source)
    tracer.append(node)
    carries.finish(node.values[: len(init)], node.values[len(init) :])


def _local_tree(tracer: Capturing, item: Any) -> Any:
    return tuple(tracer._local(x) for x in item) if isinstance(item, tuple) else tracer._local(item)
