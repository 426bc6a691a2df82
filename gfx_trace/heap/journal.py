"""The mutation journal: what captured code has written, so that a region can be left as if it had not run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

from gfx_ir.errors import CaptureError
from gfx_ir.graph import Value

from ..values.proxy import Proxy
from .contents import attributes_of, has_attributes, unchanged
from .links import Link, Links, not_alone
from .made import WRITABLE, Made
from .slots import Slot
from .tables import Tables

ANYWHERE = 0
"""Stands in a log for what code may come to from anywhere."""
_OF_OBJECTS = frozenset((*WRITABLE, "cell"))
_WIDE = (type, FunctionType, ModuleType)


class Journal:
    """A stack of records, one for each open region."""

    def __init__(self) -> None:
        self.frames: list[dict[tuple, Slot]] = [{}]
        self.made = Made()
        self.tables = Tables(self.made)
        self._since = [0]  # of each region, how much had been made before it
        self.links = Links(self.frames, self.made)  # of containers that may be others
        self.log: list[int] = []  # ids of what was written, or put back, but for tensors,
        self.touched = set[int]()  # all of these ids,
        self.overwritten: set[Any] = set()  # and what tensors held before they were,
        self.replaced: list[Any] = []  # as often as they were
        self.writes = 0  # how many there were, of all kinds

    def record(
        self, obj: Any, key: Any = None, kind: str = "proxy", name: str = "", span: Any = None, everywhere: bool = False
    ) -> None:
        """Note that a slot is about to be written (at `span`); the first write in a region keeps the old value. `everywhere`: the
        same is written to whatever else the object may be. Raises where it may be another one, and that is not so; and where a function
        is captured by itself that writes to what was there before it."""
        obj, key, kind = self.tables.place(obj, key, kind)
        if kind == "proxy" and isinstance(obj, Proxy):
            name = getattr(obj.value, "name", None) or "tensor"
        if not everywhere:
            self._check_alone(obj, span)
        if self.made.functions:
            self.made.check(obj, kind)
        self._count(kind, obj)
        slot = Slot(obj, key, kind, name, None, span)
        frame = self.frames[-1]
        if slot.id not in frame and not self.is_own(obj):
            slot.old = slot.get()
            frame[slot.id] = slot

    def note(self, slot: Slot) -> None:
        """Note a slot that was written, with the value that was read before."""
        self._check_alone(slot.object, slot.span)
        self._count(slot.kind, slot.object)
        self._keep(slot)

    def _keep(self, slot: Slot) -> None:
        """The region that is open wrote a slot: one of an object of its own need not be put back."""
        if not self.is_own(slot.object):
            self.frames[-1].setdefault(slot.id, slot)

    def written(self, since: int, made: int) -> list[int]:
        """Ids of what was written from there on in the log, but for what was made after so many others."""
        return [key for key in self.log[since:] if not self.made.has(key, made)]

    def is_own(self, obj: Any) -> bool:
        """Whether the region that is open made an object."""
        return self.made.since(obj, self._since[-1])

    def _count(self, kind: str, obj: Any) -> None:
        self.writes += 1
        if kind == "proxy":
            self.overwritten.add(obj.value)
            self.replaced.append(obj.value)
        else:
            wide = kind == "global" or isinstance(obj, _WIDE)
            ids = [ANYWHERE] if wide else self.tables.ids(obj)
            self.log += ids
            self.touched.update(ids)

    def _check_alone(self, obj: Any, span: Any) -> None:
        if obj in self.links:
            raise not_alone(obj, span=span)

    def open(self) -> None:
        """Enter a region."""
        self.frames.append({})
        self._since.append(len(self.made))
        self.links.open()

    def pass_on(self, get: Any) -> None:
        """The variables of `get` hold what they held before the region: what it does to them is for its maker to join, as a write of
        the region around it."""
        while get is not None:
            for cell in get.__closure__ or ():
                slot = self.frames[-1].pop((id(cell), "cell", None), None)
                if slot is not None and not self.made.since(cell, self._since[-2]):
                    slot.old = slot.get()
                    self.frames[-2].setdefault(slot.id, slot)
            get = getattr(get, "__wrapped__", None)

    def close(self, graph: Any = None, linked: list[Link] | None = None) -> list[tuple[Slot, Any]]:
        """Leave a region: every slot that it wrote with what was left there, the old values put back.

        A tensor that was made in the region (its old value is of `graph`) keeps what was written to it. `linked` takes its links.
        """
        frame, _ = self.frames.pop(), self._since.pop()
        (linked if linked is not None else []).extend(self.links.close())
        slots = [slot for slot in frame.values() if graph is None or not _made_in(graph, slot, frame)]
        written = [(slot, slot.get()) for slot in slots]
        for slot in reversed(slots):
            self._count(slot.kind, slot.object)
            slot.set(slot.old)
        return self._by_items(_changed(written))

    def _by_items(self, written: list[tuple[Slot, Any]]) -> list[tuple[Slot, Any]]:
        """What was written, and taken back: a dictionary that was changed as a whole and has the keys that it had, by its items."""
        kept = {
            id(slot.object): value
            for slot, value in written
            if slot.kind == "contents" and type(slot.object) is dict and list(slot.object) == list(value)
        }
        found = list[tuple[Slot, Any]]()
        for slot, value in written:
            if slot.kind not in ("contents", "item") or id(slot.object) not in kept:
                found.append((slot, value))
            elif slot.kind == "contents":
                for k, old in slot.object.items():
                    if old is not value[k]:
                        place = self.tables.place(slot.object, k, "item")
                        found.append((Slot(*place, str(k), old, slot.span), value[k]))
        return found

    def keep(self) -> None:
        """Leave a region whose writes stand: they are those of the one around it."""
        frame, _ = self.frames.pop(), self._since.pop()
        self.links.keep()
        for slot in frame.values():
            self._keep(slot)

    def outside(self) -> set[int]:
        """Ids of the objects written that were there before the capture."""
        written = (slot.object for slot in self.frames[0].values() if slot.kind in _OF_OBJECTS)
        return {id(x) for x in written if not self.made.since(x)}

    def back(self, count: int) -> None:
        """Take back what was noted for the whole capture (the default of a key) since that was so many slots."""
        for key in reversed(list(self.frames[0])[count:]):
            slot = self.frames[0].pop(key)
            self._count(slot.kind, slot.object)
            slot.set(slot.old)

    def undo(self) -> None:
        """Put back what ordinary objects held before the capture; tensors under capture keep what was written to them."""
        for slot in reversed(list(self.frames[0].values())):
            if slot.kind != "proxy":
                slot.set(slot.old)
        self.frames[0] = {}

    def commit(self, slots: list[tuple[Slot, Any]]) -> None:
        """Write slots again, recorded in the region that is open now."""
        for slot, value in slots:
            self.record(slot.object, slot.key, slot.kind, slot.name, slot.span, everywhere=True)
            slot.set(value)


def _changed(written: list[tuple[Slot, Any]]) -> list[tuple[Slot, Any]]:
    """Writes without those to a container that holds what it held: an item that was taken out, and put back, is none."""
    found, steady = list[tuple[Slot, Any]](), set[int]()
    for slot, value in written:
        if slot.kind == "contents" and unchanged(slot.old, value):
            steady.add(id(slot.object))
        elif slot.kind != "item" or id(slot.object) not in steady:
            found.append((slot, value))
    return found


def _made_in(graph: Any, slot: Slot, frame: dict[tuple, Slot]) -> bool:
    """Whether a slot is of a tensor that was made in the region of a graph."""
    if slot.kind not in ("proxy", "base"):
        return False
    first = frame.get((id(slot.object), "proxy", None))
    value = first.old if first is not None else slot.object.value
    return isinstance(value, Value) and value.node.graph is graph


def containers(*trees: Any) -> set[int]:
    """Ids of the lists, dictionaries and objects with attributes that can be reached through containers."""
    return set(_reached(trees, lambda item: None if _is_module(item) else attributes_of(item)))


def is_held(x: Any, asked: Callable[[tuple], bool], *trees: Any) -> bool:
    """Whether an object stands in a container that can be reached by way of the attributes that were `asked` for, or by any of a module."""

    def attributes(item: Any) -> dict[str, Any]:
        found = attributes_of(item)
        return found if _is_module(item) else {name: held for name, held in found.items() if asked((id(item), name))}

    return any(part is x for parts in _reached(trees, attributes).values() for part in parts)


def _is_module(x: Any) -> bool:
    return hasattr(type(x), "named_modules")


def _reached(trees: Iterable[Any], attributes: Callable[[Any], dict[str, Any] | None]) -> dict[int, list[Any]]:
    """What lists, dictionaries and objects hold that can be reached through them, by their ids; of objects these `attributes`, or None."""
    found: dict[int, list[Any]] = {}
    stack = list(trees)
    while stack:
        item = stack.pop()
        if id(item) in found or isinstance(item, (Proxy, str, int, float, type(None))):
            continue
        if isinstance(item, (list, dict, tuple, set)):
            parts = list(item.values() if isinstance(item, dict) else item)
        elif not has_attributes(item) or isinstance(item, (type, ModuleType, FunctionType)):
            continue
        elif (own := attributes(item)) is None:
            continue
        else:
            parts = list(own.values())
        found[id(item)] = parts
        stack.extend(parts)
    return found


def held_values(*trees: Any) -> dict[int, Any]:
    """What the tensors in containers hold now, by id of the Proxy: for those that are undecided, the error of reading them."""
    found: dict[int, Any] = {}
    for proxy in proxies(*trees):
        try:
            found[id(proxy)] = proxy.read()
        except CaptureError as error:
            found[id(proxy)] = error
    return found


def held_value(held: dict[int, Any], proxy: Proxy) -> Any:
    """What a tensor held when `held_values` looked. Raises the error of reading it then."""
    found = held[id(proxy)]
    if isinstance(found, CaptureError):
        raise found
    return found


def proxies(*trees: Any) -> list[Proxy]:
    """The Proxies that stand in containers."""
    found: list[Proxy] = []
    seen: set[int] = set()
    stack = list(trees)
    while stack:
        item = stack.pop()
        if type(item) is Proxy:
            found.append(item)
        elif isinstance(item, (tuple, list, dict)) and id(item) not in seen:
            seen.add(id(item))
            stack.extend(item.values() if isinstance(item, dict) else item)
    return found
