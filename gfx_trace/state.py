"""State: what a capture wrote that outlives the call, as results of the program; the real objects are left as they were."""

from __future__ import annotations

import functools
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.probing import own_attribute

from .aliases import Lost, WrittenConstant
from .contents import unchanged
from .gradient_marks import unmarked
from .journal import MISSING, Slot, containers
from .proxy import Proxy
from .remembered import Remembered

if TYPE_CHECKING:
    from .tracer import Tracer


@dataclass(frozen=True)
class Write:
    """One thing that the program writes: its path, its new value, and the slot of the real object (None: an array, by its path)."""

    path: str
    value: Any
    slot: Slot | None = None
    param: str | None = None  # the parameter that stands for what the slot held


def lasting_writes(tracer: Tracer, target: Any, arguments: Any, outside: set[int]) -> list[Write]:
    """Writes to arguments, buffers, attributes and globals, in order. The objects themselves get their old values back.

    `outside`: ids of written objects that something else than the captured code holds.
    """
    given, reached = containers(arguments), containers(arguments, *_closed_over(target)) | outside
    for slot in tracer.journal.frames[0].values():
        if slot.kind in ("item", "attribute", "contents") and id(slot.object) in given and not _as_it_was(slot):
            raise UnsupportedConstruct(
                f"GFX cannot convert this write: {slot.name!r} of an argument is replaced, and the caller would see it",
                slot.span, "return it instead, or write into its tensors",
            )  # fmt: skip
    found = [_write(tracer, slot, reached) for slot in list(tracer.journal.frames[0].values())]
    tracer.journal.undo()
    return [write for write in found if write is not None]


def _write(tracer: Tracer, slot: Slot, reached: set[int]) -> Write | None:
    if slot.kind == "proxy":
        return _array_write(tracer, slot)
    if slot.kind == "base":
        _check_decided(tracer, slot)
        return None
    if slot.kind == "attribute" and (id(slot.object), slot.key) in tracer.derived:
        return None
    module = tracer.module_paths.get(id(slot.object))
    if module is None and id(slot.object) not in reached and slot.kind != "global":
        return None
    value = slot.get()
    if _as_it_was(slot) or (isinstance(value, (int, float, str, bool, type(None))) and value == slot.old):
        return None
    if slot.kind in ("cell", "global") and not isinstance(slot.old, (int, float)):
        what = (
            f"the global {slot.name!r}"
            if slot.kind == "global"
            else f"the variable {slot.name!r} of a function around this one"
        )
        raise UnsupportedConstruct(
            f"GFX cannot convert this write: {what} outlives the call", slot.span,
            "make it an attribute of an object, or an argument and a result",
        )  # fmt: skip
    if slot.kind == "contents" or value is MISSING or isinstance(value, (list, dict, set)):
        raise UnsupportedConstruct(
            f"GFX cannot convert this write: the contents of a {type(slot.object).__name__} outlive the call",
            slot.span,
            "return them instead",
        )
    if isinstance(slot.old, (int, float)):
        raise UnsupportedConstruct(
            f"GFX cannot convert this write: {slot.name!r} is a Python number that changes from call to call, and its value is part of the graph",
            slot.span, "make it a buffer (a tensor), or an argument and a result",
        )  # fmt: skip
    if slot.kind == "item" and slot.old is MISSING:
        raise Remembered(slot, value)
    if (slot.old is None or slot.old is MISSING) and (id(slot.object), slot.key) in tracer.unset_read:
        found = "None" if slot.old is None else "not there"
        raise UnsupportedConstruct(
            f"GFX cannot convert this write: {slot.name!r} is {found} in the first call and no longer in the next, and the code asks for it",
            slot.span, "make it a tensor before the capture (a buffer), or an argument and a result",
        )  # fmt: skip
    if isinstance(value, Proxy) and tracer.known.get(id(slot.old)) is value:
        return None  # the same array, written in place
    owner = module if module is not None else type(slot.object).__name__.lower()
    path = f"{owner}.{slot.key}" if owner else str(slot.key)
    param = _param_of(tracer, slot.old)
    return Write(param or path, tracer.unwrap(value), slot, param)


def _as_it_was(slot: Slot) -> bool:
    """Whether a slot holds again what it held before the capture."""
    value = slot.get()
    return value is slot.old or (slot.kind == "contents" and unchanged(slot.old, value))


def _param_of(tracer: Tracer, array: Any) -> str | None:
    """The parameter that an array is. Where it stands as a constant, the capture has to begin again."""
    if id(array) not in tracer.known:
        return None
    found = next((name for name, held in tracer.params.items() if held is array), None)
    if found is None:
        raise WrittenConstant
    return found


def _check_decided(tracer: Tracer, slot: Slot) -> None:
    """An argument or parameter may not be left undecided: the caller sees it."""
    first = tracer.journal.frames[0].get((id(slot.object), "proxy", None))
    held = first.old if first is not None else slot.object.value
    if type(slot.object.base) is Lost and isinstance(held, Value) and held.node.op.name in ("placeholder", "parameter"):
        slot.object.base.read()


def _array_write(tracer: Tracer, slot: Slot) -> Write | None:
    proxy = slot.object
    value = unmarked(proxy.value)  # what is written has no gradient
    if slot.old is value or proxy is tracer.key or not isinstance(slot.old, Value):
        return None
    node = slot.old.node
    if node.op.name not in ("placeholder", "parameter") or slot.old.kind == "key":
        return None
    return Write(node.args[0], value)


def _closed_over(target: Any) -> list[Any]:
    """What a target can reach without arguments: its closure, its own object, the globals that its code names."""
    found: list[Any] = []
    while isinstance(target, functools.partial):
        found += [*target.args, *target.keywords.values()]
        target = target.func
    owner = own_attribute(target, "__self__")
    if owner is not None:
        found.append(owner)
    function = own_attribute(target, "__func__", target)
    if isinstance(function, types.FunctionType):
        found += [function.__globals__.get(name) for name in function.__code__.co_names]
        found += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for cell in function.__closure__ or ():
            try:
                found.append(cell.cell_contents)
            except ValueError:
                continue
    elif hasattr(target, "__dict__") and not hasattr(type(target), "named_modules"):
        found.append(target)
    return [item for item in found if not isinstance(item, (type, types.ModuleType, types.FunctionType, Proxy))]
