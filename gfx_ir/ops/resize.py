"""Resizing of images and signals, channels first, as a pattern over other ops.

Where an element of the result comes from, and the weights of cubic interpolation (a = -0.75; Keys, IEEE TASSP 1981), follow
https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html.
"""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..build import host
from ._body import as_wide_as, named, widened
from ._catalogue import ops
from ._row import composite

FAMILY = "nn"
_INDEX = dtypes.int32


def _source(size: Any, out: Any, scale: Any, mode: str, align_corners: bool) -> Any:
    """Where along an axis of `size` each of `out` elements comes from."""
    at = ops.arange(out, dtype=dtypes.float32)
    if align_corners:
        return ops.multiply(at, host("/", host("-", size, 1), host("max", host("-", out, 1), 1)))
    ratio = host("/", size, out) if scale is None else 1.0 / scale
    if mode == "nearest":
        return ops.multiply(at, ratio)
    middle = ops.multiply(ops.add(at, 0.5), ratio)
    return middle if mode == "nearest-exact" else ops.subtract(middle, 0.5)


def _along(weight: Any, axis: int) -> Any:
    """Weights of the elements of an axis, counted from the last, beside data that has the axes behind it too."""
    for _ in range(-axis - 1):
        weight = ops.expand_dims(weight, -1)
    return weight


def _inside(index: Any, size: Any) -> Any:
    return ops.astype(ops.minimum(ops.maximum(index, 0), host("-", size, 1)), _INDEX)


def cubic(t: Any) -> tuple:
    """The weights of the four neighbours of a place that lies t behind the second."""
    a = -0.75

    def near(d: Any) -> Any:
        return ops.add(ops.multiply(ops.multiply(ops.subtract(ops.multiply(a + 2, d), a + 3), d), d), 1)

    def far(d: Any) -> Any:
        inner = ops.add(ops.multiply(ops.subtract(ops.multiply(a, d), 5 * a), d), 8 * a)
        return ops.subtract(ops.multiply(inner, d), 4 * a)

    back = ops.subtract(1, t)
    return far(ops.add(t, 1)), near(t), near(back), far(ops.add(back, 1))


def _resized(x: Any, axis: int, out: Any, scale: Any, mode: str, align_corners: bool) -> Any:
    size = ops.size(x, axis)
    source = named("source", _source(size, out, scale, mode, align_corners))
    if mode.startswith("nearest"):
        return ops.take(x, _inside(ops.floor(source), size), axis=axis)
    if mode == "linear":
        source = named("source", ops.maximum(source, 0))
    first = named("first", ops.floor(source))
    t = _along(ops.astype(ops.subtract(source, first), ops.dtype_of(x)), axis)
    weights = (ops.subtract(1, t), t) if mode == "linear" else cubic(named("t", t))
    begin = 0 if mode == "linear" else -1
    total: Any = None
    for step, weight in enumerate(weights, begin):
        part = ops.multiply(ops.take(x, _inside(ops.add(first, step), size), axis=axis), weight)
        total = part if total is None else ops.add(total, part)
    return total


@composite(FAMILY)
def interpolate(x: Any, size: Any, scale: Any = None, mode: str = "nearest", align_corners: bool = False) -> Any:
    """x (N, C, ...) with its last axes resized to `size`, a number for each.

    mode: "nearest", "nearest-exact", "linear" or "cubic", along each axis by itself. Where `scale` gives the factors, places are
    taken by them and not by the quotient of the sizes. `align_corners`: the ends of both grids meet (linear and cubic only).
    Of x with fewer bits than float32 the weighted sums are computed in float32, as PyTorch does.
    """
    out = x if mode.startswith("nearest") else widened(x)
    for at, count in enumerate(size):
        factor = None if scale is None else scale[at]
        out = named("x", _resized(out, at - len(size), count, factor, mode, align_corners))
    return out if mode.startswith("nearest") else as_wide_as(x, out)
