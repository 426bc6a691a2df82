"""Pooling that tells where its elements lie. Emitted source contains the functions it needs."""

import jax.numpy as jnp
import numpy as np


def window_maxima(x, places):
    """The largest element of each window, and its number in the plane of the pooled axes.

    `places` has for each of these axes the places of every window's elements, (windows, elements), -1 where there is none.
    """
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
    found = jnp.take_along_axis(jnp.broadcast_to(numbers, windows.shape), best, axis=-1)
    return windows.max(axis=-1), found[..., 0]


def max_pool_with_indices(x, kernel, stride, padding, dilation, ceil_mode):
    """The largest element of each window over the last axes, and its number in the plane of these axes."""
    places = []
    for size, k, s, p, d in zip(x.shape[-len(kernel) :], kernel, stride, padding, dilation):
        windows = (size + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        windows = min(windows, (size + p - 1) // s + 1) if ceil_mode else windows
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
