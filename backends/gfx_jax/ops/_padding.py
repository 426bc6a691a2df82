"""Padding by words: what "SAME" adds to each end of an axis, of open sizes too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.build import host
from gfx_ir.host import Dim, Expr, floordiv, mul, sub
from gfx_ir.ops import _seen

from ._lift import expect


def window_edges(
    x: Any,
    axes: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    padding: Any,
    name: str,
    base: Any = None,
) -> tuple[tuple[Any, Any], ...]:
    """(before, after) of each of these axes of x, of a padding in words or in numbers: numbers, or what is computed of the size of the axis
    when the code runs. `base`: how far elements are set apart before."""
    if not isinstance(padding, str):
        return tuple((before, after) for before, after in padding)
    expect(name, "padding", padding.upper(), "VALID", "SAME", "SAME_LOWER")
    if padding.upper() == "VALID":
        return ((0, 0),) * len(window)
    lower = padding.upper() == "SAME_LOWER"
    found = []
    for axis, width, stride, apart in zip(axes, window, strides, base or (1,) * len(window)):
        total = _missing(x, axis, width, stride, apart)
        small = host("//", total, 2)
        large = host("-", total, small)
        found.append((large, small) if lower else (small, large))
    return tuple(found)


def _missing(x: Any, axis: int, width: int, stride: int, apart: int) -> Any:
    """How many elements more an axis needs for a window at each of its steps."""
    if stride == 1 or width == 1:
        return width - 1 if stride == 1 else 0
    known = _seen.size_of(x, axis)
    if isinstance(known, (Dim, Expr)) and apart == 1:
        fixed = sub(sub(known, 1), mul(floordiv(sub(known, 1), stride), stride))
        if isinstance(fixed, int):
            return max(width - 1 - fixed, 0)
    size = spread(x, axis, apart)
    last = host("*", host("//", host("-", size, 1), stride), stride)
    total = host("-", host("+", last, width), size)
    return total if width >= stride else host("max", total, 0)


def spread(x: Any, axis: int, apart: int) -> Any:
    """The size of an axis whose elements are set so far apart: a number, or what is computed when the code runs."""
    known = _seen.size_of(x, axis)
    size = known if isinstance(known, int) else ops.size(x, axis)
    return size if apart == 1 else host("max", 0, host("+", size, host("*", host("-", size, 1), apart - 1)))
