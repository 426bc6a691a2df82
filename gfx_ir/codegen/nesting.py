"""Blocks within blocks: what goes into what it holds is a generator, so that none waits for another on Python's own stack."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

Nested = Generator["Nested", Any, Any]
"""Yields what it waits for, one at a time, is sent what that returned, and returns its own."""


def run(work: Nested) -> Any:
    """What it returns, whatever it waits for."""
    stack, given = [work], None
    while stack:
        try:
            inner = stack[-1].send(given)
        except StopIteration as done:
            stack.pop()
            given = done.value
        else:
            stack.append(inner)
            given = None
    return given
