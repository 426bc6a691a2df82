"""Loops whose test assigns or writes: what it leaves is seen behind the loop, so it runs before the loop and ends the body."""

from __future__ import annotations

from typing import Any

from gfx_ir.graph import Value

from ..interfaces import Capturing
from ..values.access import Access, Stop


def rotated(tracer: Capturing, test: Any, body: Any, access: Access, stop: Stop | None) -> tuple[Any, Any, Access]:
    """Run the test once; test, body and access of the loop that is left, whose test asks one more variable."""
    running: list[Any] = [False]
    asking = access.beside("running", lambda: running[0], lambda value: running.__setitem__(0, value))

    def end() -> None:
        running[0] = False

    def again() -> None:
        running[0] = tracer.truths.bool_(test())

    def advance() -> None:
        done = False if stop is None else tracer.truths.truth(stop())
        if isinstance(done, Value):
            tracer.regions.branch(done, end, again, asking, "")
        elif done:
            end()
        else:
            again()

    def trip() -> None:
        body()
        advance()

    advance()
    return (lambda: running[0]), trip, asking
