"""Slots: the places that captured code can write, how each is read, set and called.

A slot is (object, key): a Proxy's value (key None), an attribute, an item, a list's length, the cell of a nonlocal
variable, the gradient mode.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, NamedTuple

from gfx_ir.probing import cell_content

from .contents import attributes_of, contents_of, fill, table_of

MISSING = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


class Replaced(NamedTuple):
    """An array that calls replace: what it is called among the parameters, what stood there before (`before`: a number, None or itself), and
    the type of the number that it stands for, if it stands for one. `there`: an array that tells whether it is there, where None stands
    until a call sets it."""

    name: str
    before: Any
    number: type | None = None
    there: Any = None


class Slot:
    """Something that captured code can write: how to read it, set it, and what it is called."""

    __slots__ = ("object", "key", "kind", "name", "old", "span")
    of: Slot | None = None  # the slot in which a part of a tuple stands

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
    if key == "__dict__":
        return obj.__dict__
    own = hasattr(obj, "__dict__") and not isinstance(getattr(type(obj), key, None), MemberDescriptorType)
    if not own:
        return getattr(obj, key, MISSING)
    found = attributes_of(obj).get(key, MISSING)
    table = table_of(obj, key) if found is MISSING else None
    return found if table is None else table[key]


def _set_attribute(obj: Any, key: str, value: Any) -> None:
    table = attributes_of(obj) if _hides(type(obj), key) else table_of(obj, key)
    if key == "__dict__" and not isinstance(obj, type):
        obj.__dict__ = value
    elif table is not None:
        _set_item(table, key, value)
    elif value is not MISSING:
        (type if isinstance(obj, type) else object).__setattr__(obj, key, value)
    elif stored_attribute(obj, key) is not MISSING:
        (type if isinstance(obj, type) else object).__delattr__(obj, key)


def _hides(kind: type, key: str) -> bool:
    """Whether code of a class gives an attribute that an object may hold under the same name."""
    held = type(getattr(kind, key, None))
    return hasattr(held, "__set__") and held not in (MemberDescriptorType, GetSetDescriptorType)


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
