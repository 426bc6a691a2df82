"""Engine: a device with its context: what was compiled for it, persistent buffers, memory, streams."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path
from typing import Any

from .allocator import Allocator
from .cache import Cache
from .device import Device
from .devices import device, of_handle
from .stream import Attributes, Stream
from .transfer import moved


class Engine:
    """`Engine("torch")`: GFX owns the handle. `Engine.from_torch(torch.device("cpu"))`: the framework does, and closing the engine
    leaves it alone.

    `shared`: work of other engines of the same runtime is ordered by that runtime, without the host. `memory_limit`: bytes of
    buffers at once. `deterministic`: what is computed is the same each time. `disk`: a folder where compiled code is kept for
    other processes, of devices whose framework can do that (JAX).
    """

    def __init__(
        self, on: Device | str = "reference", *, deterministic: bool = False, cache: int = 256, memory_limit: int | None = None,
        owned: bool = True, disk: str | Path | None = None,
    ) -> None:  # fmt: skip
        self.device = device(on) if isinstance(on, str) else on
        self.deterministic, self.owned = deterministic, owned
        self.cache: Cache[Any] = Cache(cache)
        self.allocator = Allocator(self.device, memory_limit)
        self.persistent: dict[Any, Any] = {}
        self.closed = False
        self._written = 0
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        self._lock = threading.Lock()
        if disk is not None:
            self.device.keep_compiled(Path(disk))

    @classmethod
    def from_torch(cls, handle: Any, **options: Any) -> Engine:
        """The engine of a torch.device that its framework owns."""
        return cls(of_handle("torch", handle), owned=False, **options)

    @classmethod
    def from_jax(cls, handle: Any, **options: Any) -> Engine:
        """The engine of a jax.Device that its framework owns."""
        return cls(of_handle("jax", handle), owned=False, **options)

    # ------------------------------------------------------------------ what it is
    @property
    def engine_kind(self) -> str:
        """ "cpu", "cuda", or what else its runtime calls it."""
        return self.device.kind

    @property
    def device_id(self) -> int:
        """Its number among devices of its kind."""
        return self.device.index

    @property
    def handle(self) -> Any:
        """What its framework calls the device; None for one that only GFX knows."""
        return self.device.handle

    @property
    def shared(self) -> bool:
        """Whether its runtime is also at work for others, and orders their work with its own."""
        return bool(self.device.runtime)

    # ------------------------------------------------------------------ work and memory
    def stream(self, **attributes: Any) -> Stream:
        """A new queue of work: `threads`, `pool`, `depth` (see Attributes)."""
        made = Stream(self.device, Attributes(**attributes), self.deterministic)
        with self._lock:
            self._streams.add(made)
        return made

    def keep(self, key: Any, x: Any, source: Device) -> Any:
        """Data on this device for as long as the engine lives, moved there once, and again where it was written since."""
        if source is self.device:
            return x
        with self._lock:
            found, version = self.persistent.get(key), self.version(x, source)
            if found is None or found[0] is not x or found[1] != version:
                found = self.persistent[key] = x, version, moved(x, source, self.device)
            return found[2]

    def version(self, x: Any, source: Device) -> Any:
        """Another one for data that was written since: its device tells, or whoever wrote it (see `written`)."""
        found = source.version(x)
        return ("told", self._written) if found is None else found

    def written(self) -> None:
        """Tell that data was written whose device keeps no account of that: what is kept of it is moved again."""
        with self._lock:
            self._written += 1

    def close(self) -> None:
        """End its streams, work in flight included, and forget what it holds."""
        for stream in list(self._streams):
            stream.close(cancel=True)
        self.closed = True
        self.cache.clear()
        self.allocator.close()
        self.persistent.clear()
        if self.owned:
            self.device.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Engine {self.device.name}: {self.engine_kind} {self.device_id}>"
