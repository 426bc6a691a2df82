"""Strides of dense and given layouts: what is unknown of them follows from the dims, by three rules.

Source: the oneDNN Graph RFC "Support inferring output shapes and strides" (its option 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .errors import InvalidShape
from .memory import dense

_TOLD = "give all strides, none of them, or one 1 (the dense axis) with the rest unknown"


def completed(dims: Sequence[int], strides: Sequence[int | None] | None) -> tuple[int, ...]:
    """The strides, in elements, of a strided tensor of these dims.

    Fully given ones are kept. Fully unknown ones (None) are dense and row-major. One 1 with the rest unknown puts the dense axis
    there, and the other axes lie row-major around it: dims (1, 2, 3) with (None, 1, None) have (6, 1, 2). Raises InvalidShape for
    any other strides, and for those of another number of axes.
    """
    if strides is None:
        return dense(dims).strides
    if len(strides) != len(dims):
        raise InvalidShape(f"strides {shown(strides)} for {len(dims)} axes")
    known = [step for step in strides if step is not None]
    if min(known, default=0) < 0:
        raise InvalidShape(f"strides {shown(strides)} go backwards", hint=_TOLD)
    if len(known) == len(strides):
        return tuple(known)
    if not known:
        return dense(dims).strides
    if known != [1]:
        raise InvalidShape(f"strides {shown(strides)} are given in part", hint=_TOLD)
    first = list(strides).index(1)
    found, step = [0] * len(dims), 1
    for axis in (first, *(at for at in reversed(range(len(dims))) if at != first)):
        found[axis] = step
        step *= max(dims[axis], 1)
    return tuple(found)


def overlap(dims: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two elements of such a tensor share a place, so that it cannot be written."""
    if 0 in dims:
        return False
    reach, clear = 0, True
    for step, size in sorted((abs(step), size) for step, size in zip(strides, dims) if size > 1):
        clear = clear and step > reach
        reach += step * (size - 1)
    if clear:
        return False
    places = _places(dims, strides)
    return bool(np.unique(places).size < places.size)


@dataclass(frozen=True)
class Extent:
    """Memory of a strided tensor: the address of its first element, dims, strides in elements, bytes of an element."""

    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    def bounds(self) -> tuple[int, int]:
        """The first byte, and the one behind the last."""
        if 0 in self.dims:
            return self.address, self.address
        reach = [self.itemsize * step * (size - 1) for step, size in zip(self.strides, self.dims)]
        low, high = sum(min(0, step) for step in reach), sum(max(0, step) for step in reach)
        return self.address + low, self.address + high + self.itemsize

    def places(self) -> np.ndarray:
        """The address of each element."""
        return self.address + self.itemsize * _places(self.dims, self.strides).ravel()


def share(first: Extent | None, second: Extent | None) -> bool:
    """Whether two tensors have a byte in common; what is not known has none."""
    if first is None or second is None:
        return False
    (a, b), (c, d) = first.bounds(), second.bounds()
    if b <= c or d <= a or a == b or c == d:
        return False
    width = np.gcd(first.itemsize, second.itemsize)
    if (first.address - second.address) % width:
        return True
    one, other = [(x.places()[:, None] + np.arange(0, x.itemsize, width)).ravel() for x in (first, second)]
    return bool(np.isin(one, other).any())


def _places(dims: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    places = np.zeros((), np.int64)
    for step, size in zip(strides, dims):
        places = places[..., None] + step * np.arange(size)
    return places


def shown(sizes: Sequence[int | None]) -> str:
    """Sizes as an error shows them: -1 is unknown."""
    return "{" + ", ".join("-1" if size is None else str(size) for size in sizes) + "}"
