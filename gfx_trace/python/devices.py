"""Devices under capture: a device that is only handed on stays open, and a question about one fixes it, with a guard."""

from __future__ import annotations

from collections import deque
from typing import Any

from gfx_ir.control import is_parameter, is_placeholder
from gfx_ir.graph import Value
from gfx_ir.op import Trait
from gfx_ir.program import Guard
from gfx_ir.reach import reached
from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..values.gradient_marks import unmarked
from ..values.proxy import HostProxy, Proxy
from .sequences import OpenList, as_list

_QUESTION = "is_"


def is_device(x: Any) -> bool:
    """Whether x is an open device."""
    return type(x) is HostProxy and x.value.kind == "device"


def settled(tracer: Capturing, x: Any) -> Any:
    """x; the framework's own object for it where it is a device, what stands for the list where it is one of open length."""
    if type(x) is OpenList:
        return tracer.wrap(as_list(tracer, x))
    return fixed_device(tracer, x) if is_device(x) else x


def fixed_device(tracer: Capturing, x: HostProxy) -> Any:
    """The framework's own object for an open device, taken as given with a guard. Raises UnsupportedConstruct where tensors of
    different devices meet in it, or a loop hands them on."""
    value = tracer.facts.root(x.value)
    if value.node.op.asks != "device":
        raise _untold(tracer)
    return device_of(tracer, value.node.args[0], x.backend)


def device_of(tracer: Capturing, tensor: Any, backend: Any) -> Any:
    """The device of a tensor: that of the arguments, parameters and new tensors that it is computed from."""
    found: dict[Any, None] = {}
    asked: dict[Value, Any] = {}
    roots = lambda leaves_: [tracer.facts.root(leaf) for leaf in leaves_ if isinstance(leaf, Value)]

    def computed_from(value: Value) -> list[Value]:
        sources = _sources(tracer, value, asked)
        if isinstance(sources, list):
            return roots(sources)
        found[backend.device_of(sources)] = None
        return []

    deque(reached(roots([tensor]), computed_from), 0)
    if len(found) > 1:
        raise _untold(tracer)
    place = next(iter(found)) if found else backend.device_of(None)
    for argument in asked:
        tracer.assumed.guard(Guard("device", argument.node.args[0], str(place), tracer.span()))
    return place


def is_there(tracer: Capturing, moved: Any, tensor: Any, backend: Any) -> bool | None:
    """Whether a tensor that was asked for at a place is there already, and so is itself; None: that is not all that it was asked for, or
    which of two devices of one kind is meant cannot be told."""
    node = moved.node if type(moved) is Value else None
    if node is None or not node.op.traits & Trait.MOVES or unmarked(node.args[0]) is not unmarked(tensor):
        return None
    here, there = device_of(tracer, tensor, backend), device_of(tracer, moved, backend)
    return True if here == there else False if here.type != there.type else None


def _sources(tracer: Capturing, value: Value, asked: dict[Value, Any]) -> Any:
    """What says where a value is, an array or a device; None: where new tensors are made; else a list of what it is computed from."""
    node = value.node
    if tracer.assumed.is_argument(value):
        asked[value] = None
        return tracer.assumed.devices.get(value)
    if is_parameter(node):
        return tracer.params.get(node.args[0])  # None: an earlier call made it
    if is_placeholder(node) and value not in tracer.assumed.beside:
        raise _untold(tracer)
    if is_placeholder(node):
        return [tracer.assumed.beside[value]]
    place = node.arg("device") if "device" in node.op.params else None
    if place is not None:
        return [place.node.args[0]] if isinstance(place, Value) and place.node.op.asks == "device" else place
    tensors = [leaf for leaf in leaves(node.args) if isinstance(leaf, Value) and leaf.is_tensor]
    return tensors or None


def _untold(tracer: Capturing) -> Exception:
    return tracer.error(
        "GFX cannot tell on which device this tensor is: it is computed from several, or handed on by a loop",
        "ask an argument for its device",
    )


def device_question(tracer: Capturing, x: Proxy, name: str) -> bool | None:
    """`x.is_cuda` and its like; None: the attribute is no such question."""
    backend = x.backend
    if backend is None or not name.startswith(_QUESTION) or name.removeprefix(_QUESTION) not in backend.device_kinds:
        return None
    return bool(device_of(tracer, x.read(), backend).type == name.removeprefix(_QUESTION))
