"""Discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

from gfx_ir.backend import Row
from gfx_ir.op import lookup

from ._lift import as_array, refuse


def _row(name: str) -> Row:
    op = lookup(name)

    def lift(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
        refuse(f"np.fft.{name}", norm=norm, out=out)
        return op(as_array(a), n=n, axis=axis)

    return Row(name, None, {f"np.fft.{name}": lift})


ROWS = tuple(map(_row, ("fft", "ifft", "rfft", "irfft")))
