"""Typed attributes of graphs, which passes leave for each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Attribute:
    """Key of an attribute.

    `derived`: it follows from what the graph computes, so that an edit makes it stale; a pass says what it preserves.
    `of_nodes`: it knows nodes or values of the very program that has it, so that a copy goes without it where it is lent.
    """

    name: str
    type: type
    derived: bool = False
    of_nodes: bool = False


class Attributed:
    """What has attributes. Those that it owns are copied and saved with it; those that it was lent are another's."""

    __slots__ = ("own_attributes", "lent_attributes")

    def __init__(self) -> None:
        self.own_attributes: dict[Attribute, Any] = {}
        self.lent_attributes: dict[Attribute, Any] = {}

    def has(self, key: Attribute) -> bool:
        """Whether a pass has left this attribute."""
        return key in self.own_attributes or key in self.lent_attributes

    def get(self, key: Attribute) -> Any:
        """The attribute. Raises KeyError where it was never set."""
        return self.own_attributes[key] if key in self.own_attributes else self.lent_attributes[key]

    def set(self, key: Attribute, value: Any) -> None:
        """Leave an attribute for later passes, which copies and files keep. Raises TypeError where it is not of the key's type."""
        self._keep(self.own_attributes, key, value)

    def set_not_owned(self, key: Attribute, value: Any) -> None:
        """Lend an attribute: copies share it, if it knows no nodes, files leave it out. Raises TypeError where it is not of the key's type."""
        self._keep(self.lent_attributes, key, value)

    def _keep(self, where: dict[Attribute, Any], key: Attribute, value: Any) -> None:
        if not isinstance(value, key.type):
            raise TypeError(f"attribute {key.name!r} is a {key.type.__name__}, not a {type(value).__name__}")
        self.drop(key)
        where[key] = value

    def drop(self, key: Attribute) -> None:
        """Forget an attribute, where it is there."""
        self.own_attributes.pop(key, None)
        self.lent_attributes.pop(key, None)
