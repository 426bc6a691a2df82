"""Faulty: a device that fails as it is told, to see what becomes of a call."""

from __future__ import annotations

import enum
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..applied import Applied
from ..errors import DeviceError
from ..types import LogicalTensor
from .device import Device
from .support import Support


class Fault(enum.Enum):
    """What goes wrong."""

    RAISES = enum.auto()
    MEMORY = enum.auto()
    SHAPE = enum.auto()
    DTYPE = enum.auto()
    HANGS = enum.auto()
    DIES = enum.auto()


class Faulty(Device):
    """Another device, which fails at the op with that number (from 0). `fault` DIES: it fails at whatever it is asked from then on.

    `seconds`: how long one that hangs does. `fault` and `at` may be set anew; `count` is how many ops it was given.
    """

    checked = True

    def __init__(self, inner: Device, fault: Fault | None, at: int = 0, seconds: float = 30.0) -> None:
        self.inner, self.fault, self.at, self.seconds = inner, fault, at, seconds
        self.name = f"faulty_{inner.name}"
        self.kind, self.promotion, self.simple, self.rates = inner.kind, inner.promotion, inner.simple, inner.rates
        self.count = 0
        self.dead = False
        self._lock = threading.Lock()

    def _alive(self) -> None:
        if self.dead:
            raise DeviceError(f"{self.name} is lost", hint="use another device")

    def holds(self, x: Any) -> bool:
        return self.inner.holds(x)

    def type_of(self, x: Any) -> LogicalTensor:
        return self.inner.type_of(x)

    def to_host(self, x: Any) -> np.ndarray:
        self._alive()
        return self.inner.to_host(x)

    def from_host(self, x: np.ndarray) -> Any:
        self._alive()
        return self.inner.from_host(x)

    def allocate(self, type_: LogicalTensor) -> Any:
        self._alive()
        return self.inner.allocate(type_)

    def supports(self, node: Applied) -> Support:
        return self.inner.supports(node)

    def eval(self, node: Applied, args: Sequence[Any], out: Sequence[Any] | None = None) -> Any:
        self._alive()
        with self._lock:
            now, self.count = self.count == self.at, self.count + 1
        if now and self.fault is not None:
            return self._fail(node, args, out)
        return self.inner.eval(node, args, out)

    def _fail(self, node: Applied, args: Sequence[Any], out: Sequence[Any] | None) -> Any:
        if self.fault is Fault.MEMORY:
            raise MemoryError(f"{self.name} has no memory for {node.op.name}")
        if self.fault is Fault.HANGS:
            time.sleep(self.seconds)
        self.dead = self.fault is Fault.DIES
        if self.fault in (Fault.RAISES, Fault.DIES):
            raise DeviceError(f"{self.name} failed at {node.op.name}")
        found = self.inner.to_host(self.inner.eval(node, args, out))
        if self.fault is Fault.SHAPE:
            found = np.concatenate([found.reshape(-1), found.reshape(-1)])
        return self.inner.from_host(found.astype(np.int32) if self.fault is Fault.DTYPE else found)
