"""Guards: a trip that goes on within test after test, many deep, asks for the contrary and continues instead."""

from __future__ import annotations

import ast

from .logic import negate

_MOST = 4


def guarded(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a loop, in which tests that nothing follows stand one behind another where more would stand within each other."""
    if _depth(body) <= _MOST:
        return body
    written: list[ast.stmt] = []
    while _goes_on(body):
        *before, last = body
        assert isinstance(last, ast.If)
        guard = ast.If(negate(last.test), [ast.Continue()], [])
        guard.gfx_span = getattr(last, "gfx_span", None)  # type: ignore[attr-defined]
        written += [*before, guard]
        body = last.body
    return written + body


def _goes_on(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.If) and not body[-1].orelse


def _depth(body: list[ast.stmt]) -> int:
    depth = 0
    while _goes_on(body):
        body, depth = body[-1].body, depth + 1  # type: ignore[attr-defined]
    return depth
