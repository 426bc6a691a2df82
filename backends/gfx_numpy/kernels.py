"""Kernels of the NumPy device that are quicker than the op's own definition, and give the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gfx_ir.ops._reference_nn import pool_count


def _pair(values: Any, count: int) -> tuple[int, ...]:
    found = (values,) if isinstance(values, int) else tuple(values)
    return found * count if len(found) == 1 else found


def conv(
    x: np.ndarray, weight: np.ndarray, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int, dims: int
) -> np.ndarray:
    """Correlation of x (N, C, ...) or (C, ...) with weight (O, C / groups, ...): columns of shape (C k, positions) for each group,
    multiplied from the left, so that the result lies as (N, O, ...)."""
    if x.ndim == dims + 1:
        return conv(x[None], weight, bias, stride, padding, dilation, groups, dims)[0]
    kernel, steps, spread = weight.shape[2:], _pair(stride, dims), _pair(dilation, dims)
    pairs = _padding(padding, kernel, steps, spread)
    if any(sum(pair) for pair in pairs):
        padded = np.zeros((*x.shape[:2], *(n + a + b for n, (a, b) in zip(x.shape[2:], pairs))), x.dtype)
        inner: Any = (..., *(slice(a, a + n) for n, (a, _) in zip(x.shape[2:], pairs)))
        padded[inner] = x
        x = padded
    out = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, steps, spread)]
    columns = _columns(x, kernel, steps, spread, out)
    batch, positions = x.shape[0], int(np.prod(out))
    inside, of_group = weight.shape[1], weight.shape[0] // groups
    columns = columns.reshape(batch, groups, inside * int(np.prod(kernel)), positions)
    found = np.matmul(weight.reshape(groups, of_group, -1), columns)
    found = found.reshape(batch, groups * of_group, *out)
    if bias is not None:
        found = found + bias.reshape(-1, *[1] * dims)
    return found.astype(np.result_type(x, weight), copy=False)


def _padding(padding: Any, kernel: Any, steps: Any, spread: Any) -> list[tuple[int, int]]:
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    if padding == "same":
        if set(steps) != {1}:
            raise ValueError('padding="same" goes with stride 1 only')
        totals = [d * (k - 1) for k, d in zip(kernel, spread)]
        return [(total // 2, total - total // 2) for total in totals]
    return [(p, p) for p in _pair(padding, len(kernel))]


def _columns(x: np.ndarray, kernel: Any, steps: Any, spread: Any, out: list[int]) -> np.ndarray:
    """(N, C, taps, positions): one copy for each tap of the kernel, of a slice of x; of a single tap nothing but the slice."""
    taps = int(np.prod(kernel))
    if taps == 1:
        every: Any = (..., *(slice(None, s * (n - 1) + 1, s) for s, n in zip(steps, out)))
        return np.ascontiguousarray(x[every])
    columns = np.empty((*x.shape[:2], taps, *out), x.dtype)
    for number, tap in enumerate(np.ndindex(*kernel)):
        first = [at * d for at, d in zip(tap, spread)]
        places: Any = (..., *(slice(f, f + s * (n - 1) + 1, s) for f, s, n in zip(first, steps, out)))
        columns[:, :, number] = x[places]
    return columns


def max_pool(x: np.ndarray, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> np.ndarray:
    """The largest element of each window over the last axes: the largest of slices, one for each place in the window."""
    count = len(kernel)
    steps, pads, spread = _pair(stride, count), _pair(padding, count), _pair(dilation, count)
    sizes = x.shape[x.ndim - count :]
    out = [pool_count(n, k, s, p, d, ceil_mode) for n, k, s, p, d in zip(sizes, kernel, steps, pads, spread)]
    needed = [(n - 1) * s + d * (k - 1) + 1 for n, k, s, d in zip(out, kernel, steps, spread)]
    if any(pads) or any(need > size for need, size in zip(needed, sizes)):
        lowest = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
        wider = [max(need, p + size) for need, size, p in zip(needed, sizes, pads)]
        padded = np.full((*x.shape[: x.ndim - count], *wider), lowest, x.dtype)
        inner: Any = (..., *(slice(p, p + n) for p, n in zip(pads, sizes)))
        padded[inner] = x
        x = padded
    found: np.ndarray | None = None
    for tap in np.ndindex(*kernel):
        first = [at * d for at, d in zip(tap, spread)]
        places: Any = (..., *(slice(f, f + s * (n - 1) + 1, s) for f, s, n in zip(first, steps, out)))
        found = x[places].copy() if found is None else np.maximum(found, x[places], out=found)
    assert found is not None
    return found


KERNELS: Mapping[str, Callable[..., np.ndarray]] = {"conv": conv, "max_pool": max_pool}
"""By the names of the ops."""
