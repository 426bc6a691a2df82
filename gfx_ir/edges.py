"""The ends of use-def and def-use edges, and what stands for an open end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol


class _Unbound:
    """The class of UNBOUND, of which there is one, in copies too."""

    def __repr__(self) -> str:
        return "UNBOUND"

    def __reduce__(self) -> str:
        return "UNBOUND"


UNBOUND = _Unbound()
"""Stands for an input of a node that is bound later."""


class Joint(Protocol):
    """What an edge asks of the node at its end."""

    @property
    def inputs(self) -> list[Input]:
        """Its inputs that are bound to values or unbound."""

    @property
    def after(self) -> Joint | None:
        """The node whose state-change signal it takes."""

    @property
    def waits(self) -> tuple[Joint, ...]:
        """The nodes whose signals it takes beside that: control dependencies."""

    @property
    def graph(self) -> Iterable[Joint] | None:
        """The nodes among which it stands."""

    def set_input(self, position: int, value: Any) -> None:
        """Bind another value to the input at `position` of `inputs`."""


class Defined(Protocol):
    """What an edge asks of the value that it carries."""

    @property
    def uses(self) -> Iterable[Joint]:
        """The nodes that take it."""


class Input(NamedTuple):
    """The using end of an edge: the node, which of its inputs, and what is bound there."""

    node: Joint
    position: int
    value: Any

    def bind(self, value: Any) -> None:
        """Bind another value to this input."""
        self.node.set_input(self.position, value)


class Output(NamedTuple):
    """The defining end of an edge: a value (None for the state-change signal, output 0) and its users."""

    node: Joint
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks an edge for
    value: Defined | None

    def users(self) -> list[Input]:
        """Every input that takes it."""
        if self.index == 0:
            return [Input(n, -1, self) for n in _tokens_of(self.node)]
        return [i for n in self.value.uses for i in n.inputs if i.value is self.value] if self.value else []


def _tokens_of(node: Joint) -> Iterator[Joint]:
    return (n for n in (node.graph or ()) if n.after is node or node in n.waits)
