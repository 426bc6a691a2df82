"""NumPy as a device: the memory and the processor of the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.errors import DeviceError
from gfx_ir.program import Program
from gfx_ir.runtime.device import Executable, Rates
from gfx_ir.runtime.framework import FrameworkDevice
from gfx_ir.types import LogicalTensor

from .planned import compiled


class NumpyDevice(FrameworkDevice):
    """Arrays of the host. It shares memory with whoever takes it by DLPack."""

    rates = Rates(operations=2e9, bandwidth=2e10, call=1e-6, transfer=1e-6)

    def __init__(self, backend: Backend, which: Any) -> None:
        super().__init__(backend)
        if which not in ("", "cpu", "0"):
            raise DeviceError(f"NumPy has no device {which!r}", hint="it has one: numpy")

    def allocate(self, type_: LogicalTensor) -> Any:
        assert type_.dtype is not None and type_.dims is not None
        return empty(type_.dims, type_.strides, type_.dtype.numpy)

    def compile(self, program: Program, donated: Sequence[int]) -> Executable:
        return compiled(program, self.backend, donated)

    def share(self, x: Any) -> np.ndarray:
        return np.from_dlpack(x)


def empty(dims: Sequence[Any], strides: Sequence[Any] | None, dtype: Any) -> np.ndarray:
    """Memory by strides, in elements: as much as reaches from the first to the last element."""
    if strides is None:
        return np.empty(tuple(dims), dtype)
    reach = 1 + sum(step * (size - 1) for step, size in zip(strides, dims)) if 0 not in dims else 0
    flat = np.empty(reach, dtype)
    return np.lib.stride_tricks.as_strided(flat, tuple(dims), [step * flat.itemsize for step in strides])
