"""Effects on the world: Python's own print and raise, which are the references."""

from __future__ import annotations

from gfx_ir.backend import Row

ROWS: tuple[Row, ...] = ()
