"""Making arrays: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..dtypes import DType
from ..op import OpDef, active, lookup
from .words import Dialect, Lifted, Table, element, expect


class Grids:
    """Axes of grids."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> Table:
        """Lifts by op."""
        return {"meshgrid": {"meshgrid": self.meshgrid, "indices": self.indices}}

    def meshgrid(self, *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
        """Vectors as the axes of a grid."""
        expect(self.say.call("meshgrid"), "sparse", sparse, False)
        found = ops.meshgrid(tuple(map(self.say.as_array, xi)), indexing=indexing)
        return self.say.several(found if isinstance(found, (tuple, list)) else (found,))

    def indices(self, dimensions: Any, dtype: Any = None, sparse: bool = False) -> Any:
        """The position along each axis of each element of a grid."""
        count = len(dimensions)
        made = []
        for axis, size in enumerate(dimensions):
            others = tuple(a for a in range(count) if a != axis)
            steps = ops.arange(size, dtype=element(dtype))
            steps = ops.expand_dims(steps, others) if others else steps
            made.append(steps if sparse else ops.broadcast_to(steps, tuple(dimensions)))
        return tuple(made) if sparse else ops.stack(tuple(made))


class Limits:
    """What finfo and iinfo give for a dtype that is open."""

    def __init__(self, dtype: Any, op: OpDef) -> None:
        self.dtype, self.op = dtype, op

    def _ask(self, field: str) -> Any:
        found = self.op(self.dtype, field)
        wrap = getattr(active.builder, "wrap", None)  # a tracer: what the traced function is to see
        return found if wrap is None else wrap(found)

    @property
    def min(self) -> Any:
        """The smallest number."""
        return self._ask("min")

    @property
    def max(self) -> Any:
        """The largest number."""
        return self._ask("max")

    @property
    def eps(self) -> Any:
        """The distance from 1 to the next number."""
        return self._ask("eps")

    @property
    def tiny(self) -> Any:
        """The smallest positive number of full precision."""
        return self._ask("tiny")


def limits(function: str, native: Callable[[Any], Any]) -> Lifted:
    """The lift of finfo or iinfo: the framework's own answer for a dtype that is known."""
    op = lookup(function)

    def lift(dtype: Any) -> Any:
        known = element(dtype)
        return native(known.numpy) if isinstance(known, DType) else Limits(dtype, op)

    return lift
