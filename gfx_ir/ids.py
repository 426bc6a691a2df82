"""Ids of nodes and values: a number for each, which copies, files and partitions keep."""

from __future__ import annotations

import itertools
import threading


class Ids:
    """Hands out numbers, none twice. What a file brings is set aside: what is made later has others."""

    __slots__ = ("_count", "_lock")

    def __init__(self) -> None:
        self._count = itertools.count(1)
        self._lock = threading.Lock()

    def fresh(self) -> int:
        """A number that nothing has yet. Safe to share between threads."""
        return next(self._count)

    def reserve(self, largest: int) -> None:
        """Let numbers up to this one be taken."""
        with self._lock:
            self._count = itertools.count(max(next(self._count), largest + 1))


IDS = Ids()
