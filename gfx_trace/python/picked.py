"""An item of a Python container at a place that is only known when the code runs: each item is asked for in turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.control import operands_of, operator_of
from gfx_ir.graph import Value
from gfx_ir.infer.number_conditions import SURE
from gfx_ir.probing import is_module
from gfx_ir.python_numbers import OPEN

from ..interfaces import Capturing
from ..values.gated import Gated
from ..values.numpy_numbers import number_when
from ..values.proxy import HostProxy, Proxy, weak_kind
from .checks import checked
from .devices import settled

_MOST = 32
"""How many items are asked for; a longer table wants to be an array."""


def open_place(o: Any, key: Any) -> bool:
    """Whether `o[key]` hangs on an open key: a number of a list or tuple, a host value of a dictionary."""
    if is_sequence(o):
        return type(key) is Proxy or (type(key) is HostProxy and key.kind in ("int", "bool"))
    return is_mapping(o) and (
        type(key) is HostProxy or (type(key) is Proxy and (bool(key.weak) or number_when(key) == SURE))
    )


def is_sequence(o: Any) -> bool:
    """Whether o is a container of Python's or of modules whose items are told by their places."""
    return isinstance(o, (list, tuple, deque)) or (_holds_modules(o) and not hasattr(o, "keys"))


def is_mapping(o: Any) -> bool:
    """Whether o is a container of Python's or of modules whose items are told by their keys."""
    return isinstance(o, dict) or (_holds_modules(o) and hasattr(o, "keys"))


def _holds_modules(o: Any) -> bool:
    kind = type(o)
    return is_module(o) and hasattr(kind, "__getitem__") and hasattr(kind, "__len__")


def picked(tracer: Capturing, o: Any, key: Any) -> Any:
    """o[key]; where no item is there, the error that Python raises."""
    places, here = _asked(tracer, o, key)

    def among(rest: list[Any]) -> Any:
        at = rest[0]
        return (
            tracer.objects.item(o, at)
            if len(rest) == 1
            else tracer.truths.ifexp(here(at), lambda: tracer.objects.item(o, at), lambda: among(rest[1:]))
        )

    return among(places)


def get(tracer: Capturing, o: dict, key: Any, default: Any = None) -> Any:
    """o.get(key, default)."""
    if type(key) is Gated:
        return tracer.gates.resolve(key, lambda side: get(tracer, o, side, default))
    key = settled(tracer, key)
    if not (o and open_place(o, key)):
        found = tracer.native_methods.run((key, *o), lambda: o.get(key, default))  # their hashes, and ==
        found = tracer.arrays.in_graph(found)
        if type(found) is Gated:
            return tracer.gates.if_there(found, lambda side: side, lambda: default)
        tracer.effects.sure_of(o, key)
        return found
    places, here = _asked(tracer, o, key, check=False)

    def among(rest: list[Any]) -> Any:
        if not rest:
            return default
        return tracer.truths.ifexp(here(rest[0]), lambda: tracer.objects.item(o, rest[0]), lambda: among(rest[1:]))

    return among(places)


def replaced(tracer: Capturing, o: Any, key: Any, value: Any) -> None:
    """o[key] = value: each item is the value, or what it was. A key that a dictionary may lack has to be fixed."""
    if is_mapping(o) and tracer.truths.truth(tracer.truths.contains(o, key)) is not True:
        tracer.python.number(key, "a key that may be new")
    places, here = _asked(tracer, o, key)
    for at in places:
        tracer.objects.set_item(
            o, at, tracer.truths.ifexp(here(at), lambda: value, lambda at=at: tracer.objects.item(o, at))
        )


def _asked(tracer: Capturing, o: Any, key: Any, check: bool = True) -> tuple[list[Any], Callable[[Any], Any]]:
    """The keys of a container, and what asks whether `key` is one of them; that it is there is checked, of a mapping if asked."""
    places = list(o) if is_mapping(o) else list(range(len(o)))
    if tracer.loops.fixed_loops or not 0 < len(places) <= _MOST:
        tracer.python.number(key, "a key" if is_mapping(o) else "an index")
    if type(key) is Proxy and not is_mapping(o):
        _whole(tracer, key, type(o).__name__)
    count, site = len(places), tracer.site

    def here(asked: Any) -> Any:
        tracer.site = site  # Python's operators take the frame they are used in for the user's
        return asked

    if is_mapping(o):
        if check:
            checked(tracer, tracer.truths.contains(o, key), key.value, "KeyError")
        return places, lambda at: here(key == at)
    if getattr(key, "kind", None) == "bool" and count > 1:
        return places[:2], lambda at: key if at else tracer.truths.not_(key)
    if _below(key.read(), count):
        return places, lambda at: here(key == at)
    there = tracer.truths.and_(here(key >= -count), [lambda: here(key < count)])
    checked(tracer, there, f"{type(o).__name__} index out of range", "IndexError")
    return places, lambda at: here(key % count == at)


def _whole(tracer: Capturing, key: Proxy, holder: str) -> None:
    """Sees to it that a tensor is a whole number, as Python's index has to be; PyTorch's booleans are."""
    value = key.read()
    element = tracer.record.dtype(value) if isinstance(value, Value) else None
    weak = weak_kind(key)
    kind = "" if weak == OPEN else weak or (element.name if element is not None else "")
    flags = bool(key.weak) or key.backend is None or key.backend.name == "torch"
    if kind.startswith(("float", "complex", "bfloat")) or (kind == "bool" and not flags):
        named = repr(value.name) if getattr(value, "name", None) else "it"
        what = f"GFX cannot convert this index: {named} is of dtype {kind}, and a {holder} is indexed by a whole number"
        raise tracer.error(what, "take int(…) of it")
    if not kind:
        checked(
            tracer,
            tracer.truths.not_(tracer.wrap(ops.is_floating(ops.as_tensor(value)))),
            f"{holder} indices must be integers or slices, not float",
            "TypeError",
        )


def _below(value: Any, count: int) -> bool:
    """Whether a value is a remainder, so that it lies in 0 .. count - 1."""
    if not isinstance(value, Value):
        return False
    divisor = operands_of(value.node)[1] if operator_of(value.node) == "%" else None
    return type(divisor) is int and 0 < divisor <= count
