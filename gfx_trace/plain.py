"""Python's numbers out of tensors, which go on as tensors of no axes: `.item()`, int(x), float(x), bool(x).

Nothing writes such a number in place, whatever else has its name, and no gradient flows through it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gfx_ir import ops
from gfx_ir.dtypes import dtype
from gfx_ir.graph import Value

from .proxy import HostProxy, Proxy, is_open
from .ranks import made_type, number
from .scalars import SURE

if TYPE_CHECKING:
    from .tracer import Tracer

_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
_TESTS = frozenset(
    "equal not_equal less less_equal greater greater_equal isnan isinf isfinite signbit print check".split()
)
"""Ops through which no gradient flows in any case."""


def cast(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """int(x), float(x), bool(x): of a tensor a 0-d tensor that goes on as such, of an open number an open number."""
    if not args or not is_open(args[0]):
        return f(*args, **kwargs)
    x, name = args[0], f.__name__
    if isinstance(x, HostProxy):
        return x if x.kind == name else tracer.wrap(tracer.host(name, x.value), x.backend)
    if x.weak == name or (x.weak == "bool" and name == "int"):
        return x
    made = _scalar_of(tracer, f, x)
    number(made)
    return Proxy(made, x.backend, name)


def _scalar_of(tracer: Tracer, kind: type, x: Proxy) -> Any:
    """A number of Python's, in the framework's dtype for those: JAX's mode may have no 64 bits."""
    value, backend = x.read(), x.backend
    if kind is bool:
        return ops.not_equal(value, 0)
    element = (backend.as_dtype(kind) if backend is not None else None) or dtype(kind)
    detached = kind is float and x.weak not in ("int", "bool")
    return ops.astype(_detached(tracer, value, backend) if detached else value, element)


def python_item(tracer: Tracer, result: Any, taken: Any, backend: Any) -> Proxy:
    """What `.item()` gives, from what its lift made of the value `taken`. Where no dtype is known, it is a tensor that may be
    a number."""
    value = _detached(tracer, result, backend)
    kind = _kind(value)
    if not kind:
        value = ops.reshape(value, ()) if value is taken else value  # a value of its own
        tracer.items.add(value)
        if backend is None or not backend.numbers:
            tracer.numbers_too.add(value)
        tracer.scalars[value] = SURE
    number(value)
    return Proxy(value, backend, kind)


def _kind(value: Any) -> str:
    element = made_type(value).dtype
    return "" if element is None else _KINDS[element.kind]


def _detached(tracer: Tracer, value: Any, backend: Any) -> Any:
    """A value through which no gradient flows, where the framework has any."""
    if backend is None or backend.numbers or not isinstance(value, Value) or _kind(value) in ("bool", "int"):
        return value
    made = ops.stop_gradient(value)
    tracer.detached.add(made)
    return made


def attach(tracer: Tracer) -> None:
    """Tests take the tensors themselves: what is made a number for a test alone needs no mark that no gradient flows."""
    for value in tracer.detached:
        for node in value.users() if value.uses else ():
            if node.op.name in _TESTS:
                node.replace_input(value, value.node.args[0])
