"""Allocator: memory of an engine by how long it lives: for a call, until it is released, or as long as the engine."""

from __future__ import annotations

import enum
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import MemoryLimitError
from ..types import LogicalTensor
from .device import Device


class Lifetime(enum.Enum):
    """How long a buffer is held."""

    CALL = enum.auto()
    RELEASED = enum.auto()
    PERSISTENT = enum.auto()


def bytes_of(type_: LogicalTensor) -> int:
    """Bytes of a tensor of known dtype and dims, that lies dense."""
    size: Any = type_.size()
    return int(size) * type_.dtype.itemsize if type_.dtype is not None and isinstance(size, int) else 0


class Allocator:
    """Buffers of one device. What calls no longer use is kept and given out again, `spare` bytes of it at most. Thread-safe.

    `limit`: bytes that may be held at once (None: any); beyond it MemoryLimitError is raised. `used`, `peak`: bytes now, and at most.
    """

    def __init__(self, device: Device, limit: int | None = None, spare: int = 1 << 28) -> None:
        self.device, self.limit, self.spare = device, limit, spare
        self.used = self.peak = self.kept = 0
        self._free: dict[Hashable, list[Any]] = {}
        self._held: dict[int, tuple[Any, LogicalTensor, Lifetime]] = {}
        self._lock = threading.Lock()

    def take(self, type_: LogicalTensor, lifetime: Lifetime = Lifetime.RELEASED) -> Any:
        """Memory for a tensor. Raises MemoryLimitError."""
        size = bytes_of(type_)
        with self._lock:
            if self.limit is not None and self.used + size > self.limit:
                what = f"{size} bytes for {type_} on {self.device.name}, and {self.used} of {self.limit} are in use"
                raise MemoryLimitError(what, hint="release what is no longer needed, or allow more")
            spare = self._free.get(_key(type_))
            buffer = spare.pop() if spare else None
            self.kept -= size if buffer is not None else 0
            self.used += size
            self.peak = max(self.peak, self.used)
        try:
            made = self.device.allocate(type_) if buffer is None else buffer
        except BaseException:
            with self._lock:
                self.used -= size
            raise
        with self._lock:
            self._held[id(made)] = made, type_, lifetime
        return made

    def release(self, buffer: Any) -> None:
        """Take a buffer back; one that is held no longer is passed over."""
        with self._lock:
            found = self._held.pop(id(buffer), None)
            if found is None:
                return
            _, type_, _ = found
            size = bytes_of(type_)
            self.used -= size
            if self.kept + size <= self.spare:
                self.kept += size
                self._free.setdefault(_key(type_), []).append(buffer)

    @contextmanager
    def call(self) -> Iterator[Scope]:
        """The buffers of one call, which are taken back behind it, whatever happens."""
        scope = Scope(self)
        try:
            yield scope
        finally:
            for buffer in scope.taken:
                self.release(buffer)

    def close(self) -> None:
        """Forget every buffer."""
        with self._lock:
            self._held.clear()
            self._free.clear()
            self.used = self.kept = 0


class Scope:
    """What one call took."""

    def __init__(self, allocator: Allocator) -> None:
        self.allocator = allocator
        self.taken: list[Any] = []

    def take(self, type_: LogicalTensor) -> Any:
        """Memory until the call ends."""
        made = self.allocator.take(type_, Lifetime.CALL)
        self.taken.append(made)
        return made


def _key(type_: LogicalTensor) -> Hashable:
    return type_.dtype, type_.dims, type_.strides, type_.layout
