"""Helper functions that NumPy spellings of nn and effect name: they define their ops.

Each computes in the dtype of its input. Emitted NumPy source contains those that it needs word for word, so they use
NumPy and each other only, and bear no annotations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._reference_random import RANDOM


# ---------------------------------------------------------------- windows
def each_axis(values, count):
    """One value for each of `count` axes; a single one counts for all."""
    values = (values,) if isinstance(values, int) else tuple(values)
    return values * count if len(values) == 1 else values


def window_view(x, kernel, stride, dilation):
    """Windows over the last axes, as many axes behind them: a view of shape (..., *positions, *kernel)."""
    spans = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation))
    every = np.lib.stride_tricks.sliding_window_view(x, spans, axis=tuple(range(-len(kernel), 0)))
    return every[(..., *(slice(None, None, s) for s in stride), *(slice(None, None, d) for d in dilation))]


def pad_last(x, pairs, value=0):
    """x with (before, after) elements of `value` added to each of its last axes; a negative `after` takes away."""
    added = [(before, max(after, 0)) for before, after in pairs]
    x = np.pad(x, [(0, 0)] * (x.ndim - len(pairs)) + added, constant_values=value)
    return x[(..., *(slice(None, after if after < 0 else None) for _, after in pairs))]


# ---------------------------------------------------------------- convolution
def conv_padding(padding, kernel, dilation):
    """(before, after) for each axis; of an odd total "same" puts the larger half behind."""
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if padding == "same":
        totals = [d * (k - 1) for k, d in zip(kernel, dilation)]
        return [(total // 2, total - total // 2) for total in totals]
    return [(p, p) for p in each_axis(padding, len(kernel))]


def conv(x, weight, bias=None, stride=(1,), padding=(0,), dilation=(1,), groups=1, dims=2):
    """Correlation of x (N, C, ...) or (C, ...) with weight (O, C / groups, ...): one matrix product for each group."""
    if x.ndim == dims + 1:
        return conv(x[None], weight, bias, stride, padding, dilation, groups, dims)[0]
    kernel, stride, dilation = weight.shape[2:], each_axis(stride, dims), each_axis(dilation, dims)
    if padding == "same" and set(stride) != {1}:
        raise ValueError('padding="same" goes with stride 1 only')
    patches = window_view(pad_last(x, conv_padding(padding, kernel, dilation)), kernel, stride, dilation)
    batch, channels, *out = patches.shape[: 2 + dims]
    inside, of_group = channels // groups, weight.shape[0] // groups
    kernels = weight.reshape(groups, of_group, -1).transpose(0, 2, 1)
    bias = np.zeros(len(weight), weight.dtype) if bias is None else bias
    result = np.empty((groups, batch, *out, of_group), np.result_type(x, weight, bias))
    held = max(groups * kernels.shape[1], len(weight)) * int(np.prod(out[1:]))
    rows = 2**17 // (held + 1) + 1  # so many at once: their columns are many times as large as x
    for item in range(batch):
        for start in range(0, out[0], rows):
            windows = patches[item, :, start : start + rows]
            columns = np.moveaxis(windows.reshape(groups, inside, *windows.shape[1:]), 1, 1 + dims)
            part = result[:, item, start : start + rows]
            product = np.matmul(columns.reshape(groups, -1, kernels.shape[1]), kernels)
            part[...] = (product + bias.reshape(groups, 1, of_group)).reshape(part.shape)
    return np.moveaxis(result, (0, -1), (1, 2)).reshape(batch, groups * of_group, *out)


# ---------------------------------------------------------------- pooling
def pool_count(size, kernel, stride, padding, dilation, ceil_mode):
    """How many windows an axis has; with ceil_mode also one that juts out, if it begins before the last padding."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    return count


def pool_windows(x, kernel, stride, padding, dilation, ceil_mode, value):
    """The windows of a pooling, `value` in the padding and where a window juts out."""
    pairs = []
    for size, k, s, p, d in zip(x.shape[-len(kernel) :], kernel, stride, padding, dilation):
        count = pool_count(size, k, s, p, d, ceil_mode)
        pairs.append((p, (count - 1) * s + d * (k - 1) + 1 - size - p))
    return window_view(pad_last(x, pairs, value), kernel, stride, dilation)


def max_pool(x, kernel, stride, padding=(0,), dilation=(1,), ceil_mode=False):
    """The largest element of each window over the last axes; padding never wins."""
    count = len(kernel)
    lowest = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
    sizes = (each_axis(values, count) for values in (stride, padding, dilation))
    return pool_windows(x, kernel, *sizes, ceil_mode, lowest).max(axis=tuple(range(-count, 0)))


