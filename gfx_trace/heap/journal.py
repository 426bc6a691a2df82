"""The mutation journal: what captured code has written, so that a region can be left as if it had not run.

A slot is (object, key): a Proxy's value (key None), an attribute, an item, a list's length, the cell of a nonlocal
variable, the gradient mode.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from gfx_ir.errors import CaptureError
from gfx_ir.graph import Value
from gfx_ir.probing import cell_content

from ..values.proxy import Proxy
from .contents import attributes_of, contents_of, fill, table_of, unchanged
from .links import Link, Links, not_alone
from .made import WRITABLE, Made

MISSING = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
ANYWHERE = 0
"""Stands in a log for what code may come to from anywhere."""
_OF_OBJECTS = frozenset((*WRITABLE, "cell"))
_WIDE = (type, FunctionType, ModuleType)


class Slot:
    """Something that captured code can write: how to read it, set it, and what it is called."""

    __slots__ = ("object", "key", "kind", "name", "old", "span")

    def __init__(self, obj: Any, key: Any, kind: str, name: str, old: Any, span: Any = None) -> None:
        self.object, self.key, self.kind, self.name, self.old, self.span = obj, key, kind, name, old, span

    @property
    def id(self) -> tuple:
        """What tells slots apart."""
        return id(self.object), self.kind, self.key if isinstance(self.key, (str, int, type(None))) else id(self.key)

    @property
    def place(self) -> tuple:
        """What tells places apart that an attribute or an item is read from."""
        return id(self.object), self.key

    def get(self) -> Any:
        """What stands in it now."""
        return READ[self.kind](self.object, self.key)

    def found(self, value: Any) -> Any:
        """What who reads it finds where `value` stands in it: an attribute that an object has not got may be its class's."""
        if value is not MISSING or self.kind != "attribute":
            return value
        held = self.object
        bases = held.__mro__[1:] if isinstance(held, type) else type(held).__mro__
        inherited = next((vars(base)[self.key] for base in bases if self.key in vars(base)), MISSING)
        return MISSING if hasattr(type(inherited), "__get__") else inherited

    @property
    def unset(self) -> Exception | None:
        """What Python raises where nothing stands in it; None where code of the object's class may say something else."""
        kind = type(self.object)
        if self.kind == "item" and kind is dict:
            return KeyError(self.key)
        own = kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__")
        text = f"{kind.__name__!r} object has no attribute {self.key!r}"
        return AttributeError(text) if self.kind == "attribute" and own else None

    def set(self, value: Any) -> None:
        """Put a value in it, without a record."""
        WRITE[self.kind](self.object, self.key, value)


def stored_attribute(obj: Any, key: str) -> Any:
    """What an object itself holds under a name, in a slot of its class or of its own; MISSING: nothing."""
    own = hasattr(obj, "__dict__") and not isinstance(getattr(type(obj), key, None), MemberDescriptorType)
    if not own:
        return getattr(obj, key, MISSING)
    found = attributes_of(obj).get(key, MISSING)
    table = table_of(obj, key) if found is MISSING else None
    return found if table is None else table[key]


def _set_attribute(obj: Any, key: str, value: Any) -> None:
    table = table_of(obj, key)
    if table is not None:
        _set_item(table, key, value)
    elif value is not MISSING:
        (type if isinstance(obj, type) else object).__setattr__(obj, key, value)
    elif stored_attribute(obj, key) is not MISSING:
        (type if isinstance(obj, type) else object).__delattr__(obj, key)


def _set_cell(cell: CellType, key: Any, value: Any) -> None:
    if value is MISSING:
        del cell.cell_contents
    else:
        cell.cell_contents = value


def _get_item(obj: Any, key: Any) -> Any:
    if isinstance(obj, dict):
        return obj.get(key, MISSING)
    return MISSING if _shorter(obj, key) else obj[key]


def _set_item(obj: Any, key: Any, value: Any) -> None:
    if _shorter(obj, key) or (value is MISSING and isinstance(obj, list)):
        return  # its content is a slot of its own
    if value is MISSING:
        obj.pop(key, None)
    else:
        obj[key] = value


def _shorter(obj: Any, key: Any) -> bool:
    """Whether a list has lost the place of an item since it was written."""
    return isinstance(obj, list) and key >= len(obj)


def with_items(container: Any, items: list[tuple[Any, Any]]) -> Any:
    """A list or dictionary, with items written to it."""
    for key, value in items:
        _set_item(container, key, value)
    return container


READ: dict[str, Callable[[Any, Any], Any]] = {
    "proxy": lambda obj, key: obj.value,
    "base": lambda obj, key: obj.base,
    "attribute": stored_attribute,
    "item": _get_item,
    "cell": lambda obj, key: cell_content(obj, MISSING),
    "contents": lambda obj, key: contents_of(obj),
    "global": lambda obj, key: obj.get(key, MISSING),
    "mode": lambda obj, key: obj.mode,
}
WRITE: dict[str, Callable[[Any, Any, Any], None]] = {
    "proxy": lambda obj, key, value: obj.restore(value),
    "base": lambda obj, key, value: setattr(obj, "base", value),
    "attribute": _set_attribute,
    "item": _set_item,
    "cell": _set_cell,
    "contents": lambda obj, key, value: fill(obj, value),
    "global": _set_item,
    "mode": lambda obj, key, value: setattr(obj, "mode", value),
}


class Journal:
    """A stack of records, one for each open region."""

    def __init__(self) -> None:
        self.frames: list[dict[tuple, Slot]] = [{}]
        self.made = Made()
        self._since = [0]  # of each region, how much had been made before it
        self.links = Links(self.frames, self.made)  # of containers that may be others
        self.log: list[int] = []  # ids of what was written, or put back, but for tensors,
        self.overwritten: set[Any] = set()  # and what tensors held before they were
        self.writes = 0  # how many there were, of all kinds

    def record(
        self, obj: Any, key: Any = None, kind: str = "proxy", name: str = "", span: Any = None, everywhere: bool = False
    ) -> None:
        """Note that a slot is about to be written (at `span`); the first write in a region keeps the old value. `everywhere`: the
        same is written to whatever else the object may be. Raises where it may be another one, and that is not so; and where a function
        is captured by itself that writes to what was there before it."""
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
        else:
            self.log.append(ANYWHERE if kind == "global" or isinstance(obj, _WIDE) else id(obj))

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
        return by_items(_changed(written))

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


def by_items(written: list[tuple[Slot, Any]]) -> list[tuple[Slot, Any]]:
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
            items = [(Slot(slot.object, k, "item", str(k), old, slot.span), value[k]) for k, old in slot.object.items()]
            found += [(item, new) for item, new in items if item.old is not new]
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
    found: set[int] = set()
    stack = list(trees)
    while stack:
        item = stack.pop()
        if id(item) in found or isinstance(item, (Proxy, str, int, float, type(None))):
            continue
        if isinstance(item, (list, dict, tuple, set)):
            found.add(id(item))
            stack.extend(item.values() if isinstance(item, dict) else item)
        elif (
            hasattr(item, "__dict__")
            and not isinstance(item, (type, ModuleType, FunctionType))
            and not hasattr(type(item), "named_modules")
        ):
            found.add(id(item))
            stack.extend(vars(item).values())
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
