"""The record of a capture: what is known of each of its values, by the value that stands for it outside of all regions."""

from __future__ import annotations

from typing import Any

from gfx_ir.graph import Value

from .facts import Facts


class Record:
    """What Python has where a value stands, as far as that is more than the op tells which made it."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.told: dict[Value, str] = {}  # kinds of Python's numbers

    def tell(self, value: Any, kind: str) -> None:
        """Note that a value is a number of Python's of this kind; "": it is none."""
        if type(value) is not Value:
            return
        if kind:
            self.told[self.facts.root(value)] = kind
        else:
            self.told.pop(self.facts.root(value), None)

    def weak(self, value: Any) -> str:
        """The kind of the number of Python's that a value surely is, else ""."""
        return self.told.get(self.facts.root(value), "") if type(value) is Value else ""

    def copied(self, old: Value, new: Any) -> None:
        """A value stands for another one, which was made in a region: what is known of that holds of it."""
        kind = self.weak(old)
        if kind and type(new) is Value:
            self.tell(new, kind)
