"""Recursion: calls of a function within each other, and which of them only a test or loop on what is open ends."""

from __future__ import annotations

import types
from typing import Any, NamedTuple

from gfx_ir.errors import CaptureError
from gfx_ir.host import Dim, DimLike, Expr, bounds, sub
from gfx_ir.types import LogicalTensor

from ..interfaces import Capturing
from .profiles import Profile
from .signatures import Given, NoCall

_MOST = 64
"""How many calls of a function stand in each other, each under a test or loop on what is open in the one before, before that has no end."""


class _Call(NamedTuple):
    """A call whose body runs. Before it there were so many `tests` and loops on what is open around, writes in the journal's log, and
    objects that the capture had made."""

    tests: int
    writes: int
    made: int
    given: tuple[types.FunctionType, tuple, dict]


class Recursion:
    """The calls of a capture whose bodies run."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self._calls: dict[types.CodeType, list[_Call]] = {}

    def entered(self, f: types.FunctionType, args: tuple, kwargs: dict) -> list[_Call]:
        """Note that the body of a call of f begins; gives the calls of f that have begun, of which the last one goes where it ends."""
        journal = self.tracer.journal
        calls = self._calls.setdefault(f.__code__, [])
        calls.append(_Call(self._tests(), len(journal.log), len(journal.made), (f, args, kwargs)))
        return calls

    def is_open(self, f: types.FunctionType, args: tuple, kwargs: dict) -> bool:
        """Whether only a test or loop on what is open ends the calls of f within each other: one is given the same as the one around it
        but for what is open, and what the code can ask is as it was; or there are very many."""
        calls, tests = self._calls.get(f.__code__), self._tests()
        if not calls or calls[-1].tests == tests:
            return False
        if tests - calls[0].tests > _MOST:
            return True
        last = calls[-1]
        if self.tracer.journal.written(last.writes, last.made):
            return False
        profiles = self.tracer.functions.profiles
        try:
            return _Alike().are(
                Given(self.tracer, profiles, *last.given).key, Given(self.tracer, profiles, f, args, kwargs).key
            )
        except (NoCall, CaptureError):
            return False

    def _tests(self) -> int:
        """How many tests and loops on what is open are around."""
        return len(self.tracer.journal.frames) - len(self.tracer.journal.made.functions)


class _Alike:
    """Whether two calls are given the same but for open sizes, of which the same is known: how far each is open, and what it has more than
    the first one."""

    def __init__(self) -> None:
        self._first: tuple[DimLike, DimLike] | None = None

    def are(self, a: Any, b: Any) -> bool:
        if type(a) is not type(b) and not (isinstance(a, (Dim, Expr)) and isinstance(b, (Dim, Expr))):
            return False
        if isinstance(a, tuple):
            return len(a) == len(b) and all(map(self.are, a, b))
        if isinstance(a, Profile):
            return self.are(a.told, b.told)
        if isinstance(a, LogicalTensor):
            return a.with_(dims=None) == b.with_(dims=None) and self.are(a.dims, b.dims)
        return self._sizes(a, b) if isinstance(a, (Dim, Expr)) else bool(a == b)

    def _sizes(self, a: DimLike, b: DimLike) -> bool:
        if self._first is None:
            self._first = a, b
        more = [sub(size, first) for size, first in zip((a, b), self._first)]
        apart = more[0] != more[1] and int in map(type, more)
        return not apart and bounds(a, empty=True) == bounds(b, empty=True)
