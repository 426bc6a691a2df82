"""Which objects that captured code wrote are held by something else, so that the writes outlive the call."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..values.proxy import is_open
from .contents import children
from .journal import Slot

_WRITABLE = ("attribute", "item", "contents", "cell")


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


def outliving(slots: Iterable[Slot], result: Any, made: Made, kept: list[Any]) -> set[int]:
    """Ids of written objects to which more refers than their slots, each other, the result, and what the capture itself has kept.

    Called when the captured code has returned. What its dead frames and closures hold in circles is collected first.
    """
    written = [slot for slot in slots if slot.kind in _WRITABLE]
    found = _held_elsewhere(written, result, kept) if written else set()
    if found:
        made.collect()
        found = _held_elsewhere(written, result, kept)
    return found


def _held_elsewhere(slots: list[Slot], result: Any, kept: list[Any]) -> set[int]:
    objects = {id(slot.object): slot.object for slot in slots}
    held: Counter[int] = Counter(id(slot.object) for slot in slots)
    held.update(map(id, kept))
    for slot in slots:
        held[id(slot.old)] += 1
        held.update(map(id, _children(slot.old) if slot.kind == "contents" else ()))
    held[id(result)] += 4  # the variables and arguments of the callers
    stack, seen = [result, *objects.values()], set()
    while stack:
        item = stack.pop()
        if id(item) not in seen:
            seen.add(id(item))
            inner = _children(item)
            held.update(map(id, inner))
            stack += [x for x in inner if isinstance(x, (list, dict, tuple, set)) or id(x) in objects]
    item = inner = stack = slot = None  # type: ignore[assignment]
    # beyond what is counted: the table here, its value in the loop, and the call's argument
    return _with_parts({key for key in objects if sys.getrefcount(objects[key]) - 2 > held[key]}, objects)


def _with_parts(outside: set[int], objects: dict[int, Any]) -> set[int]:
    """Those outside, and the written ones that they hold."""
    stack, seen = [objects[key] for key in outside], set(outside)
    while stack:
        for inner in _children(stack.pop()):
            if id(inner) not in seen and (isinstance(inner, (list, dict, tuple, set)) or id(inner) in objects):
                seen.add(id(inner))
                stack.append(inner)
    return seen & objects.keys()


def _children(item: Any) -> list[Any]:
    return [] if is_open(item) else children(item)
