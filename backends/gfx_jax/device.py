"""JAX's devices: all that the process has, by their numbers (several of the host by an XLA flag)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.experimental.compilation_cache import compilation_cache

from gfx_ir.applied import Applied
from gfx_ir.backend import Backend
from gfx_ir.errors import DeviceError
from gfx_ir.program import Program
from gfx_ir.runtime.device import Device, Executable, Rates
from gfx_ir.runtime.framework import FrameworkDevice
from gfx_ir.runtime.support import Support, no
from gfx_ir.strides import Extent

from .compiled import compiled
from .jitted import needs_data


class JaxDevice(FrameworkDevice):
    """One device of JAX. What it compiles is traced, so that nothing in it sees data."""

    traced = True
    rates = Rates(operations=3e10, bandwidth=1e10, call=2e-5, transfer=2e-5)

    def __init__(self, backend: Backend, which: Any) -> None:
        super().__init__(backend)
        if isinstance(which, jax.Device):
            which = str(jax.devices(which.platform).index(which))
        found = jax.devices()
        if which and not (which.isdecimal() and int(which) < len(found)):
            hint = f"it has {len(found)}; of the host: XLA_FLAGS=--xla_force_host_platform_device_count=4"
            raise DeviceError(f"JAX has no device {which!r}", hint=hint)
        self.index = int(which or 0)
        self.handle = found[self.index]
        self.kind = self.handle.platform
        self.name = f"jax:{self.index}" if self.index else "jax"

    # ------------------------------------------------------------------ storage
    def holds(self, x: Any) -> bool:
        return isinstance(x, jax.Array) and (isinstance(x, jax.core.Tracer) or self.handle in x.devices())

    def from_host(self, x: np.ndarray) -> Any:
        return jax.device_put(self.backend.from_host(x), self.handle)

    def adopt(self, x: Any, source: Device) -> Any:
        return jax.device_put(x, self.handle)

    def share(self, x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.dtype.itemsize > jax.dtypes.canonicalize_dtype(x.dtype).itemsize:
            raise DeviceError("JAX is not set to 64-bit types")
        return jax.device_put(jax.numpy.from_dlpack(x), self.handle)

    def copied(self, x: Any) -> Any:
        return x

    def memory(self, x: Any) -> Extent | None:
        return None

    def write(self, buffer: Any, x: Any) -> None:
        Device.write(self, buffer, x)

    def in_strides(self, x: Any, strides: Sequence[int]) -> Any:
        return Device.in_strides(self, x, strides)

    # ------------------------------------------------------------------ compute
    def supports_control(self, node: Applied) -> Support:
        """Tests and loops, but nothing that takes a number out of an array or acts on the world by data."""
        if needs_data(node):
            return no("it needs data, and jax.jit traces without any")
        return super().supports_control(node)

    def compile(self, program: Program, donated: Sequence[int]) -> Executable:
        return compiled(program, self.backend, donated)

    def keep_compiled(self, folder: Path) -> None:
        """JAX's own persistent cache, of the whole process."""
        folder.mkdir(parents=True, exist_ok=True)
        jax.config.update("jax_compilation_cache_dir", str(folder))
        compilation_cache.reset_cache()  # it looks for its folder once
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)

    def synchronize(self) -> None:
        jax.effects_barrier()
