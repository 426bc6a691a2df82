"""Code that is deeper than Python's stack: calls without end, and tests that stand each within the one before."""

from __future__ import annotations

import types

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.source import Scope, Span


def without_end(f: types.FunctionType, scope: Scope, span: Span | None) -> UnsupportedConstruct:
    """The error for calls without end: names the function that the chain of calls goes through most often."""
    calls: dict[object, int] = {f.__code__: 1}
    names: dict[object, tuple[str, Span | None]] = {f.__code__: (f.__name__, scope.site)}
    open_: Scope | None = scope
    while open_ is not None:
        calls[open_.key] = calls.get(open_.key, 0) + 1
        names[open_.key] = (open_.name, open_.site)
        open_ = open_.parent
    most = max(calls, key=calls.__getitem__)
    name, site = names[most]
    if calls[most] <= 2:  # of f itself both counts tell
        return nested(f.__name__, span)
    return UnsupportedConstruct(
        f"GFX cannot convert this recursion: {name!r} calls itself to a depth that is only known when the code runs",
        site, "write it as a loop",
    )  # fmt: skip


def nested(name: str, span: Span | None) -> UnsupportedConstruct:
    """The error for tests and loops within each other."""
    return UnsupportedConstruct(
        f"GFX cannot convert this: so many tests and loops of {name!r} stand each within the one before (behind an early return, too) "
        "that Python's stack is too short to capture them", span,
        "split it into several functions, or give Python a longer stack: sys.setrecursionlimit(10_000)",
    )  # fmt: skip
