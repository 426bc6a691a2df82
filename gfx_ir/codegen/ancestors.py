"""What holds of a value where it holds of all that the value comes from: walked once, and remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..graph import Value
from .liveness import Liveness


class Ancestors:
    """`sources` gives, for a value, the values that decide, an answer of its own, or None where others than all decide.

    What a loop makes of itself alone says nothing. Answers are kept as long as no value stands for another one than before;
    `found` is room for more that is known as long as they are.
    """

    def __init__(self, liveness: Liveness, sources: Callable[[Value], Sequence[Value] | bool | None]) -> None:
        self.liveness, self.sources = liveness, sources
        self.found: dict[Value, Any] = {}
        self._known: dict[Value, bool] = {}
        self._changes = liveness.changes

    def all(self, root: Value) -> bool | None:
        """The answer for a value; None where it is not for all of its ancestors to decide."""
        if self._changes != self.liveness.changes:
            self._changes = self.liveness.changes
            self._known.clear()
            self.found.clear()
        came: dict[Value, Value | None] = {root: None}
        todo, mixed = [root], False
        while todo:
            value: Value | None = todo.pop()
            assert value is not None
            sources = self._known[value] if value in self._known else self.sources(value)
            if sources is False:  # so it is for all on the way here
                while value is not None:
                    self._known[value] = False
                    value = came[value]
                return False
            mixed = mixed or sources is None
            for leaf in sources if sources and sources is not True else ():
                source = self.liveness.resolve(leaf)
                if type(source) is Value and source not in came:
                    came[source] = value
                    todo.append(source)
        if not mixed:
            self._known.update(dict.fromkeys(came, True))
        return None if mixed else True
