"""Layers and activations: NumPy has none of its own; they run as their bodies and references have them, but for what only
concerns gradients."""

from __future__ import annotations

from gfx_ir.backend import Row

ROWS = (Row("embedding", "np.take(weight, x, axis=0)"),)
