"""Tuples that a loop writes to an item or attribute, as `hidden[i] = (h, c)` does, and the contents of a deque of which it replaces the
oldest: each of their leaves is carried as a place of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..heap.slots import Slot
from ..python.rows import called
from ..values.nest import alike, branches, rebuilt
from ..values.proxy import NeedsPython
from .carried import Carried, Unsettled, carryable, kind_of, part_label, same
from .carries import Carries


class Part(Slot):
    """A leaf of the tuple, or of the contents, that stand in a slot, where these are like `like`."""

    of: Slot
    __slots__ = ("of", "keys", "like")  # type: ignore[misc]

    def __init__(self, of: Slot, keys: tuple, like: Any) -> None:
        name = of.name
        for key in keys:
            name = part_label(name, key, False)
        super().__init__(of.object, of.key, of.kind, name, None, of.span)
        self.of, self.keys, self.like = of, keys, like

    def get(self) -> Any:
        """What stands there now; where the slot holds nothing alike, a tuple of what it holds, which no loop carries."""
        value, like = self.of.get(), self.like
        for key in self.keys:
            if not alike(value, like):
                return (value,)
            value, like = value[key], like[key]
        return value

    def set(self, value: Any) -> None:
        """Put another tuple in the slot, with this in it."""
        self.of.set(_with(self.of.get(), self.keys, value))


def settle_parts(carries: Carries, slot: Slot, old: Any, held: Any) -> bool:
    """Whether a pass knew which leaves of the tuple or contents in a slot a trip puts others in the place of; if not, the next one does."""
    leaves = list(_leaves(old, held, ()))
    if any(not carryable(before) or not carryable(after) for _, before, after in leaves):
        name = called(slot.object, carries.tracer.site) if slot.kind == "contents" else slot.name
        what = f"the loop writes {name!r}, which no graph can carry from trip to trip"
        raise Unsettled(NeedsPython("loop", what, carries.span))
    found = {("slot", (slot.id, keys)): (keys, before) for keys, before, _ in leaves}
    new = {path: part for path, part in found.items() if path not in carries.leaves}
    for path, (keys, before) in new.items():
        if path in carries.dropped:
            carries.dropped.discard(path)
            carries.kept.add(path)
        part = Part(slot, keys, old)
        backend = getattr(before, "backend", carries.tracer.backend)
        carries.add(path, Carried(part.name, before, kind_of(before), backend, part))
    if new and not carries.runs:
        carries.tracer.consulted.add(slot.place)  # where the loop does not run it holds what it held
    return not new


def _leaves(old: Any, held: Any, keys: tuple) -> Iterator[tuple[tuple, Any, Any]]:
    """(keys, what stood there, what stands there) of the leaves that differ; where one side is a tuple, and the other none alike, of both."""
    if same(old, held):
        return
    if not ((isinstance(old, tuple) or not keys) and alike(old, held)):
        yield keys, old, held
        return
    for (key, before), (_, after) in zip(branches(old) or (), branches(held) or ()):
        yield from _leaves(before, after, (*keys, key))


def _with(whole: Any, keys: tuple, value: Any) -> Any:
    """The same with another leaf."""
    if not keys:
        return value
    key, *more = keys
    return rebuilt(
        whole, [_with(item, tuple(more), value) if at == key else item for at, item in branches(whole) or ()]
    )
