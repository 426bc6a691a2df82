"""Memory layout of PyTorch's tensors: the methods that tell it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from gfx_ir.types import LogicalTensor

Ask = Callable[[str], Any]
_FORMATS = {
    torch.contiguous_format: "c_contiguous", torch.channels_last: "channels_last",
    torch.channels_last_3d: "channels_last_3d",
}  # fmt: skip


def _is_contiguous(ask: Ask, type_: LogicalTensor, memory_format: Any = torch.contiguous_format) -> bool:
    return ask(_FORMATS[memory_format])


def _stride(ask: Ask, type_: LogicalTensor, dim: int | None = None) -> Any:
    strides = ask("strides")
    return strides if dim is None else strides[dim]


def _storage_offset(ask: Ask, type_: LogicalTensor) -> int:
    return ask("offset")


ASKS = {"is_contiguous": _is_contiguous, "stride": _stride, "storage_offset": _storage_offset}
