"""Ops that act on the world."""

from __future__ import annotations

from gfx_ir.backend import Row
from gfx_ir.ops.effect import error_names, print_spelling

ROWS = (
    Row("print", print_spelling),
    Row("check", lambda a: f"check(pred, message, {error_names(a.error)[0]})"),
)
