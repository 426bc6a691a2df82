"""Over axes: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..build import Builder
from ..defaults import dtype_for
from ..dtypes import float64
from ..graph import Value
from ..op import active, lookup
from ..ops._views import along
from .ranks import of_one_shape, of_one_size, require, spread
from .words import Dialect, Lifted, Table, as_held, ask_rank, element, expect, kind_of, rank, surely_floats

"""Of the whole numbers that a framework makes of Python's, at least."""


class Reductions:
    """Sums, extrema, statistics, norms, differences."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> Table:
        """Lifts by op."""
        return {
            "sum": {"sum .sum": self.total("sum"), "nansum": self.nansum},
            "prod": {"prod .prod": self.total("prod")},
            "mean": {"mean .mean": self.mean, "average": self.average},
            "var": {"var .var": self.spread("var")},
            "std": {"std .std": self.spread("std")},
            "max": {"max amax .max": self.extremum("max", "maximum"), "ptp": self.ptp},
            "min": {"min amin .min": self.extremum("min", "minimum")},
            "all": {"all .all": self.truth("all")},
            "any": {"any .any": self.truth("any")},
            "argmax": {"argmax .argmax": self.position("argmax")},
            "argmin": {"argmin .argmin": self.position("argmin")},
            "count_nonzero": {"count_nonzero": self.count_nonzero},
            "cumulative_sum": {**self.cumulative("cumulative_sum", "cumsum"), "diff": self.diff},
            "cumulative_prod": self.cumulative("cumulative_prod", "cumprod"),
            "vector_norm": {"linalg.norm": self.norm, "linalg.vector_norm": self.vector_norm},
            "matrix_norm": {"linalg.matrix_norm": self.matrix_norm},
            "array_equal": {"array_equal": self.array_equal},
        }

    def total(self, name: str) -> Lifted:
        """sum, prod."""
        op, neutral, call = lookup(name), 0 if name == "sum" else 1, self.say.call(name)

        def lift(
            a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
            where: Any = None, **options: Any,
        ) -> Any:  # fmt: skip
            self.say.refuse(call, out=out, initial=None if type(initial) is int and initial == neutral else initial)
            self.say.refuse(call, **options)
            a = self.say.as_array(a)
            if where is not None and where is not True:
                a = ops.where(spread(call, a, where), a, neutral)
            return op(a, axis=axis, dtype=element(dtype), keepdims=keepdims)

        return lift

    def mean(
        self, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None
    ) -> Any:
        """The mean."""
        self.say.refuse(self.say.call("mean"), out=out, where=where)
        a = self.say.as_array(a)
        if dtype is None and self.say.rules == "numpy" and _is_comparison(a):
            dtype = float64  # what NumPy gives; other frameworks take no mean of booleans
        return ops.mean(a, axis=axis, keepdims=keepdims, dtype=element(dtype))

    def spread(self, name: str) -> Lifted:
        """var, std."""
        op = lookup(name)

        def lift(
            a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False, *,
            where: Any = None, mean: Any = None, correction: Any = None,
        ) -> Any:  # fmt: skip
            self.say.refuse(self.say.call(name), out=out, where=where, mean=mean)
            a = self.say.as_array(a)
            a = a if dtype is None else ops.astype(a, element(dtype))
            return op(a, axis=axis, correction=ddof if correction is None else correction, keepdims=keepdims)

        return lift

    def extremum(self, name: str, combine: str) -> Lifted:
        """max, min; elements that `where` leaves out count as `initial`."""
        op, call = lookup(name), self.say.call(name)

        def lift(
            a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None
        ) -> Any:
            self.say.refuse(call, out=out)
            a = self.say.as_array(a)
            initial = as_held(initial, kind_of(a))
            if where is not None and where is not True:
                if initial is None:
                    self.say.refuse(f"{call} without initial=", where=where)
                a = ops.where(spread(call, a, where), a, initial)
            found = op(a, axis=axis, keepdims=keepdims)
            return found if initial is None else lookup(combine)(found, initial)

        return lift

    def truth(self, name: str) -> Lifted:
        """all, any."""
        op = lookup(name)

        def lift(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None) -> Any:
            self.say.refuse(self.say.call(name), out=out, where=where)
            return op(self.say.as_array(a), axis=axis, keepdims=keepdims)

        return lift

    def position(self, name: str) -> Lifted:
        """argmax, argmin."""
        op = lookup(name)

        def lift(a: Any, axis: Any = None, out: Any = None, keepdims: bool | None = None) -> Any:
            self.say.refuse(self.say.call(name), out=out)
            return op(self.say.as_array(a), axis=axis, keepdims=bool(keepdims))

        return lift

    def cumulative(self, name: str, short: str) -> dict[str, Lifted]:
        """cumsum, cumprod, under NumPy's own name and that of the array API."""
        op = lookup(name)

        def lift(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
            self.say.refuse(self.say.call(short), out=out)
            x = self.say.as_array(a)
            return op(x, axis=axis, dtype=element(dtype))

        def standard(
            x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
        ) -> Any:
            x = self.say.as_array(x)
            if axis is None:
                require(self.say.call(name), x, "<=", 1)
            wide = name == "cumulative_sum" and self.say.rules == "jax"
            if wide and dtype is None and kind_of(x) not in ("f", "c"):
                dtype = ops.dtype_of(ops.sum(x))  # JAX's function of this name adds up as wide as its sum
            found = lift(x, axis, dtype, out)
            if not include_initial:
                return found
            part = along(0 if axis is None else axis, slice(0, 1))
            first = ops.full_like(ops.getitem(found, part), int(name == "cumulative_prod"))
            return ops.concat((first, found), axis=0 if axis is None else axis)

        return {f"{short} .{short}": lift, name: standard}

    def norm(self, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
        """Of a vector, a matrix, or all elements as one vector."""
        x = _floats(self.say.as_array(x))
        of_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
        if ord is None or (axis is not None and not of_matrix):
            return ops.vector_norm(x, axis=axis, keepdims=keepdims, ord=2 if ord is None else ord)
        call = f"{self.say.call('linalg.norm')} with ord={ord!r} and no axis"
        if axis is None and ask_rank(x, call) != 2:
            require(call, x, "==", 1)
            return ops.vector_norm(x, axis=None, keepdims=keepdims, ord=ord)
        return ops.matrix_norm(x, ord=ord, keepdims=keepdims, axis=(-2, -1) if axis is None else tuple(axis))

    def vector_norm(self, x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
        """Of vectors along axes; JAX's of whole numbers may be whole."""
        x = self.say.as_array(x)
        x = _floats(x) if self.say.rules == "numpy" else x
        return ops.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)

    def matrix_norm(self, x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
        """Of matrices, the last two axes."""
        return ops.matrix_norm(self.say.as_array(x), ord=ord, keepdims=keepdims)

    def average(
        self, a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: Any = False
    ) -> Any:
        """The mean, elements counting by their weights."""
        expect(self.say.call("average"), "returned", returned, False)
        a = self.say.as_array(a)
        if weights is None:
            return ops.mean(a, axis=axis, keepdims=keepdims)
        a = _floats(a) if kind_of(a) else surely_floats(a, self.say.rules)
        weights = self.say.as_array(weights)
        if isinstance(axis, int) and ask_rank(weights, self.say.call("average"), 1) == 1:
            return self._weighed(a, axis, weights, keepdims)
        of_one_shape(self.say.call("average"), a, weights)
        total = ops.sum(ops.multiply(a, weights), axis=axis, keepdims=keepdims)
        return ops.divide(total, ops.sum(weights, axis=axis, keepdims=keepdims))

    def _weighed(self, a: Any, axis: int, weights: Any, keepdims: Any) -> Any:
        """The mean along an axis, whose places have these weights."""
        of_one_size(self.say.call("average"), a, axis, weights, 0)
        if axis >= 0 and rank(a) is None:
            total = ops.sum(ops.multiply(ops.moveaxis(a, axis, -1), weights), axis=-1)
            found = ops.divide(total, ops.sum(weights))
            return ops.expand_dims(found, axis) if keepdims else found
        behind = -1 - axis if axis < 0 else ask_rank(a, self.say.call("average")) - 1 - axis
        spread = ops.expand_dims(weights, tuple(range(1, behind + 1))) if behind else weights
        return ops.divide(ops.sum(ops.multiply(a, spread), axis=axis, keepdims=keepdims), ops.sum(weights))

    def ptp(self, a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """From the smallest to the largest."""
        self.say.refuse(self.say.call("ptp"), out=out)
        a = self.say.as_array(a)
        return ops.subtract(ops.max(a, axis=axis, keepdims=keepdims), ops.min(a, axis=axis, keepdims=keepdims))

    def diff(self, a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
        """Differences of neighbours, n times."""
        a = self.say.as_array(a)
        parts = (*self._end(a, prepend, axis), a, *self._end(a, append, axis))
        a = ops.concat(parts, axis=axis) if len(parts) > 1 else a
        before: tuple = (...,) if axis < 0 else (slice(None),) * axis
        after: tuple = (slice(None),) * (-1 - axis) if axis < 0 else ()
        apart = ops.not_equal if kind_of(a) == "b" or _is_comparison(a) else ops.subtract  # where booleans change
        for _ in range(n):
            later, earlier = ((*before, part, *after) for part in (slice(1, None), slice(None, -1)))
            a = apart(ops.getitem(a, later), ops.getitem(a, earlier))
        return a

    def _end(self, a: Any, x: Any, axis: int) -> list:
        """What stands before or behind an array along an axis: nothing, an array, or a number for each place."""
        if x is None:
            return []
        x = self.say.as_array(x)
        if isinstance(x, Value):
            return [x]
        strong = dtype_for(x, "numpy") if self.say.rules == "numpy" else None
        return [ops.full_like(ops.getitem(a, along(axis, slice(0, 1))), x, dtype=strong)]

    def nansum(
        self, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **more: Any
    ) -> Any:
        """The sum, NaN counting as 0."""
        self.say.refuse(self.say.call("nansum"), out=out, **more)
        a = self.say.as_array(a)
        return ops.sum(ops.where(ops.isnan(a), 0, a), axis=axis, dtype=element(dtype), keepdims=keepdims)

    def count_nonzero(self, a: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """How many elements are not 0."""
        return ops.count_nonzero(self.say.as_array(a), axis=axis, keepdims=keepdims)

    def array_equal(self, a1: Any, a2: Any, equal_nan: bool = False) -> Any:
        """Whether shapes and elements are equal."""
        expect(self.say.call("array_equal"), "equal_nan", equal_nan, False)
        return self.say.answer(ops.array_equal(self.say.as_array(a1), self.say.as_array(a2)))


def _is_comparison(a: Any) -> bool:
    """Whether an array whose dtype is not known holds booleans by the way it was made."""
    builder = active.builder
    return isinstance(builder, Builder) and kind_of(a) is None and isinstance(a, Value) and builder.is_boolean(a)


def _floats(x: Any) -> Any:
    """x, which norms take as floats where it is known to hold whole numbers or booleans."""
    return ops.divide(x, 1) if kind_of(x) in ("b", "i", "u") else x
