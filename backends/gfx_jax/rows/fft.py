"""Discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

from gfx_ir.backend import Row
from gfx_ir.op import lookup

from ._lift import expect


def _row(name: str) -> Row:
    op = lookup(name)

    def lift(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        expect(f"jnp.fft.{name}", "norm", norm, None, "backward")
        return op(a, n=n, axis=axis)

    return Row(name, f"jnp.fft.{name}(x, n=n, axis=axis)", {f"jnp.fft.{name}": lift})


ROWS = tuple(map(_row, ("fft", "ifft", "rfft", "irfft")))
