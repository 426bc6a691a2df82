"""Memory layout: the strides and the offset of an array, and what code asks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Layout:
    """Where the elements of an array lie: element i, j, … at offset + i * strides[0] + j * strides[1] + …, in elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def packed(self, order: Sequence[int]) -> bool:
        """Whether the elements lie side by side, the axes from the fastest to the slowest in this order."""
        if 0 in self.shape:
            return True
        expected = 1
        for axis in order:
            if self.shape[axis] != 1 and self.strides[axis] != expected:
                return False
            expected *= self.shape[axis]
        return True


def dense(shape: Sequence[int]) -> Layout:
    """The layout of an array that is all of its memory, row by row."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return Layout(tuple(shape), tuple(reversed(strides)))


def _channels_last(axes: int) -> Callable[[Layout], bool]:
    order = (1, *range(axes - 1, 1, -1), 0)
    return lambda layout: len(layout.shape) == axes and layout.packed(order)


QUESTIONS: Mapping[str, Callable[[Layout], Any]] = {
    "c_contiguous": lambda layout: layout.packed(range(len(layout.shape) - 1, -1, -1)),
    "f_contiguous": lambda layout: layout.packed(range(len(layout.shape))),
    "channels_last": _channels_last(4),
    "channels_last_3d": _channels_last(5),
    "strides": lambda layout: layout.strides,
    "offset": lambda layout: layout.offset,
}
"""What code asks of a layout, by the kind of the guard that says what the capture took as given."""
