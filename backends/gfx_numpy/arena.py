"""Arena: the memory of one run of a plan."""

from __future__ import annotations

import math
from typing import Union

import numpy as np

from .chains import laid_out

Order = Union[tuple[int, ...], None]
"""Axes from the slowest to the fastest; None: row by row."""


class Arena:
    """The memory of one run: a buffer for each place of the plan, made when it is asked for first."""

    __slots__ = ("buffers",)

    def __init__(self, count: int) -> None:
        self.buffers: list[np.ndarray | None] = [None] * count

    def take(self, at: int, shape: tuple[int, ...], dtype: np.dtype, order: Order) -> np.ndarray:
        """The buffer of a place, as an array whose axes lie in this order."""
        found = self.buffers[at]
        if found is None:
            found = self.buffers[at] = np.empty(math.prod(shape), dtype)
        return laid_out(found, shape, order)
