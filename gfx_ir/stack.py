"""Python's call stack, made longer for code and regions that nest deep: as much as these need, and no more.

A call without end still comes to an end: it grows with every call, and what is added here with what one function nests.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_MOST = 12_000
"""How many calls the C stack of a process (8 MB) has room for."""


@contextmanager
def longer(calls: int) -> Iterator[None]:
    """Room for so many more calls within each other, as far as the C stack has it."""
    added = lengthen(calls)
    try:
        yield
    finally:
        shorten(added)


def lengthen(calls: int) -> int:
    """Make room for so many more calls, as far as the C stack has it; gives for how many, which `shorten` takes back."""
    limit = sys.getrecursionlimit()
    added = max(0, min(calls, _MOST - limit))
    sys.setrecursionlimit(limit + added)
    return added


def shorten(added: int) -> None:
    """Take back the room for so many calls."""
    sys.setrecursionlimit(sys.getrecursionlimit() - added)
