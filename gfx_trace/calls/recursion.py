"""Recursion: calls of a function within each other, and which of them only a test or loop on what is open ends."""

from __future__ import annotations

import types
from typing import NamedTuple

from gfx_ir.errors import CaptureError

from ..interfaces import Capturing
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
            return bool(
                Given(self.tracer, profiles, *last.given).key == Given(self.tracer, profiles, f, args, kwargs).key
            )
        except (NoCall, CaptureError):
            return False

    def _tests(self) -> int:
        """How many tests and loops on what is open are around."""
        return len(self.tracer.journal.frames) - len(self.tracer.journal.made.functions)
