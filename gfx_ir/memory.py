"""Memory layout: the strides and the offset of an array, and what code asks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import OpenShape
from .host import DimLike, atoms, bounds, divide, mul, reaching, sub


@dataclass(frozen=True)
class Layout:
    """Where the elements of an array lie: element i, j, … at offset + i * strides[0] + j * strides[1] + …, in elements. Sizes may be open:
    what hangs on them raises OpenShape. A step along an axis of one place may be None: nothing tells it."""

    shape: tuple[Any, ...]
    strides: tuple[Any, ...]
    offset: Any = 0

    def packed(self, order: Sequence[int]) -> bool:
        """Whether the elements lie side by side, the axes from the fastest to the slowest in this order."""
        if 0 in self.shape:
            return True
        expected: DimLike = 1
        for axis in order:
            step = self.strides[axis]
            if step is not None and not _same(step, expected) and not _is_one(self.shape[axis]):
                return False
            expected = mul(expected, self.shape[axis])
        return True

    def viewed(self, shape: Sequence[DimLike]) -> Layout | None:
        """The layout of a view that has the elements in their order, in another shape; None where no view has. As PyTorch's `computeStride`
        tells it: axes that lie as one are divided anew."""
        if None in self.strides:
            untold = [size for size, step in zip(self.shape, self.strides) if step is None]
            raise _hangs("on steps along axes of one place, which nothing tells", *untold)
        strides: list[DimLike] = []
        steps = list(self.strides)
        left, base = list(shape), steps[-1] if steps else 1
        old: DimLike = 1
        for axis in range(len(steps) - 1, -1, -1):
            old = mul(old, self.shape[axis])
            alike = axis and (_same(steps[axis - 1], mul(old, base)) or _is_one(self.shape[axis - 1]))
            if not alike:
                taken: list[DimLike] = [1]
                while left and (taken[-1] != old or left[-1] == 1):
                    strides.append(mul(taken[-1], base))
                    taken.append(mul(taken[-1], left.pop()))
                if taken[-1] != old and not any(_same(new, old) for new in taken):
                    return None
                old, base = 1, steps[axis - 1]
        strides += [1] * (0 if steps else len(left))
        return Layout(tuple(shape), tuple(reversed(strides)), self.offset) if len(strides) == len(shape) else None


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


def exceeds(a: DimLike, b: DimLike) -> bool:
    """Whether a size is surely larger than another one, as a multiple of it or by the bounds of both."""
    times = divide(a, b)
    low, _ = bounds(sub(a, b)) if times is None else bounds(sub(times, 1))
    return low is not None and low > 0


def _same(a: DimLike, b: DimLike) -> bool:
    """Whether two sizes are equal. Raises OpenShape where that hangs on open ones."""
    if a == b:
        return True
    if not (exceeds(a, b) or exceeds(b, a)):
        raise _hangs(f"on whether {a} is {b}", a, b)
    return False


def _hangs(on: str, *sizes: DimLike) -> OpenShape:
    """The error of what open sizes decide; mostly that they are 1."""
    told = dict.fromkeys(atom for size in sizes for atom in atoms(size))
    several = {name: bound for atom in told for name, bound in reaching(atom, 2).items()}
    return OpenShape(f"how a tensor lies in memory hangs {on}", within=several)


def _is_one(size: DimLike) -> bool:
    """Whether a size is 1. Raises OpenShape where that is open, and tells from which size on it is not."""
    low, high = bounds(size)
    if (low is None or low <= 1) and (high is None or high >= 1) and size != 1:
        raise _hangs(f"on whether {size} is 1", size)
    return size == 1


def dense(shape: Sequence[DimLike]) -> Layout:
    """The layout of an array that is all of its memory, row by row."""
    strides: list[DimLike] = []
    step: DimLike = 1
    for size in reversed(shape):
        strides.append(step)
        step = mul(step, max(size, 1) if isinstance(size, int) else size)
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
