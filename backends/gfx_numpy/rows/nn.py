"""Layers and activations: NumPy has none of its own; they run as their bodies and references have them."""

from __future__ import annotations

from gfx_ir.backend import Row

ROWS: tuple[Row, ...] = ()
