"""NumPy as a device: the memory and the processor of the host."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.dtypes import DTYPES
from gfx_ir.errors import DeviceError
from gfx_ir.program import Program
from gfx_ir.runtime.device import Executable, Rates
from gfx_ir.runtime.framework import HostDevice

from .fused import Fuser
from .planned import compiled
from .workers import Workers

_KNOWN = frozenset(found.numpy for found in DTYPES.values())


class NumpyDevice(HostDevice):
    """Arrays of the host. It shares memory with whoever takes it by DLPack. `numpy:numba`: Numba makes one loop of a chain of
    elementwise ops, at about half a second for each that is new (the extra `numba`)."""

    rates = Rates(operations=2e9, bandwidth=2e10, call=1e-6, transfer=1e-6)

    def __init__(self, backend: Backend, which: Any) -> None:
        super().__init__(backend)
        if which not in ("", "cpu", "0", "numba"):
            raise DeviceError(f"NumPy has no device {which!r}", hint="it has one: numpy, or numpy:numba")
        self.workers, self.fuser = Workers(), Fuser() if which == "numba" else None
        if self.fuser is not None:
            self.name = f"{backend.name}:{which}"

    def holds(self, x: Any) -> bool:
        return isinstance(x, (np.ndarray, np.generic)) and x.dtype in _KNOWN

    def compile(self, program: Program, donated: Sequence[int]) -> Executable:
        return compiled(program, self.backend, donated, self.workers, self.fuser)

    def settings(self, threads: int | None, deterministic: bool) -> AbstractContextManager[None]:
        return self.workers.limited(threads)

    def share(self, x: Any) -> np.ndarray:
        return np.from_dlpack(x)
