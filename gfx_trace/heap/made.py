"""Allocation: which objects captured code made, and in which layer. What a region made for itself nothing outside can hold: writes to it need
not be undone, and what a capture made outlives the call only where the result has it."""

from __future__ import annotations

from typing import Any

from gfx_ir.errors import GfxError

WRITABLE = ("attribute", "item", "contents")
_OUTLIVING = frozenset((*WRITABLE, "global"))
"""What a function that writes is no function of the program for: its callers find it changed."""


class Outlives(GfxError):
    """A function that is captured by itself writes to what was there before it."""


class Made:
    """What was made since the capture began, in order."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[int, Any]] = {}  # by id, which stays its own as long as the object is held
        self.functions: list[int] = []  # of each function that is captured by itself, how much had been made before it

    def __len__(self) -> int:
        return len(self._found)

    def note(self, x: Any, of: Any = None) -> Any:
        """x, which was made just now, or stands for (or as a part) `of` another object, and counts as made when that was."""
        if of is None or id(of) in self._found:
            self._found.setdefault(id(x), (len(self._found) if of is None else self._found[id(of)][0], x))
        return x

    def as_if_with(self, x: Any, of: Any) -> None:
        """Let x, which was made later than `of`, count as made when that was: before the capture, where it is none of these."""
        found = self._found.get(id(of))
        self._found[id(x)] = -1 if found is None else found[0], x

    def has(self, key: int, mark: int = 0) -> bool:
        """Whether an object of this id was made when so many others had been, or later."""
        found = self._found.get(key)
        return found is not None and found[0] >= mark

    def check(self, x: Any, kind: str) -> None:
        """Before x is written in a function that is captured by itself. Raises Outlives where x was there before it."""
        if kind in _OUTLIVING and not self.since(x, self.functions[-1]):
            raise Outlives("a function that writes to what was there before it is a part of the code that calls it")

    def since(self, x: Any, mark: int = 0) -> bool:
        """Whether x was made when so many others had been, or later."""
        return self.has(id(x), mark)
