"""The ends of use-def and def-use edges, what stands for an open end, and keys of graph attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .graph import Node, Value

UNBOUND = type("Unbound", (), {"__repr__": lambda self: "UNBOUND"})()
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
    """Key of a typed graph attribute, which passes leave for each other."""

    name: str
    type: type
