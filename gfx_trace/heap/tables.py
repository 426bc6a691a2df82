"""Attribute dictionaries: `vars(x)` and `x.__dict__` are the attributes of x, and a write to them is one to these."""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

from .made import Made


class Tables:
    """The attribute dictionaries that captured code has asked objects for."""

    def __init__(self, made: Made) -> None:
        self._made = made
        self._owners: dict[int, tuple[dict[str, Any], Any]] = {}  # by id, which stays its own as long as it is held
        self._tables: dict[int, int] = {}  # their ids by those of the objects

    def shown(self, table: Any, owner: Any) -> None:
        """The code got the attribute dictionary of an object: it is as old as that."""
        if type(table) is dict and table is not owner:
            self._made.note(table, owner)
            self._owners[id(table)] = table, owner
            self._tables[id(owner)] = id(table)

    def owner(self, x: Any) -> Any:
        """Whose attributes a dictionary holds; anything else as it is."""
        found = self._owners.get(id(x)) if self._owners else None
        return x if found is None else found[1]

    def ids(self, x: Any) -> list[int]:
        """The ids by which code may come to what is written: those of an object and of its attribute dictionary."""
        owner = self.owner(x)
        table = self._tables.get(id(owner))
        return [id(x)] if table is None else [id(owner), table]

    def place(self, x: Any, key: Any, kind: str) -> tuple[Any, Any, str]:
        """(object, key, kind) of what is written, where that is an item of an attribute dictionary: the attribute."""
        owner = self.owner(x) if kind == "item" and isinstance(key, str) else x
        if owner is x or isinstance(getattr(type(owner), key, None), MemberDescriptorType):
            return x, key, kind
        return owner, key, "attribute"
