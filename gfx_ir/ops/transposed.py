"""Transposed convolution, and windows as columns, channels first: patterns over other ops.

Sizes: https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html and its neighbours. A tuple of one entry
counts for every axis.
"""

from __future__ import annotations

import itertools
from typing import Any

from ..build import host
from ..op import ChannelsLast, Contraction, Trait
from ._body import named
from ._catalogue import ops
from ._row import composite
from .convolution import each_axis

FAMILY = "nn"


def _sizes(x: Any, axes: Any) -> list[Any]:
    return [ops.size(x, axis) for axis in axes]


def _spread(x: Any, stride: tuple) -> Any:
    """x with stride - 1 zeros between the elements of its last axes."""
    if all(step == 1 for step in stride):
        return x
    count = len(stride)
    spatial = [
        host("+", host("*", host("-", size, 1), step), 1) for size, step in zip(_sizes(x, range(2, 2 + count)), stride)
    ]
    room = ops.zeros((ops.size(x, 0), ops.size(x, 1), *spatial), dtype=ops.dtype_of(x))
    return ops.index_put(room, (..., *(slice(None, None, step) for step in stride)), x)


def _turned(weight: Any, groups: int, count: int) -> Any:
    """A weight (I, O / groups, ...) as that of the convolution which does the same: (O, I / groups, ...), its windows reversed."""
    flipped = ops.flip(weight, tuple(range(-count, 0)))
    if groups == 1:
        return ops.swapaxes(flipped, 0, 1)
    inputs, outputs, *kernel = _sizes(weight, range(2 + count))
    inside = host("//", inputs, groups)
    split = ops.reshape(flipped, (groups, inside, outputs, *kernel))
    return ops.reshape(ops.swapaxes(split, 1, 2), (host("*", outputs, groups), inside, *kernel))


@composite(
    FAMILY,
    traits=Trait.FLOATS,
    contraction=Contraction(("x", "weight"), "bias"),
    channels_last=ChannelsLast("conv_transpose_channels_last", ("weight",), lambda args: args.dims),
)
def conv_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = (1,),
    padding: Any = (0,),
    output_padding: Any = (0,),
    dilation: Any = (1,),
    groups: int = 1,
    dims: int = 2,
) -> Any:
    """What a convolution's backward does to its output: x (N, I, ...) with weight (I, O / groups, ...) over the last `dims` axes.

    An axis of size n gets (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 elements.
    """
    stride, padding = each_axis(stride, dims, "stride"), each_axis(padding, dims, "padding")
    dilation, extra = each_axis(dilation, dims, "dilation"), each_axis(output_padding, dims, "output_padding")
    spread = named("spread", _spread(x, stride))
    widths = []
    for size, step, more in zip(_sizes(weight, range(2, 2 + dims)), dilation, extra):
        around = host("*", host("-", size, 1), step)
        widths.append((around, host("+", around, more)))
    padded = named("padded", ops.pad(spread, tuple(widths)))
    if any(p != 0 for p in padding):
        inner = [slice(p, host("-", size, p)) for p, size in zip(padding, _sizes(padded, range(2, 2 + dims)))]
        padded = named("padded", ops.getitem(padded, (..., *inner)))
    return ops.conv(padded, _turned(weight, groups, dims), bias, (1,), (0,), dilation, groups, dims)


@composite(FAMILY)
def unfold_windows(x: Any, kernel: tuple, stride: Any = (1,), padding: Any = (0,), dilation: Any = (1,)) -> Any:
    """The windows of x (N, C, ...) as columns (N, C * elements of a window, windows), which F.unfold gives."""
    count = len(kernel)
    stride, padding = each_axis(stride, count, "stride"), each_axis(padding, count, "padding")
    dilation = each_axis(dilation, count, "dilation")
    padded = named("padded", ops.pad(x, tuple((p, p) for p in padding)))
    counts = []
    for size, k, step, apart in zip(_sizes(padded, range(2, 2 + count)), kernel, stride, dilation):
        counts.append(host("+", host("//", host("-", size, apart * (k - 1) + 1), step), 1))
    parts = []
    for place in itertools.product(*map(range, kernel)):
        parts.append(ops.getitem(padded, (..., *_places(place, counts, stride, dilation))))
    stacked = named("stacked", ops.stack(tuple(parts), axis=2))
    total = counts[0]
    for n in counts[1:]:
        total = host("*", total, n)
    columns = host("*", ops.size(x, 1), len(parts))
    return ops.reshape(stacked, (ops.size(x, 0), columns, total))


@composite(FAMILY)
def fold_windows(
    x: Any, output_size: tuple, kernel: tuple, stride: Any = (1,), padding: Any = (0,), dilation: Any = (1,)
) -> Any:
    """Columns (N, C * elements of a window, windows) added up where they lie in (N, C, *output_size), which F.fold gives."""
    count, elements = len(kernel), 1
    for k in kernel:
        elements *= k
    stride, padding = each_axis(stride, count, "stride"), each_axis(padding, count, "padding")
    dilation = each_axis(dilation, count, "dilation")
    room = [host("+", size, 2 * p) for size, p in zip(output_size, padding)]
    counts = [
        host("+", host("//", host("-", size, apart * (k - 1) + 1), step), 1)
        for size, k, step, apart in zip(room, kernel, stride, dilation)
    ]
    channels = host("//", ops.size(x, 1), elements)
    parts = named("parts", ops.reshape(x, (ops.size(x, 0), channels, elements, *counts)))
    out = ops.zeros((ops.size(x, 0), channels, *room), dtype=ops.dtype_of(x))
    for at, place in enumerate(itertools.product(*map(range, kernel))):
        where = (..., *_places(place, counts, stride, dilation))
        part = ops.getitem(parts, (slice(None), slice(None), at))
        out = named("out", ops.index_put(out, where, part, True))
    inner = tuple(slice(p, host("+", size, p)) for p, size in zip(padding, output_size))
    return out if not any(padding) else ops.getitem(out, (..., *inner))


def _places(place: tuple, counts: list, stride: tuple, dilation: tuple) -> list[slice]:
    """Where the elements at `place` in their windows lie."""
    found = []
    for at, n, step, apart in zip(place, counts, stride, dilation):
        begin = at * apart
        found.append(slice(begin, host("+", host("*", host("-", n, 1), step), begin + 1), step))
    return found
