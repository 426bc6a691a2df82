"""Parameters: data of a partition's parameters on its engine, brought there again where it was written since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..runtime.devices import usable_now
from ..runtime.engine import Engine
from ..runtime.transfer import holder


class Parameters:
    """`data`: by path, wherever it lies. What the engine's device holds already is used as it is. Shared between threads."""

    def __init__(self, data: Mapping[str, Any], engine: Engine) -> None:
        self.engine = engine
        devices = (engine.device, *usable_now())
        self._data = {path: (x, holder(x, devices) or engine.device) for path, x in data.items()}
        self._moved = [found for found in self._data.values() if found[1] is not engine.device]
        self._seen, self._now = self._read()

    def _read(self) -> tuple[list[Any], Mapping[str, Any]]:
        seen = self._versions()
        return seen, {path: self.engine.keep((path, id(x)), x, home) for path, (x, home) in self._data.items()}

    def _versions(self) -> list[Any]:
        return [self.engine.version(x, home) for x, home in self._moved]

    def now(self) -> Mapping[str, Any]:
        """By path, on the engine's device; the same mapping until something is written."""
        if self._moved and self._versions() != self._seen:
            self._seen, self._now = self._read()
        return self._now
