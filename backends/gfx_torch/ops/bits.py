"""The bits of numbers."""

from __future__ import annotations

from types import SimpleNamespace

from gfx_ir.backend import Row
from gfx_ir.dtypes import DType

from ._spell import dtype_of


def _bitcast(args: SimpleNamespace) -> str:
    """Elements of another width have to lie row by row."""
    before = dtype_of(args.x)
    wide = before is not None and isinstance(args.dtype, DType) and before.itemsize != args.dtype.itemsize
    return "x.contiguous().view(dtype)" if wide else "x.view(dtype)"


ROWS = (Row("bitcast", _bitcast),)
