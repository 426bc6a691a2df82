"""Marks of the text form: `_after=` the effect that a node stands after, `_waits=` the nodes that it waits for, `_device=` its device.

Effects are told apart by their number in their graph; the one before goes without saying, -1 is none. What a node waits for is
named by its first value, or where it gives none by its place among the nodes of the graph.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from .control import is_given
from .textconst import fail

MARKS = ("_after", "_waits", "_device")


class Written:
    """The marks of the nodes of one graph, in order. `names` are those of values."""

    def __init__(self, names: Mapping[Any, str]) -> None:
        self.names = names
        self.effects: dict[Any, int] = {None: -1}
        self.places: dict[Any, int] = {}

    def marks(self, node: Any) -> list[str]:
        """Those of the next node."""
        usual, found = next(reversed(self.effects)) if node.op.effect else None, []
        if node.after is not usual:
            after = f"{self.effects[node.after]}" if node.after in self.effects else "opaque('after')"
            found.append(f"_after={after}")
        if node.waits:
            found.append(f"_waits=({', '.join(map(self._waited, node.waits))},)")
        if node.device:
            found.append(f"_device={node.device!r}")
        if node.op.effect:
            self.effects[node] = len(self.effects) - 1
        self.places[node] = len(self.places)
        return found

    def _waited(self, node: Any) -> str:
        if node not in self.places:
            return "opaque('waits')"
        return self.names[node.values[0]] if node.values else str(self.places[node])


class Marks:
    """The nodes of one graph that were read, and what marks say of the next one."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.effects: list[Any] = []

    def give(self, at: ast.expr, node: Any, marks: Mapping[str, Any]) -> None:
        """Tell a node what it stands after and waits for. Raises FormatError where that is no node before it."""
        node.after = self.effects[-1] if node.op.effect and self.effects else None
        if "_after" in marks:
            node.after = self._effect(at, marks["_after"])
        waits = marks.get("_waits", ())
        if type(waits) is not tuple:
            fail(at, "_waits is a tuple")
        node.waits = tuple([self._waited(at, given) for given in waits])
        node.device = marks.get("_device", "")
        if type(node.device) is not str:
            fail(at, "_device is the name of a device")
        self.nodes.append(node)
        if node.op.effect:
            self.effects.append(node)

    def _effect(self, at: ast.expr, number: Any) -> Any:
        if type(number) is not int or not -1 <= number < len(self.effects):
            fail(at, f"there is no effect {number} before this one")
        return self.effects[number] if number >= 0 else None

    def _waited(self, at: ast.expr, given: Any) -> Any:
        found = getattr(given, "node", None) if type(given) is not int else _at(self.nodes, given)
        if found is None or found.graph is None or is_given(found):
            fail(at, "a node waits for others of its graph, by the names of their values or by their places")
        return found


def _at(nodes: Sequence[Any], place: int) -> Any:
    return nodes[place] if 0 <= place < len(nodes) else None
