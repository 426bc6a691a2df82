"""Sizes that stay open with `dynamic=True`: which axes of the arrays that were given have one of their own, and which share one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gfx_ir.bound import Bound
from gfx_ir.host import Dim, DimLike, atoms

Axis = tuple[str, int]
"""The path of an argument, and one of its axes."""


class Sizes:
    """Those of one capture. `opened`: the axes whose sizes stay open, each with the axis that has that size first; None: all of them,
    each by itself. `bounds`: how far some are open. `seen`: the sizes of the example, of all axes that the capture came to."""

    def __init__(self, opened: Mapping[Axis, Axis] | None = None, bounds: Mapping[Axis, Bound] | None = None) -> None:
        self.opened, self.bounds = opened, bounds or {}
        self.seen: dict[Axis, int] = {}
        self._dims: dict[Axis, DimLike] = {}

    def dims(self, path: str, shape: Sequence[int], name: str, kept: Collection[int]) -> tuple[DimLike, ...]:
        """The sizes of the argument at a path, which the example has of this shape; `kept` axes are fixed whatever is opened. Open ones of
        its own are called `name` and their number."""
        places = enumerate(shape)
        return tuple(size if axis in kept else self._dim((path, axis), size, f"{name}_{axis}") for axis, size in places)

    def _dim(self, here: Axis, size: int, name: str) -> DimLike:
        self.seen[here] = size
        if self.opened is not None and here not in self.opened:
            return size
        first = here if self.opened is None else self.opened[here]
        least, most, step = self.bounds.get(first, Bound())
        return self._dims.setdefault(first, Dim(name, min=-(-least // step), max=most and most // step) * step)

    def axis(self, name: str) -> Axis | None:
        """The first axis of the size that is called so."""
        return next((axis for axis, dim in self._dims.items() if name in (atom.name for atom in atoms(dim))), None)

    def example(self, name: str) -> int | None:
        """The size that the example has where one is called so."""
        axis = self.axis(name)
        return None if axis is None else self.seen[axis] // self.step(name)

    def step(self, name: str) -> int:
        """How many sizes of that name its axis has."""
        axis = self.axis(name)
        return 1 if axis is None else self.bounds.get(axis, Bound()).step

    def told(self) -> list[str]:
        """What is not open by itself, in words."""
        found = []
        for here, size in self.seen.items():
            first = here if self.opened is None else self.opened.get(here)
            path, axis = here
            if first is None:
                found.append(f"size {size} of {path!r}, axis {axis}, is fixed")
            elif first != here:
                found.append(f"the size of {path!r}, axis {axis}, is that of {first[0]!r}, axis {first[1]}")
            elif here in self.bounds:
                found.append(f"the size of {path!r}, axis {axis}, is {self.bounds[here].told()}")
        return found
