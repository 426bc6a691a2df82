"""Ids of nodes and values: a number for each that is asked for it, which copies, files and partitions keep."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable
from typing import Any


class Ids:
    """Hands out numbers, none twice. What a file brings is set aside: what is made later has others."""

    __slots__ = ("_count", "_lock")

    def __init__(self) -> None:
        self._count = itertools.count(1)
        self._lock = threading.Lock()

    def of(self, x: Any) -> int:
        """The number of a node or value, a fresh one at first. Safe to share between threads."""
        with self._lock:
            if not hasattr(x, "_id"):
                x._id = next(self._count)
        return x._id  # type: ignore[no-any-return]

    def of_each(self, things: Iterable[Any]) -> None:
        """See that each of these nodes and values has one."""
        with self._lock:
            for x in things:
                if not hasattr(x, "_id"):
                    x._id = next(self._count)

    def reserve(self, largest: int) -> None:
        """Let numbers up to this one be taken."""
        with self._lock:
            self._count = itertools.count(max(next(self._count), largest + 1))


IDS = Ids()


class Id:
    """The attribute of a node or value: its number, from `IDS` when it is asked for first."""

    def __get__(self, x: Any, owner: type | None = None) -> int:
        try:
            return x._id  # type: ignore[no-any-return]
        except AttributeError:
            return IDS.of(x)

    def __set__(self, x: Any, number: int) -> None:
        x._id = number
