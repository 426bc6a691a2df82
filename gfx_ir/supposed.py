"""What code asks of open sizes while they are supposed to be those of an example: which are one size, a number, or on one side of a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar

from .bound import Bound


class Supposed:
    """`size`: the example's, by the name of a Dim, and `step`, how many of it the axis has that it tells. What was asked: `pairs` of names
    that are one size, `numbers`, of names that are one, and `bounds` within which the answers hold. `likely`: pairs, and sets of which one
    at least is a number, that what asked may do without, or that are more than was asked. `arrays`: names of what became an array, whose
    number code may ask for."""

    def __init__(self, size: Callable[[str], int | None], step: Callable[[str], int]) -> None:
        self.size, self.step = size, step
        self.pairs: dict[tuple[str, str], None] = {}
        self.numbers: set[str] = set()
        self.bounds: dict[str, Bound] = {}
        self.likely: tuple[dict[tuple[str, str], None], set[frozenset[str]]] = {}, set()
        self.arrays: set[str] = set()

    @property
    def empty(self) -> bool:
        """Whether nothing was asked."""
        return not (self.pairs or self.numbers or self.bounds or any(self.likely))

    def one_size(self, first: str, second: str, sure: bool) -> None:
        """Two sizes are asked to be one."""
        (self.pairs if sure else self.likely[0])[first, second] = None

    def number(self, names: Iterable[str], sure: bool) -> None:
        """Sizes are asked to be a number, be it together."""
        if sure:
            self.numbers.update(names)
        else:
            self.likely[1].add(frozenset(names))

    def within(self, name: str, bound: Bound) -> None:
        """A size is asked to lie on one side of a number, or to be a multiple of one."""
        self.bounds[name] = bound.met(self.bounds.get(name, Bound()))

    def divided(self, name: str) -> bool:
        """Whether a size was asked to be a multiple."""
        return name in self.bounds and self.bounds[name].step > 1


current: ContextVar[Supposed | None] = ContextVar("gfx_supposed", default=None)
"""That of the capture that runs; None: nothing is supposed."""
