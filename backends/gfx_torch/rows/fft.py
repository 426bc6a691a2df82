"""Discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

from gfx_ir.backend import Row
from gfx_ir.op import lookup

from ..lifting import plain


def _row(name: str) -> Row:
    op = lookup(name)

    def fn(input: Any, n: Any = None, dim: Any = -1, norm: Any = None) -> Any:
        plain(f"torch.fft.{name}", norm=None if norm == "backward" else norm)
        return op(input, n=n, axis=dim)

    return Row(name, f"torch.fft.{name}(x, n=n, dim=axis)", {f"torch.fft.{name}": fn})


ROWS = tuple(_row(name) for name in ("fft", "ifft", "rfft", "irfft"))
