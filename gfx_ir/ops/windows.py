"""Window functions, which fade a frame of a signal in and out, as patterns over other ops: (length,).

`periodic` ones are those of one sample more without the last, as a spectrum wants them. Names and semantics:
https://docs.pytorch.org/docs/stable/generated/torch.hann_window.html and its like.
"""

from __future__ import annotations

import math
from typing import Any

from ..build import host
from ._body import named
from ._catalogue import ops
from ._row import composite

FAMILY = "windows"


def _turn(length: Any, periodic: bool, whole: float, dtype: Any, device: Any) -> Any:
    """How far round each sample is: 0 at the first, `whole` behind the last of them or, not `periodic`, at the last."""
    steps = host("max", length if periodic else host("-", length, 1), 1)
    places = ops.arange(0, length, dtype=dtype, device=device)
    return ops.multiply(places, host("/", whole, steps))


def _of_one(length: Any, window: Any) -> Any:
    """The window; a single sample is 1."""
    if type(length) is int:
        return ops.ones_like(window) if length == 1 else window
    return ops.where(ops.equal(ops.as_tensor(length), 1), 1.0, window)


@composite(FAMILY)
def cosine_window(
    length: Any, weights: Any, periodic: bool = True, dtype: Any = None, device: Any = None
) -> Any:  # fmt: skip
    """weights[0] - weights[1] cos(t) + weights[2] cos(2 t) - …, t once round the circle: Hann's, Hamming's, Blackman's windows."""
    turn = named("turn", _turn(length, periodic, 2 * math.pi, dtype, device))
    window = ops.subtract(weights[0], ops.multiply(weights[1], ops.cos(turn)))
    for k, weight in enumerate(weights[2:], 2):
        part = ops.multiply(ops.cos(ops.multiply(turn, k)), weight if k % 2 == 0 else host("neg", weight))
        window = ops.add(window, part)
    return _of_one(length, window)


@composite(FAMILY)
def bartlett_window(length: Any, periodic: bool = True, dtype: Any = None, device: Any = None) -> Any:
    """A triangle from 0 up to 1 and down again."""
    turn = _turn(length, periodic, 2.0, dtype, device)
    return _of_one(length, ops.subtract(1.0, ops.abs(ops.subtract(turn, 1.0))))


@composite(FAMILY)
def kaiser_window(
    length: Any, periodic: bool = True, beta: float = 12.0, dtype: Any = None, device: Any = None
) -> Any:  # fmt: skip
    """i0(beta sqrt(1 - t²)) / i0(beta), t from -1 to 1 (Kaiser and Schafer, 1980)."""
    side = named("side", ops.subtract(_turn(length, periodic, 2.0, dtype, device), 1.0))
    above = ops.maximum(ops.subtract(1.0, ops.square(side)), 0.0)
    peak = ops.i0(ops.full((), beta, dtype=dtype, device=device))
    return _of_one(length, ops.divide(ops.i0(ops.multiply(ops.sqrt(above), beta)), peak))