def avg_pool(x, kernel, stride, padding=(0,), ceil_mode=False, count_include_pad=True, divisor=None):
    """The mean of each window over the last axes (or its sum over `divisor`); what juts out beyond the padding never counts."""
    count = len(kernel)
    axes, ones = tuple(range(-count, 0)), (1,) * count
    stride, padding = each_axis(stride, count), each_axis(padding, count)
    sums = pool_windows(x, kernel, stride, padding, ones, ceil_mode, 0).sum(axis=axes, dtype=x.dtype)
    if divisor is not None:
        return sums / divisor
    counted = np.ones(x.shape[-count:], x.dtype)
    if count_include_pad:
        counted = pad_last(counted, [(p, p) for p in padding], 1)
        held = [(n - 1) * s + k for n, s, k in zip(sums.shape[-count:], stride, kernel)]
        counted = pad_last(counted, [(0, need - n) for need, n in zip(held, counted.shape)])
        counted = window_view(counted, kernel, stride, ones)
    else:
        counted = pool_windows(counted, kernel, stride, padding, ones, ceil_mode, 0)
    return sums / counted.sum(axis=axes, dtype=x.dtype)


def window_maxima(x, places):
    """The largest element of each window, and its number in the plane of the pooled axes.

    `places` has for each of these axes the places of every window's elements, (windows, elements), -1 where there is none."""
    count = len(places)
    numbers, inside = 0, True
    for axis, at in enumerate(places):
        shape = [1] * (2 * count)
        shape[axis], shape[count + axis] = at.shape
        numbers = numbers * x.shape[axis - count] + at.reshape(shape)
        inside = inside & (at >= 0).reshape(shape)
    out = [len(at) for at in places]
    numbers, inside = (np.broadcast_to(part, numbers.shape).reshape(*out, -1) for part in (numbers, inside))
    first = np.where(inside, numbers, numbers.max()).min(axis=-1, keepdims=True)
    numbers = np.where(inside, numbers, first)
    windows = x.reshape(*x.shape[:-count], -1)[..., numbers]
    best = windows.argmax(axis=-1)[..., None]
    found = np.take_along_axis(np.broadcast_to(numbers, windows.shape), best, axis=-1)
    return windows.max(axis=-1), found[..., 0]


def max_pool_with_indices(x, kernel, stride, padding, dilation, ceil_mode):
    """The largest element of each window over the last axes, and its number in the plane of these axes."""
    count, places = len(kernel), []
    sizes = (each_axis(values, count) for values in (stride, padding, dilation))
    for size, k, s, p, d in zip(x.shape[-count:], kernel, *sizes):
        windows = pool_count(size, k, s, p, d, ceil_mode)
        at = np.arange(windows)[:, None] * s - p + np.arange(k) * d
        places.append(np.where((at >= 0) & (at < size), at, -1))
    return window_maxima(x, places)


def adaptive_max_pool_with_indices(x, output_size):
    """The maxima of output_size windows over the last axes, which cover each axis evenly, and their numbers in the plane."""
    places = []
    for size, out in zip(x.shape[-len(output_size) :], output_size):
        begin = np.arange(size if out is None else out) * size // (out or size)
        end = -(-(np.arange(len(begin)) + 1) * size // len(begin))
        at = begin[:, None] + np.arange(max(end - begin))
        places.append(np.where(at < end[:, None], at, -1))
    return window_maxima(x, places)


def adaptive_pool(x, output_size, reduce):
    """`reduce` (np.mean or np.max) over windows i * size // out to (i + 1) * size / out, rounded up, axis by axis."""
    x = np.array(x)
    for axis, out in zip(range(-len(output_size), 0), output_size):
        size = x.shape[axis]
        ends = [] if out is None else [(i * size // out, -((i + 1) * size // -out)) for i in range(out)]
        if ends:
            x = np.stack([reduce(np.take(x, range(*end), axis=axis), axis=axis) for end in ends], axis=axis)
    return x


# ---------------------------------------------------------------- effects
def check(pred, message, error=RuntimeError):
    """Raise error(message) where pred is not true."""
    if not np.all(pred):
        raise error(message)


NN: dict[str, Any] = {
    f.__name__: f
    for f in (
        each_axis, window_view, pad_last, conv_padding, conv,
        pool_count, pool_windows, max_pool, avg_pool, adaptive_pool, window_maxima, max_pool_with_indices,
        adaptive_max_pool_with_indices, check,
    )
} | RANDOM  # fmt: skip
