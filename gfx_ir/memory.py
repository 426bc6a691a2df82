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


def within(
    part: Layout | None, whole: Layout | None, held: Layout | None
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Where in `held` lies what `part` is of `whole`, an array of its shape in which no two elements share a place: the indices of its
    first element, and its strides. None where no strides lead there, or there are no elements."""
    if part is None or whole is None or held is None or 0 in part.shape:
        return None
    first = _indices(whole, part.offset)
    if first is None:
        return None
    if all(size == 1 or own == there for size, own, there in zip(whole.shape, whole.strides, held.strides)):
        return first, part.strides
    strides, corner = [], list(first)
    for size, stride in zip(part.shape, part.strides):
        end = _indices(whole, part.offset + (size - 1) * stride)
        steps = [] if end is None else [divmod(there - here, max(size - 1, 1)) for here, there in zip(first, end)]
        if end is None or any(rest for _, rest in steps):
            return None
        strides.append(sum(step * own for (step, _), own in zip(steps, held.strides)))
        corner = [at + there - here for at, here, there in zip(corner, first, end)]
    inside = all(0 <= at < size for at, size in zip(corner, held.shape))
    return (first, tuple(strides)) if inside else None


def _indices(layout: Layout, offset: int) -> tuple[int, ...] | None:
    """The indices of the element there; None where none is."""
    rest, found = offset - layout.offset, [0] * len(layout.shape)
    for axis in sorted(range(len(layout.shape)), key=lambda axis: -layout.strides[axis]):
        if layout.shape[axis] > 1 and rest >= 0 and layout.strides[axis] > 0:
            found[axis], rest = divmod(rest, layout.strides[axis])
    inside = all(at < size for at, size in zip(found, layout.shape))
    return tuple(found) if inside and rest == 0 else None


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
