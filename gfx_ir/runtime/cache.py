"""Cache of what is compiled: the least recently used goes, equal requests at once are made once. Thread-safe."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass
class Statistics:
    """What a cache did: requests that found something, that made it, that waited for another one's, and what was given up."""

    hits: int = 0
    misses: int = 0
    waits: int = 0
    evictions: int = 0


class _Slot:
    """What one request makes, and others wait for."""

    __slots__ = ("done", "value", "error")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None


class Cache(Generic[T]):
    """At most `limit` entries."""

    def __init__(self, limit: int = 256) -> None:
        if limit < 1:
            raise ValueError(f"a cache holds one entry at least, not {limit}")
        self.limit = limit
        self.statistics = Statistics()
        self._entries: OrderedDict[Hashable, T] = OrderedDict()
        self._making: dict[Hashable, _Slot] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The entry of that key, made where it is missing. What `make` raises is raised to all who wait for it, and not kept."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
                self.statistics.hits += 1
                return found
            slot = self._making.get(key)
            own = slot is None
            if slot is None:
                slot = self._making[key] = _Slot()
                self.statistics.misses += 1
            else:
                self.statistics.waits += 1
        return self._make(key, slot, make) if own else self._wait(slot)

    def _make(self, key: Hashable, slot: _Slot, make: Callable[[], T]) -> T:
        try:
            slot.value = made = make()
        except BaseException as error:
            slot.error = error
            raise
        else:
            with self._lock:
                self._entries[key] = made
                while len(self._entries) > self.limit:
                    self._entries.popitem(last=False)
                    self.statistics.evictions += 1
            return made
        finally:
            with self._lock:
                del self._making[key]
            slot.done.set()

    def _wait(self, slot: _Slot) -> T:
        slot.done.wait()
        if slot.error is not None:
            raise slot.error
        return slot.value  # type: ignore[no-any-return]

    def clear(self) -> None:
        """Give up every entry."""
        with self._lock:
            self._entries.clear()
