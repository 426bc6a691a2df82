"""Loops whose test assigns or writes: what it leaves is seen behind the loop, so it runs before the loop and ends the body."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any

from gfx_ir.graph import Value

from .interfaces import Capturing


def rotated(
    tracer: Capturing, test: Any, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """Run the test once; (test, body, get, set, names) of the loop that is left, whose test asks one more variable."""
    running: list[Any] = [False]

    @wraps(get)
    def get_all() -> tuple:
        return (*get(), running[0])

    def set_all(values: tuple) -> None:
        set_(values[:-1])
        running[0] = values[-1]

    def end() -> None:
        running[0] = False

    def again() -> None:
        running[0] = tracer.truths.bool_(test())

    def advance() -> None:
        done = False if stop is None else tracer.truths.truth(stop())
        if isinstance(done, Value):
            tracer.regions.branch(done, end, again, get_all, set_all, (*names, "running"), "")
        elif done:
            end()
        else:
            again()

    def trip() -> None:
        body()
        advance()

    advance()
    return (lambda: running[0]), trip, get_all, set_all, (*names, "running")
