"""What stands beyond the edges of a padded array, where no op says it at once: mirrors, statistics, a number a side."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..ops import _seen
from .words import Dialect, known_dtype

STATISTICS = {"maximum": "max", "minimum": "min", "mean": "mean", "median": "median"}


def mirrored(x: Any, widths: tuple, call: str) -> Any:
    """Mirrors at the edges, which repeat the last element."""
    for axis, (before, after) in zip(range(-len(widths), 0), widths):
        if before or after:
            size = _seen.length(x, axis, f"{call} with mode='symmetric' needs the sizes")
            places = np.pad(np.arange(size), (before, after), mode="symmetric")
            x = ops.take(x, ops.constant(tuple(places.tolist())), axis=axis)
    return x


def with_statistics(x: Any, widths: tuple, mode: str, say: Dialect) -> Any:
    """The largest element along an axis, or another statistic of it, on both sides."""
    known = known_dtype(x)
    if mode in ("mean", "median") and (known is None or known.kind in "biu"):
        say.refuse(f"{say.call('pad')} of what may be integers", mode=mode)
    for axis, (before, after) in zip(range(-len(widths), 0), widths):
        if before or after:
            edge = getattr(ops, STATISTICS[mode])(x, axis=axis, keepdims=True)
            sides = (ops.repeat(edge, before, axis), x, ops.repeat(edge, after, axis))
            x = ops.concat(sides, axis=axis)
    return x


def with_numbers(x: Any, widths: tuple, values: Any) -> Any:
    """A number for each side: (before, after) for all axes, or a pair for each."""
    pairs = list(values)
    pairs = [pairs] * len(widths) if not isinstance(pairs[0], (tuple, list)) else pairs
    pairs = pairs * len(widths) if len(pairs) == 1 else pairs
    for at, ((before, after), pair) in enumerate(zip(widths, pairs)):
        low, high = pair if len(pair) == 2 else (pair[0], pair[0])
        rest = ((0, 0),) * (len(widths) - at - 1)
        x = ops.pad(x, ((before, 0), *rest), value=low) if before else x
        x = ops.pad(x, ((0, after), *rest), value=high) if after else x
    return x
