"""What the sides of a test wrote: the places that either wrote, joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gfx_ir.errors import UnsupportedConstruct

from ..frameworks.grad_mode import undecided
from ..heap.contents import Content
from ..heap.slots import MISSING, Slot, with_items
from ..interfaces import Capturing
from ..python.rows import called, holds_rows, length_error, slot_called
from ..values.gated import Gated, GatedItems, lacks
from ..values.lost import Lost
from ..values.proxy import Proxy, Undefined
from .joins import Join
from .sides import Side

_UNCHANGED = object()


def joined_slots(tracer: Capturing, join: Join, sides: Sequence[Side]) -> list[tuple[Slot, Any]]:
    """Each slot that a side wrote, with what it holds behind the test. Raises UnsupportedConstruct where nothing can hold that."""
    joined: list[tuple[Slot, Any]] = []
    writes = [{slot.id for slot, _ in side.written} for side in sides]
    for slot, a, b in _changed(sides):
        if not all(slot.id in written for written in writes):
            tracer.consulted.add(slot.place)  # on one side it holds what it held
        if (a is MISSING) != (b is MISSING) and slot.kind in ("item", "attribute"):
            tracer.effects.may_lack(slot.object, slot.key)  # though its class may have such an attribute
        made = _joined(tracer, join, slot, tracer.arrays.held_in(slot, a), tracer.arrays.held_in(slot, b))
        if made is not _UNCHANGED:
            joined.append((slot, made))
    join.slot = None
    then, otherwise = map(_new_keys, sides)
    for owner in then.keys() & otherwise.keys():
        both = {*then[owner]} & {*otherwise[owner]}
        if [key for key in then[owner] if key in both] != [key for key in otherwise[owner] if key in both]:
            tracer.effects.unordered.add(owner)
    return joined


def _new_keys(side: Side) -> dict[int, list[Any]]:
    """The keys that a side gave to dictionaries, by the ids of these, as they stand in them."""
    found: dict[int, list[Any]] = {}
    for slot, value in side.written:
        if slot.kind == "item" and slot.old is MISSING and value is not MISSING and isinstance(slot.object, dict):
            found.setdefault(id(slot.object), []).append(slot.key)
    return found


def _changed(sides: Sequence[Side]) -> list[Any]:
    """[slot, what the one side left, what the other did] of all that either wrote."""
    found: dict[tuple, list[Any]] = {}
    whole = {id(slot.object): slot for side in sides for slot, _ in side.written if slot.kind == "contents"}
    for at, side in enumerate(sides):
        for slot, value in side.written:
            if slot.kind != "item" or id(slot.object) not in whole:
                old = slot.get() if slot.kind == "contents" else slot.old
                found.setdefault(slot.id, [slot, old, old])[1 + at] = value
        for key, slot in whole.items():  # one side may write items of what the other changes as a whole
            items = [(s.key, value) for s, value in side.written if s.kind == "item" and id(s.object) == key]
            if items and not any(s.id == slot.id for s, _ in side.written):
                found.setdefault(slot.id, [slot, slot.get(), slot.get()])[1 + at] = with_items(slot.get(), items)
    return list(found.values())


def _joined(tracer: Capturing, join: Join, slot: Slot, a: Any, b: Any) -> Any:
    """What a slot holds behind the test, of which the sides left a and b in it."""
    if type(a) is Content:
        return _one_content(tracer, slot, a, b)
    if slot.kind == "base":
        return a if type(a) is Lost or b is slot.old else b
    if slot.kind == "mode":
        return a if a is b else undecided(join.test, a, b)
    if slot.kind == "proxy":
        return _tensor(join, slot, a, b)
    if slot.kind == "contents":
        return _contents(tracer, join, slot, a, b)
    if (a is MISSING) != (b is MISSING):
        if slot.kind not in ("item", "attribute"):
            what = f"GFX cannot convert this write: {slot_called(slot, tracer.site)} is set in one branch only"
            raise UnsupportedConstruct(what, slot.span or tracer.span(), f"set {slot.name!r} before the test")
        a, b = (Undefined(slot.name, slot.unset) if x is MISSING else x for x in (a, b))
    join.slot = slot if slot.kind in ("item", "attribute") else None
    return join.join(a, b, slot.name)


def _tensor(join: Join, slot: Slot, a: Any, b: Any) -> Any:
    """What a tensor holds that a side wrote in place."""
    if a is b:
        return _UNCHANGED if a is slot.old else a  # both may have written the same
    join.slot = None
    both = join.join(Proxy(a, slot.object.backend), Proxy(b, slot.object.backend), slot.name)
    if type(both) is Gated:
        raise both.refusal
    return both


def _contents(tracer: Capturing, join: Join, slot: Slot, a: Any, b: Any) -> Any:
    """What a container holds that a side changed as a whole: a list may be gated, of which each use asks the test again."""
    on_data = join.test.is_tensor
    join.slot = None
    of_list = type(slot.object) is list and (on_data or holds_rows(a) or holds_rows(b)) and join.is_list(a, b)
    if len(a) != len(b) and on_data and not of_list:
        raise length_error(slot, "under a test on tensor data", tracer.site)
    both = join.listed(a, b, called(slot.object, tracer.site)) if of_list else join.join(a, b, slot.name)
    if type(both) is Gated and isinstance(a, list) and type(slot.object) is list:
        if on_data:
            raise length_error(slot, "under a test on tensor data", tracer.site)
        tracer.record.filled = True
        return [GatedItems(both)]
    if type(both) is Gated or lacks(both):
        raise _undecided_content(tracer, slot, on_data)
    join.containers.pop((id(a), id(b)), None)  # copies: what is in it goes back to the container itself
    return both


def _one_content(tracer: Capturing, slot: Slot, a: Content, b: Content) -> Content:
    """What both sides left in an object whose content no graph can hold. Raises where that differs."""
    if a == b:
        return a
    raise _undecided_content(tracer, slot, True)


def _undecided_content(tracer: Capturing, slot: Slot, on_data: bool) -> UnsupportedConstruct:
    name, kind = called(slot.object, tracer.site), type(slot.object).__name__
    what = f"GFX cannot convert this write to {name!r}: an open test decides what the {kind} holds"
    other = "keep a mask, a tensor of flags," if on_data else f"assign a new {kind}"
    return UnsupportedConstruct(what, slot.span, f"{other} instead")
