"""Python's numbers: the calls that make them of tensors of one element."""

from __future__ import annotations

from gfx_ir.backend import Row
from gfx_ir.python_numbers import function

from ._spell import is_scalar

ROWS = (
    Row("item", lambda a: "x" if is_scalar(a.x) else "x.item()"),
    Row("to_int", "int(x)"),
    Row("to_float", "float(x)"),
    Row("to_bool", "bool(x)"),
    Row("python", lambda a: function(a.function).spelling),
)
