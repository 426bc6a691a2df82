"""Calls of einops that stay such."""

from gfx_ir.lifting.axis_patterns import ROWS

__all__ = ["ROWS"]
