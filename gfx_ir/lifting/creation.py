"""Making arrays: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..build import shown
from ..defaults import dtype_for
from ..dtypes import DType
from ..graph import Value
from ..op import OpDef, lookup
from ..trees import leaves
from .ranks import require
from .words import Dialect, Lifted, Table, element, expect, frozen, rank


def joined(x: Any, rules: str, dtype: Any = None) -> Any:
    """The array that a list or tuple of numbers and arrays means: the dtype, where none is given, is by the `rules` of a framework."""
    inside = [leaf for leaf in leaves(x) if isinstance(leaf, Value)]
    if not inside:
        return ops.constant(frozen(x), dtype or dtype_for(x, rules))
    if not any(leaf.is_tensor for leaf in inside):
        return ops.as_tensor(x, dtype=dtype or dtype_for(x, rules))
    made = ops.stack(tuple(_item(item, rules) for item in x))
    return made if dtype is None else ops.astype(made, dtype)


def _item(x: Any, rules: str) -> Any:
    """An item of a list: beside arrays a Python number, known or open, has its own dtype there."""
    if isinstance(x, (bool, int, float, complex)) or (isinstance(x, Value) and not x.is_tensor):
        return ops.as_tensor(x, dtype=dtype_for(x, rules))
    return joined(x, rules) if isinstance(x, (list, tuple)) else x


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
        given = list(map(self.say.as_array, xi))
        if self.say.rules == "jax":
            for x in given:
                require(self.say.call("meshgrid"), x, "==", 1)
        vectors = (ops.reshape(x, (1,)) if rank(x) == 0 else x for x in given)
        found = ops.meshgrid(tuple(vectors), indexing=indexing)
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
        return shown(self.op(self.dtype, field))

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
