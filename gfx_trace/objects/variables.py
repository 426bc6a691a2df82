"""What rewritten code calls where it reads, writes and names variables, and for names of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.graph import Value
from gfx_ir.op import active

from ..values.gated import Gated, lacks
from ..values.here import here
from ..values.proxy import HostProxy, Proxy, Undefined


def gfx_name(name: str, value: Any) -> Any:
    """value, which the user calls `name`."""
    kind = type(value)
    if (kind is Proxy or kind is HostProxy) and name != "_":
        inner = value.value
        if inner.__class__ is Value and (inner.name is None or inner.node.span is not None):
            tracer = active.builder
            if (inner.name is None and tracer.scopes.made_here(inner)) or tracer.scopes.encloses(inner):
                inner.name = None if tracer.quiet else name
    return value


def gfx_load(name: str, value: Any) -> Any:
    """A global or free variable: arrays in it are parameters of the program."""
    if type(value) in _PLAIN:
        return value
    if active.builder.arrays.array_owner(value) is not None:
        return here().arrays.array_proxy(value, name, name)
    return gfx_read(name, value)


def gfx_nonlocal(name: str, variable: Callable[[], Any], value: Any) -> Any:
    """A write to a variable of a function around this one, which may have returned; `variable`: what reads it."""
    tracer = here()
    tracer.journal.record((variable.__closure__ or ())[0], None, "cell", name, tracer.span())
    return gfx_name(name, value)


def gfx_returned(value: Any) -> Any:
    """What a return out of a loop or block gave, where its flag says that there was one."""
    if type(value) is not Gated:
        return value
    return here().gates.present(value)


def gfx_undefined(name: str) -> Undefined:
    """A variable without a value yet."""
    return Undefined.variable(name)


def gfx_read(name: str, value: Any) -> Any:
    """A read of a variable that may be undefined."""
    if lacks(value):
        tracer = here()
        return tracer.gates.read(value)
    return value


_PLAIN = frozenset((int, float, bool, str, type(None), tuple, list, dict, type(gfx_read), type))
