"""Looking for elements: positions, sets, counts, order statistics. What NumPy and jax.numpy mean alike."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

from .. import ops
from ..build import host, surely_boolean
from ..defaults import dtype_for
from ..dtypes import DType, bool_, float32, float64, int64
from ..errors import MissingOp
from ..graph import Value
from ..op import lookup
from ..ops import _seen
from ..promotion import promote
from ..types import LogicalTensor
from .ranks import of_one_shape, require
from .words import Dialect, Lifted, Table, ask_rank, expect, frozen, kind_of, known_dtype, rank

All = namedtuple("All", ("values", "indices", "inverse_indices", "counts"))
Counts = namedtuple("Counts", ("values", "counts"))
Inverse = namedtuple("Inverse", ("values", "inverse_indices"))


class Searching:
    """Positions and sets."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> Table:
        """Lifts by op."""
        return {
            "nonzero": {"nonzero .nonzero": self.nonzero},
            "argwhere": {"argwhere": self.argwhere, "flatnonzero": self.flatnonzero},
            "unique": {
                "unique": self.unique,
                "unique_values": lambda x, /, **options: self.unique(x, equal_nan=False, **options),
                "unique_counts": self.unique_counts,
                "unique_inverse": self.unique_inverse,
                "unique_all": self.unique_all,
                "union1d": self.union1d,
                "intersect1d": self.intersect1d,
                "setdiff1d": self.setdiff1d,
                "setxor1d": self.setxor1d,
            },
            "isin": {"isin": self.isin},
            "getitem": {"extract": self.extract, "compress": self.compress, ".compress": self.compressed},
            "sort": {"partition": self.partition},
            "argsort": {"argpartition .argpartition": self.argpartition, "lexsort": self.lexsort},
        }

    def nonzero(self, a: Any, *, size: Any = None, fill_value: Any = None) -> Any:
        """Positions of what is not 0, one array for each axis."""
        a, call = self.say.as_array(a), self.say.call("nonzero")
        if rank(a) is not None:
            require(call, a, ">=", 1)
        if size is None and rank(a) is not None:
            found = ops.nonzero(a)
            return found if isinstance(found, tuple) else (found,)
        axes = ask_rank(a, call, 1)
        rows = self.argwhere(a, size=size, fill_value=fill_value)
        return tuple([ops.getitem(rows, (slice(None), at)) for at in range(axes)])

    def argwhere(self, a: Any, *, size: Any = None, fill_value: Any = None) -> Any:
        """Positions of what is not 0, one in a row."""
        if isinstance(fill_value, (tuple, list)):
            self.say.refuse(self.say.call("argwhere"), fill_value=fill_value)
        return ops.argwhere(self.say.as_array(a), size, 0 if fill_value is None else fill_value)

    def flatnonzero(self, a: Any, *, size: Any = None, fill_value: Any = None) -> Any:
        """Positions of what is not 0 among all elements in a row."""
        rows = self.argwhere(ops.flatten(self.say.as_array(a)), size=size, fill_value=fill_value)
        return ops.getitem(rows, (slice(None), 0))

    def unique(
        self, ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
        axis: Any = None, *, equal_nan: bool = True, size: Any = None, fill_value: Any = None, sorted: bool = True,
    ) -> Any:  # fmt: skip
        """The different elements in order."""
        flags = (bool(return_index), bool(return_inverse), bool(return_counts))
        return ops.unique(self.say.as_array(ar), axis, *flags, equal_nan, size, fill_value)

    def unique_counts(self, x: Any, /, **options: Any) -> Any:
        """The different elements, and how many there are of each."""
        return Counts(*self.unique(x, return_counts=True, equal_nan=False, **options))

    def unique_inverse(self, x: Any, /, **options: Any) -> Any:
        """The different elements, and which of them each element is."""
        return Inverse(*self.unique(x, return_inverse=True, equal_nan=False, **options))

    def unique_all(self, x: Any, /, **options: Any) -> Any:
        """The different elements with all that can be said of them."""
        return All(*self.unique(x, True, True, True, equal_nan=False, **options))

    def _flat(self, x: Any) -> Any:
        return ops.flatten(self.say.as_array(x))

    def union1d(self, ar1: Any, ar2: Any, **options: Any) -> Any:
        """What is in one or the other."""
        self.say.refuse(self.say.call("union1d"), **options)
        return ops.unique(ops.concat((self._flat(ar1), self._flat(ar2))))

    def _chosen(self, a: Any, b: Any, invert: bool) -> Any:
        found = ops.unique(self._flat(a))
        return ops.getitem(found, ops.isin(found, self._flat(b), invert))

    def intersect1d(
        self, ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False, **options: Any
    ) -> Any:
        """What is in both, in the dtype that holds either."""
        expect(self.say.call("intersect1d"), "return_indices", return_indices, False)
        self.say.refuse(self.say.call("intersect1d"), **options)
        found, given = self._chosen(ar1, ar2, False), map(self.say.as_array, (ar1, ar2))
        dtype, _ = promote([LogicalTensor(known_dtype(x)) for x in given], self.say.rules)
        return found if dtype in (None, known_dtype(ar1)) else ops.astype(found, dtype)

    def setdiff1d(self, ar1: Any, ar2: Any, assume_unique: bool = False, **options: Any) -> Any:
        """What is in the first alone."""
        expect(self.say.call("setdiff1d"), "assume_unique", assume_unique, False)
        self.say.refuse(self.say.call("setdiff1d"), **options)
        return self._chosen(ar1, ar2, True)

    def setxor1d(self, ar1: Any, ar2: Any, assume_unique: bool = False, **options: Any) -> Any:
        """What is in one of them alone."""
        self.say.refuse(self.say.call("setxor1d"), **options)
        return ops.sort(ops.concat((self._chosen(ar1, ar2, True), self._chosen(ar2, ar1, True))))

    def isin(
        self, element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, **options: Any
    ) -> Any:
        """Which elements are among others."""
        return ops.isin(self.say.as_array(element), self.say.as_array(test_elements), invert)

    def extract(self, condition: Any, arr: Any, **options: Any) -> Any:
        """Elements where a condition holds."""
        self.say.refuse(self.say.call("extract"), **options)
        return ops.getitem(self._flat(arr), self._holding(self._flat(condition)))

    def _holding(self, condition: Any) -> Any:
        """Where a condition holds, which may be of numbers."""
        return condition if kind_of(condition) == "b" else ops.astype(condition, bool_)

    def compress(self, condition: Any, a: Any, axis: Any = None, out: Any = None, **options: Any) -> Any:
        """Slices where a condition holds."""
        self.say.refuse(self.say.call("compress"), out=out, **options)
        if isinstance(condition, (tuple, list)) and not any(isinstance(c, Value) for c in condition):
            kept = ops.as_tensor([at for at, holds in enumerate(condition) if holds], dtype=int64)
        else:
            condition = self.say.as_array(condition)
            require(self.say.call("compress"), condition, "==", 1)
            kept = ops.getitem(ops.argwhere(condition), (slice(None), 0))
        if axis is None:
            return ops.take(self._flat(a), kept, axis=0)
        return ops.take(self.say.as_array(a), kept, axis=axis)

    def compressed(self, a: Any, condition: Any, axis: Any = None, out: Any = None, **options: Any) -> Any:
        """The method, whose array comes first."""
        return self.compress(condition, a, axis, out, **options)

    def partition(self, a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
        """Sorted, which is the most orderly partition."""
        x, axis = (self._flat(a), -1) if axis is None else (self.say.as_array(a), axis)
        self.say.refuse(self.say.call("partition"), field=order)
        return ops.sort(x, axis=axis)

    def argpartition(self, a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
        """Positions of the sorted elements."""
        x, axis = (self._flat(a), -1) if axis is None else (self.say.as_array(a), axis)
        self.say.refuse(self.say.call("argpartition"), field=order)
        return ops.argsort(x, axis=axis)

    def lexsort(self, keys: Any, axis: Any = -1) -> Any:
        """Positions that sort by the last key, where it is equal by the one before it, and so on."""
        if isinstance(keys, Value):
            count = _seen.length(keys, 0, f"{self.say.call('lexsort')} needs to know how many keys there are")
            keys = [ops.getitem(keys, at) for at in range(count)]
        arrays = list(map(self.say.as_array, keys))
        order = ops.argsort(arrays[0], axis=axis)
        for key in arrays[1:]:
            of_one_shape(self.say.call("lexsort"), arrays[0], key)
            step = ops.argsort(ops.take_along_axis(key, order, axis=axis), axis=axis)
            order = ops.take_along_axis(order, step, axis=axis)
        return order


class Counting:
    """Histograms and quantiles."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> Table:
        """Lifts by op."""
        return {
            "bincount": {"bincount": self.bincount},
            "histogram": {"histogram": self.histogram, "histogram_bin_edges": self.bin_edges},
            "histogramdd": {"histogramdd": self.histogramdd, "histogram2d": self.histogram2d},
            "quantile": {"quantile": self.quantile("quantile", 1), "percentile": self.quantile("quantile", 100)},
            "nanquantile": {
                "nanquantile": self.quantile("nanquantile", 1),
                "nanpercentile": self.quantile("nanquantile", 100),
            },
            "median": {"median": self.median("median")},
            "nanmedian": {"nanmedian": self.median("nanmedian")},
        }

    def bincount(self, x: Any, weights: Any = None, minlength: Any = 0, *, length: Any = None) -> Any:
        """How often each number occurs."""
        weights = None if weights is None else self.say.as_array(weights)
        return ops.bincount(self.say.as_array(x), weights, minlength, length)

    def bin_edges(self, a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
        """The edges of bins: those given, or of equal bins from the least element to the largest."""
        if isinstance(bins, str):
            raise MissingOp(f"GFX has no row for bins={bins!r}", hint="give the number of bins, or their edges")
        if isinstance(bins, (tuple, list)) or (isinstance(bins, Value) and bins.is_tensor):
            return self.say.as_array(frozen(bins))
        if range is not None:
            low, high = range
            if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low == high:
                low, high = low - 0.5, high + 0.5
            return ops.linspace(low, high, host("+", bins, 1), dtype=self._edge_dtype(a))
        x = self.say.as_array(a)
        low, high = ops.min(x), ops.max(x)
        same = ops.equal(low, high)
        apart = (ops.where(same, ops.subtract(low, 0.5), low), ops.where(same, ops.add(high, 0.5), high))
        return ops.linspace(*apart, host("+", bins, 1), dtype=self._edge_dtype(a))

    def _edge_dtype(self, a: Any) -> DType | None:
        """The dtype of edges that are computed: the array's own, of whole numbers NumPy's float; None where that is not known."""
        known = known_dtype(self.say.floats(a))
        return known if known is None or known.kind == "f" else float64

    def _counted(self, found: Any, dtype: DType) -> Any:
        """Counts as NumPy gives them."""
        return ops.astype(found, dtype) if self.say.rules == "numpy" else found

    def histogram(self, a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
        """How many elements fall into each bin, and the edges of the bins."""
        edges = self.bin_edges(a, bins, range)
        if weights is not None:
            weights = self.say.as_array(weights)
            of_one_shape(self.say.call("histogram"), self.say.as_array(a), weights)
            weights = ops.flatten(weights)
        found = ops.histogram(ops.flatten(self.say.as_array(a)), edges, weights, bool(density))
        return found if density or weights is not None else self._counted(found, int64), edges

    def histogramdd(
        self, sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
    ) -> Any:
        """How many points fall into each cell, and the edges along each axis."""
        if isinstance(sample, (tuple, list)):
            sample = ops.stack(tuple(map(self.say.as_array, sample)), axis=-1)
        count = _seen.length(sample, 1, f"{self.say.call('histogramdd')} needs the number of coordinates")
        each = list(bins) if isinstance(bins, (tuple, list)) else [bins] * count
        ranges = [None] * count if range is None else list(range)
        columns = [ops.getitem(sample, (slice(None), at)) for at in builtin_range(count)]
        edges = tuple(self.bin_edges(x, b, r) for x, b, r in zip(columns, each, ranges))
        weights = None if weights is None else self.say.as_array(weights)
        found = ops.histogramdd(sample, edges, weights, bool(density))
        return self._counted(found, float64), self.say.several(edges)

    def histogram2d(
        self, x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
    ) -> Any:
        """How many points fall into each cell, and the edges along both axes."""
        if isinstance(bins, Value) and bins.is_tensor:
            bins = [bins, bins]
        found, edges = self.histogramdd([x, y], bins, range, density, weights)
        return (found, *edges)

    def quantile(self, name: str, scale: int) -> Lifted:
        """Quantiles, of shares from 0 to `scale`."""
        op, call = lookup(name), self.say.call(name)

        def lift(
            a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
            keepdims: bool = False, *, weights: Any = None, interpolation: Any = None,
        ) -> Any:  # fmt: skip
            self.say.refuse(call, out=out, weights=weights, interpolation=interpolation)
            shares = self.say.as_array(frozen(q) if isinstance(q, (list, tuple)) else q)
            if scale != 1:
                shares = shares / scale if isinstance(shares, (int, float)) else ops.divide(shares, scale)
            a = self.say.as_array(a)
            if method == "nearest" and self.say.rules == "jax":
                shares = self._lower_of_two(call, name, a, shares, axis)
            if (rank(shares) or 0) < 2 or self.say.rules != "numpy":
                return op(a, shares, axis, bool(keepdims), method)
            require(call, shares, "<=", 2)
            found, outer = op(a, ops.flatten(shares), axis, bool(keepdims), method), lookup("shape")(shares)
            return ops.reshape(found, host("+", outer, host("getitem", lookup("shape")(found), slice(1, None))))

        return lift

    def _lower_of_two(self, call: str, name: str, a: Any, shares: Any, axis: Any) -> Any:
        """Shares that lie on elements, the lower of two that are as near, of which NumPy and PyTorch take the even one."""
        if name == "nanquantile" or isinstance(axis, (tuple, list)):
            self.say.refuse(call, method="nearest")
        size = ops.numel(a) if axis is None else ops.size(a, axis)
        steps = host("max", host("-", size, 1), 1)
        if isinstance(shares, (int, float)) and isinstance(steps, int):
            return math.ceil(shares * steps - 0.5) / steps
        return ops.divide(ops.ceil(ops.subtract(ops.multiply(shares, steps), 0.5)), steps)

    def median(self, name: str) -> Lifted:
        """The middle element, or the mean of two."""
        op, call = lookup(name), self.say.call(name)

        def lift(
            a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
        ) -> Any:
            self.say.refuse(call, out=out)
            a = self.say.as_array(a)
            truths = kind_of(a) == "b" or (isinstance(a, Value) and surely_boolean(a))  # which have no differences
            return op(ops.astype(a, float_of_truths(self.say.rules)) if truths else a, axis, bool(keepdims))

        return lift


def float_of_truths(rules: str) -> DType:
    """The float as which booleans are averaged."""
    return float64 if rules == "numpy" else float32


builtin_range = range


def accumulations(say: Dialect) -> Table:
    """Ufuncs run along an axis: `np.maximum.accumulate`."""

    def running(op: str) -> Lifted:
        def lift(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
            say.refuse(say.call("accumulate"), dtype=dtype, out=out)
            return lookup(op)(say.as_array(array), axis)

        return lift

    pairs = {
        "cumulative_max": "maximum",
        "cumulative_min": "minimum",
        "cumulative_sum": "add",
        "cumulative_prod": "multiply",
    }
    return {op: {f"{ufunc}.accumulate": running(op)} for op, ufunc in pairs.items()}


def foldings(say: Dialect) -> dict[str, Lifted]:
    """Ufuncs over an axis, and of each element with each: `np.maximum.reduce`, `np.multiply.outer`."""

    def reduced(op: str) -> Lifted:
        def lift(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
            say.refuse(say.call("reduce"), dtype=dtype, out=out)
            return lookup(op)(say.as_array(array), axis=axis, keepdims=keepdims)

        return lift

    def array(x: Any) -> Any:
        """An operand; NumPy makes arrays of numbers, whose dtypes count."""
        number = say.rules == "numpy" and isinstance(x, (int, float, complex))
        return ops.as_tensor(x, dtype=dtype_for(x, say.rules)) if number else say.as_array(x)

    def outer(op: str) -> Lifted:
        def lift(a: Any, b: Any) -> Any:
            a, b = array(a), array(b)
            behind = ask_rank(b, say.call("outer"))
            ahead = ask_rank(a, say.call("outer"))
            return lookup(op)(ops.expand_dims(a, tuple(range(ahead, ahead + behind))) if behind else a, b)

        return lift

    reductions = {
        "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
    }  # fmt: skip
    pairs = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
    found = {f"{ufunc}.reduce": reduced(op) for ufunc, op in reductions.items()}
    return found | {f"{op}.outer": outer(op) for op in pairs}
