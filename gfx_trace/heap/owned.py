"""Ownership by reference counts: which containers a region made for itself, so that writes to them need not be undone, and which objects
that captured code wrote are held by something else, so that the writes outlive the call."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any

from ..values.proxy import Proxy, is_open
from .contents import children, has_attributes, row_of

WRITABLE = ("attribute", "item", "contents")
_OWNED = (*WRITABLE, "cell")


def owned(slots: Iterable[Any], *roots: Iterable[Any]) -> dict[int, Any]:
    """The written and left objects that are referred to by their slots and by what the region leaves (`roots`) alone, by id; each
    item of a root counts for one reference.

    Called when the code of the region has returned, and its variables are what they were before.
    """
    written: dict[int, Any] = {}
    held: Counter[int] = Counter()
    for slot in slots:
        if slot.kind in _OWNED:
            written[id(slot.object)] = slot.object
            held[id(slot.object)] += 1
    for root in roots:
        _count(root, written, held)
    slot = root = None  # type: ignore[assignment]  # no name holds one while references are counted
    found: set[int] = set()
    while fresh := {i for i in written if i not in found and sys.getrefcount(written[i]) - 2 <= held[i]}:
        found |= fresh
        for i in fresh:
            _count(_children(written[i]), written, held)
    return {i: written[i] for i in found}


def _count(items: Iterable[Any], written: dict[int, Any], held: Counter[int]) -> None:
    """Note what is referred to by something of the region's own."""
    for item in items:
        held[id(item)] += 1
        kind = type(item)
        if (
            issubclass(kind, tuple)
            or row_of(kind) is not None
            or (has_attributes(item) and not issubclass(kind, _SHARED))
        ):
            written[id(item)] = item


_SHARED = (type, FunctionType, ModuleType, Proxy)
"""What has attributes, and holds no variables of the region's."""


def _children(item: Any) -> list[Any]:
    return [item.cell_contents] if isinstance(item, CellType) else children(item)


class Made:
    """What was made since: the garbage collector can look at that alone, unless it has run in between."""

    def __init__(self) -> None:
        self.runs = self._runs()

    @staticmethod
    def _runs() -> list[int]:
        return [generation["collections"] for generation in gc.get_stats()]

    def collect(self) -> None:
        """Collect the circles among what was made: what is young, where no other capture made it old."""
        gc.collect(0 if self._runs() == self.runs else 2)


def outliving(slots: Iterable[Any], result: Any, made: Made, kept: list[Any]) -> set[int]:
    """Ids of written objects to which more refers than their slots, each other, the result, and what the capture itself has kept.

    Called when the captured code has returned. What its dead frames and closures hold in circles is collected first.
    """
    written = [slot for slot in slots if slot.kind in _OWNED]
    found = _held_elsewhere(written, result, kept) if written else set()
    if found:
        made.collect()
        found = _held_elsewhere(written, result, kept)
    return found


def _held_elsewhere(slots: list[Any], result: Any, kept: list[Any]) -> set[int]:
    objects = {id(slot.object): slot.object for slot in slots}
    held: Counter[int] = Counter(id(slot.object) for slot in slots)
    held.update(map(id, kept))
    for slot in slots:
        held[id(slot.old)] += 1
        held.update(map(id, _held_by(slot.old) if slot.kind == "contents" else ()))
    held[id(result)] += 4  # the variables and arguments of the callers
    stack, seen = [result, *objects.values()], set()
    while stack:
        item = stack.pop()
        if id(item) not in seen:
            seen.add(id(item))
            inner = _held_by(item)
            held.update(map(id, inner))
            stack += [x for x in inner if isinstance(x, (list, dict, tuple, set)) or id(x) in objects]
    item = inner = stack = slot = None  # type: ignore[assignment]
    # beyond what is counted: the table here, its value in the loop, and the call's argument
    return _with_parts({key for key in objects if sys.getrefcount(objects[key]) - 2 > held[key]}, objects)


def _with_parts(outside: set[int], objects: dict[int, Any]) -> set[int]:
    """Those outside, and the written ones that they hold."""
    stack, seen = [objects[key] for key in outside], set(outside)
    while stack:
        for inner in _held_by(stack.pop()):
            if id(inner) not in seen and (isinstance(inner, (list, dict, tuple, set)) or id(inner) in objects):
                seen.add(id(inner))
                stack.append(inner)
    return seen & objects.keys()


def _held_by(item: Any) -> list[Any]:
    return [] if is_open(item) else children(item)
