"""Resizing of images and signals, channels first, as a pattern over other ops.

Where an element of the result comes from, and the weights of cubic interpolation (a = -0.75; Keys, IEEE TASSP 1981), follow
https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html.
"""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..build import host
from ..op import ChannelsLast
from ._body import as_wide_as, element_of, named, widened
from ._catalogue import ops
from ._row import composite

FAMILY = "nn"
_INDEX = dtypes.int32


def _ratio(size: Any, out: Any, scale: Any, align_corners: bool) -> Any:
    """How many elements of an axis of `size` lie between two of its `out` elements."""
    if align_corners:
        return host("/", host("-", size, 1), host("max", host("-", out, 1), 1))
    return host("/", size, out) if scale is None else 1.0 / scale


def _dtype_of_places(x: Any, mode: str) -> dtypes.DType:
    """That of x where it is wider than float32; the nearest ones are found in float32, as in PyTorch."""
    element = None if mode.startswith("nearest") else element_of(x)
    return dtypes.promote_types(dtypes.float32, element or dtypes.float32, "torch")


def _source(size: Any, out: Any, scale: Any, mode: str, align_corners: bool, places: dtypes.DType) -> Any:
    """Where along an axis of `size` each of `out` elements comes from."""
    at = ops.arange(out, dtype=places)
    ratio = _ratio(size, out, scale, align_corners)
    if align_corners or mode == "nearest":
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


def behind(at: Any, step: int) -> Any:
    """The place so many elements behind another."""
    return at if step == 0 else ops.add(at, step) if step > 0 else ops.subtract(at, -step)


def _near(d: Any, a: float) -> Any:
    return ops.add(ops.multiply(ops.multiply(ops.subtract(ops.multiply(a + 2, d), a + 3), d), d), 1)


def _far(d: Any, a: float) -> Any:
    inner = ops.add(ops.multiply(ops.subtract(ops.multiply(a, d), 5 * a), d), 8 * a)
    return ops.subtract(ops.multiply(inner, d), 4 * a)


def cubic(t: Any, a: float = -0.75) -> tuple:
    """The weights of the four neighbours of a place that lies t behind the second."""
    back = ops.subtract(1, t)
    return _far(ops.add(t, 1), a), _near(t, a), _near(back, a), _far(ops.add(back, 1), a)


def _resized(x: Any, axis: int, out: Any, scale: Any, mode: str, align_corners: bool, places: dtypes.DType) -> Any:
    size = ops.size(x, axis)
    source = named("source", _source(size, out, scale, mode, align_corners, places))
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
        part = ops.multiply(ops.take(x, _inside(behind(first, step), size), axis=axis), weight)
        total = part if total is None else ops.add(total, part)
    return total


def _smoothed(x: Any, axis: int, out: Any, scale: Any, mode: str, align_corners: bool, places: dtypes.DType) -> Any:
    """Each element the mean of those that its kernel covers, which is as wide as the elements of the result lie apart."""
    size = ops.size(x, axis)
    ratio = _ratio(size, out, scale, align_corners)
    middle = ops.multiply(ops.add(ops.arange(out, dtype=places), 0.5), ratio)
    off = ops.abs(ops.subtract(ops.expand_dims(middle, 1), ops.add(ops.arange(size, dtype=places), 0.5)))
    off = named("off", ops.divide(off, host("max", ratio, 1.0)))
    if mode == "linear":
        weights = ops.maximum(ops.subtract(1, off), 0)
    else:
        near, far = _near(off, -0.5), ops.where(ops.less(off, 2), _far(off, -0.5), 0)
        weights = ops.where(ops.less(off, 1), near, far)
    weights = named("weights", ops.divide(weights, ops.sum(weights, axis=1, keepdims=True)))
    weights = ops.astype(weights, ops.dtype_of(x))
    return ops.moveaxis(ops.tensordot(x, weights, axes=((axis,), (1,))), -1, axis)


@composite(FAMILY, channels_last=ChannelsLast("interpolate_channels_last", places=lambda args: len(args.size)))
def interpolate(
    x: Any, size: Any, scale: Any = None, mode: str = "nearest", align_corners: bool = False, antialias: bool = False
) -> Any:
    """x (N, C, ...) with its last axes resized to `size`, a number for each.

    mode: "nearest", "nearest-exact", "linear" or "cubic", along each axis by itself. Where `scale` gives the factors, places are
    taken by them and not by the quotient of the sizes. `align_corners`: the ends of both grids meet; `antialias`: where the
    result is smaller, kernels are as wide as its elements, and the cubic one has a = -0.5 (linear and cubic only).
    Of x with fewer bits than float32 the weighted sums are computed in float32, as PyTorch does.
    """
    return _interpolated(x, size, scale, mode, align_corners, antialias, -len(size))


@composite(FAMILY)
def interpolate_channels_last(
    x: Any, size: Any, scale: Any = None, mode: str = "nearest", align_corners: bool = False, antialias: bool = False
) -> Any:
    """interpolate of x (N, ..., C)."""
    return _interpolated(x, size, scale, mode, align_corners, antialias, -len(size) - 1)


def _interpolated(
    x: Any, size: Any, scale: Any, mode: str, align_corners: bool, antialias: bool, first_axis: int
) -> Any:
    out = x if mode.startswith("nearest") else named("wide", widened(x))
    places = _dtype_of_places(x, mode)
    for at, count in enumerate(size):
        factor = None if scale is None else scale[at]
        along = _smoothed if antialias else _resized
        out = named("x", along(out, first_axis + at, count, factor, mode, align_corners, places))
    return out if mode.startswith("nearest") else as_wide_as(x, out)
