"""Memory layout of PyTorch's tensors: the methods that tell it, and how calls lay out what they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from gfx_ir.build import assumptions
from gfx_ir.types import LogicalTensor

from .lifting import known_rank

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


def _no_image(x: Any) -> bool:
    """Whether a tensor surely has so many axes that no order of memory has channels last."""
    return known_rank(x) not in (None, 4, 5)


_ALWAYS = (
    "linear embedding mm bmm layer_norm softmax log_softmax one_hot index_select tensor zeros ones full empty arange linspace eye rand randn "
    "randint randperm new_zeros new_ones new_full new_empty new_tensor Linear Embedding LayerNorm Softmax LogSoftmax"
)
ROWS: Mapping[str, Any] = {
    **dict.fromkeys(_ALWAYS.split(), True),
    **dict.fromkeys(("cat", "stack", "pad"), _no_image),
}
"""Which calls give memory of their own, row by row, whatever they are given. See `Lift.rows`."""


def ordered(name: str, value: Any) -> None:
    """Note that a call asks for an order of memory that is none of rows."""
    given = assumptions()
    if (
        name == "memory_format"
        and value not in (None, torch.contiguous_format, torch.preserve_format)
        and given is not None
    ):
        given.laid.formats = True
