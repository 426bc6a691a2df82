"""The ends of use-def and def-use edges, what stands for an open end, and keys of graph attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .graph import Node, Value


class _Unbound:
    """The class of UNBOUND, of which there is one, in copies too."""

    def __repr__(self) -> str:
        return "UNBOUND"

    def __reduce__(self) -> str:
        return "UNBOUND"


UNBOUND = _Unbound()
"""Stands for an input of a node that is bound later."""


class Input(NamedTuple):
    """The using end of an edge: the node, which of its inputs, and what is bound there."""

    node: Node
    position: int
    value: Any

    def bind(self, value: Any) -> None:
        """Bind another value to this input."""
        self.node.set_input(self.position, value)


class Output(NamedTuple):
    """The defining end of an edge: a value (None for the state-change signal, output 0) and its users."""

    node: Node
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks an edge for
    value: Value | None

    def users(self) -> list[Input]:
        """Every input that takes it."""
        if self.index == 0:
            return [Input(n, -1, self) for n in _tokens_of(self.node)]
        return [i for n in self.value.uses for i in n.inputs if i.value is self.value] if self.value else []


def _tokens_of(node: Node) -> Iterator[Node]:
    return (n for n in (node.graph or ()) if n.after is node)


@dataclass(frozen=True)
class Attribute:
    """Key of a typed graph attribute, which passes leave for each other.

    `derived`: it follows from what the graph computes, so that an edit makes it stale; a pass says what it preserves.
    """

    name: str
    type: type
    derived: bool = False


class Attributes:
    """The attributes of one graph. What is owned is copied and saved with it; what is borrowed is another's."""

    __slots__ = ("owned", "borrowed")

    def __init__(self) -> None:
        self.owned: dict[Attribute, Any] = {}
        self.borrowed: dict[Attribute, Any] = {}

    def has(self, key: Attribute) -> bool:
        """Whether it is there."""
        return key in self.owned or key in self.borrowed

    def get(self, key: Attribute) -> Any:
        """The attribute. Raises KeyError where it was never set."""
        return self.owned[key] if key in self.owned else self.borrowed[key]

    def set(self, key: Attribute, value: Any, owned: bool) -> None:
        """Keep it. Raises TypeError where it is not of the key's type."""
        if not isinstance(value, key.type):
            raise TypeError(f"attribute {key.name!r} is a {key.type.__name__}, not a {type(value).__name__}")
        self.erase(key)
        (self.owned if owned else self.borrowed)[key] = value

    def erase(self, key: Attribute) -> None:
        """Forget it, where it is there."""
        self.owned.pop(key, None)
        self.borrowed.pop(key, None)

    def keys(self) -> list[Attribute]:
        """Every attribute that is there."""
        return [*self.owned, *self.borrowed]
