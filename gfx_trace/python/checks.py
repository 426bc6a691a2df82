"""Checks that raise Python's own errors, at capture where that is known, else when the emitted code runs."""

from __future__ import annotations

import builtins
from typing import Any

from gfx_ir import ops

from ..interfaces import Capturing


def checked(tracer: Capturing, test: Any, message: Any, error: str) -> None:
    """Raise a builtin error where a test does not hold."""
    found = tracer.truths.truth(test)
    if found is not True:
        tracer.raising.let_out("index", getattr(builtins, error)())
        ops.check(found, message, error)
        tracer.facts.assume(found, True)


def check_place(tracer: Capturing, size: Any, key: Any) -> None:
    """Where a handler may wait for it: the IndexError of a place at which a list of so many items has none."""
    if tracer.raising.handlers:
        there = tracer.truths.and_(size > key, [lambda: size >= -key])
        checked(tracer, there, "list index out of range", "IndexError")
