"""Python's numbers as arrays without axes of weak types, which give way to the dtype of an array beside them."""

from __future__ import annotations

from gfx_ir.backend import Row

ROWS = (
    Row("item", "to_number(x)"),
    Row("to_int", "to_int(x)"),
    Row("to_float", "to_float(x)"),
    Row("to_bool", "to_bool(x)"),
    Row("python", missing="it computes with Python's numbers, which compiled code does not have"),
)
