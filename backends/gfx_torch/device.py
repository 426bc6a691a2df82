"""PyTorch's devices: the host, and each CUDA device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from gfx_ir.backend import Backend
from gfx_ir.errors import DeviceError
from gfx_ir.program import Program
from gfx_ir.runtime.device import Device, Executable, Rates
from gfx_ir.runtime.framework import FrameworkDevice
from gfx_ir.types import Layout, LogicalTensor, Opaque

from .compiled import compiled

MKLDNN, CHANNELS_LAST = Opaque("torch.mkldnn"), Opaque("torch.channels_last")
_BLOCKED = frozenset((torch.float32, torch.bfloat16))  # what PyTorch's functions take in mkldnn's blocked layout


class TorchDevice(FrameworkDevice):
    """One device of PyTorch, by its name there; "compile" behind it: partitions go through torch.compile. Its opaque layouts:
    mkldnn's blocked one (of the host), and channels last as a layout of its own."""

    rates = Rates(operations=3e10, bandwidth=1e10, call=8e-6, transfer=5e-6)

    def __init__(self, backend: Backend, which: Any) -> None:
        super().__init__(backend)
        self.through_compiler = isinstance(which, str) and which.endswith("compile")
        place = which.removesuffix("compile").removesuffix(":") if isinstance(which, str) else which
        try:
            self.handle = torch.device(place or "cpu")
        except RuntimeError as error:
            raise DeviceError(f"PyTorch has no device {which!r}: {error}") from error
        if self.handle.type == "cuda" and not torch.cuda.is_available():
            raise DeviceError(f"there is no device {str(self.handle)!r}: PyTorch finds no CUDA", hint='use "torch"')
        self.kind, self.index = self.handle.type, self.handle.index or 0
        where = "" if self.kind == "cpu" else f":{self.kind}:{self.index}"
        self.name = f"torch{where}{':compile' if self.through_compiler else ''}"

    # ------------------------------------------------------------------ storage
    def holds(self, x: Any) -> bool:
        return isinstance(x, torch.Tensor) and x.device.type == self.kind and (x.device.index or 0) == self.index

    def type_of(self, x: Any) -> LogicalTensor:
        _refuse_sparse(x)
        return LogicalTensor(self.backend.dtype_of(x), tuple(x.shape))

    def signature(self, x: Any) -> Any:
        return x.dtype, x.shape, x.layout

    def to_host(self, x: Any) -> np.ndarray:
        return np.asarray(self.backend.to_host(x))

    def from_host(self, x: np.ndarray) -> Any:
        return self.backend.from_host(x).to(self.handle)

    def allocate(self, type_: LogicalTensor) -> torch.Tensor:
        dims, dtype = tuple(map(int, type_.dims or ())), self.backend.native_dtype(type_.dtype)  # type: ignore[arg-type]
        if type_.strides is None:
            return torch.empty(dims, dtype=dtype, device=self.handle)
        return torch.empty_strided(dims, type_.strides, dtype=dtype, device=self.handle)  # type: ignore[arg-type]

    def adopt(self, x: Any, source: Device) -> Any:
        return x.to(self.handle)

    def share(self, x: Any) -> torch.Tensor:
        if isinstance(x, np.ndarray) and (not x.flags.writeable or min(x.strides, default=0) < 0):
            raise DeviceError("PyTorch takes no memory that may not be written, and none that is read backwards")
        return torch.from_dlpack(x)

    def address(self, x: Any) -> int:
        return int(x.data_ptr())

    def version(self, x: Any) -> Any:
        return None if x.is_inference() else x._version

    def layout_of(self, x: Any) -> Layout:
        return MKLDNN if x.is_mkldnn else "strided"

    def in_layout(self, x: Any, layout: Opaque | None) -> Any:
        """Blocked, channels last, or row by row and dense."""
        if layout == MKLDNN:
            if self.kind != "cpu" or x.dtype not in _BLOCKED:
                raise DeviceError(
                    f"mkldnn blocks no {x.dtype} on {self.kind}", hint="leave the layout to the device: any"
                )
            return x if x.is_mkldnn else x.to_mkldnn()
        _refuse_sparse(x)
        x = x.to_dense() if x.is_mkldnn else x.resolve_conj().resolve_neg()  # whose bits DLPack does not hand on
        if layout == CHANNELS_LAST and x.ndim == 4:
            return x.contiguous(memory_format=torch.channels_last)
        return super().in_layout(x, layout)

    # ------------------------------------------------------------------ compute
    def compile(self, program: Program, donated: Sequence[int]) -> Executable:
        return compiled(program, self.backend, self.through_compiler)

    # ------------------------------------------------------------------ settings
    def synchronize(self) -> None:
        if self.kind == "cuda":
            torch.cuda.synchronize(self.handle)

    @contextmanager
    def settings(self, threads: int | None, deterministic: bool) -> Iterator[None]:
        """PyTorch's own settings, which are of the whole process: they are put back."""
        before, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
        try:
            if threads is not None and threads != before:
                torch.set_num_threads(threads)
            if deterministic and not strict:
                torch.use_deterministic_algorithms(True)
            yield
        finally:
            if threads is not None and threads != before:
                torch.set_num_threads(before)
            if deterministic and not strict:
                torch.use_deterministic_algorithms(False)


def _refuse_sparse(x: torch.Tensor) -> None:
    if x.layout is not torch.strided and not x.is_mkldnn:
        raise DeviceError(f"devices do not compute on tensors of {x.layout}", hint="give a dense one: x.to_dense()")
