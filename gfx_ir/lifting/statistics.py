"""Statistics and integrals: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..dtypes import DType
from ..errors import ShapeError
from ..graph import Value
from ..ops.statistics import areas
from ..types import LogicalTensor
from .ranks import not_one, of_one_size, require
from .words import Dialect, Table, ask_rank, expect, kind_of


class Statistics:
    """Covariances, correlations, integrals, slopes."""

    def __init__(self, say: Dialect, least: DType | None = None) -> None:
        """`least`: the dtype that covariances have at least."""
        self.say, self.least = say, least

    def table(self) -> Table:
        """Lifts by op."""
        return {
            "trapezoid": {"trapezoid": self.trapezoid, "gradient": self.gradient},
            "cov": {"cov": self.cov},
            "corrcoef": {"corrcoef": self.corrcoef},
        }

    def trapezoid(self, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
        """The integral by trapezoids."""
        y, x = self.say.floats(y), None if x is None else self.say.floats(x)
        if kind_of(y) in ("b", "i", "u"):  # which NumPy adds as they are
            return ops.sum(areas(y, x, dx, axis), axis=axis)
        return ops.trapezoid(y, x, dx, axis)

    def _wide(self, x: Any) -> Any:
        x = self.say.as_array(x)
        return x if self.least is None else ops.astype(x, self.least)

    def cov(
        self, m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
        aweights: Any = None, **options: Any,
    ) -> Any:  # fmt: skip
        """Covariances of rows, or of columns."""
        self.say.refuse(self.say.call("cov"), **options)
        rows = self._rows(self.say.call("cov"), m, y, rowvar)
        for weights in (fweights, aweights):
            if weights is not None:
                require(self.say.call("cov"), weights, "==", 1)
                of_one_size(self.say.call("cov"), rows, -1, weights, 0)
        return ops.cov(rows, (0 if bias else 1) if ddof is None else ddof, fweights, aweights)

    def corrcoef(self, x: Any, y: Any = None, rowvar: bool = True, **options: Any) -> Any:
        """Correlations of rows, or of columns."""
        self.say.refuse(self.say.call("corrcoef"), **options)
        return ops.corrcoef(self._rows(self.say.call("corrcoef"), x, y, rowvar))

    def _rows(self, call: str, x: Any, y: Any, rowvar: bool) -> Any:
        """The variables of which there are observations, a row each: those of x, and behind them those of y."""
        given = [self._wide(held) for held in (x, y) if held is not None]
        found = [held if rowvar or ask_rank(held, call) < 2 else ops.matrix_transpose(held) for held in given]
        if len(found) == 1:
            not_one(call, found[0], 0)  # of one row a number tells
            return found[0]
        return ops.concat([ops.expand_dims(held, 0) if ask_rank(held, call) < 2 else held for held in found], axis=0)

    def gradient(self, f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
        """Slopes along axes, by differences of the neighbours on both sides."""
        call = self.say.call("gradient")
        expect(call, "edge_order", edge_order, 1, 2)
        f, *given = (_of_differences(self.say.floats(x)) for x in (f, *varargs))
        axes = range(ask_rank(f, call)) if axis is None else [axis] if isinstance(axis, int) else axis
        given = given or [1.0]
        steps = given * len(axes) if len(given) == 1 else given
        found = [slopes(f, step, at, edge_order) for at, step in zip(axes, steps)]
        return found[0] if len(found) == 1 else self.say.several(found)


def _of_differences(x: Any) -> Any:
    """Whole numbers, whose differences may be beyond them, as floats; anything else as it is."""
    return ops.multiply(x, 1.0) if isinstance(x, Value) and kind_of(x) in ("b", "i", "u") else x


def slopes(f: Any, step: Any, axis: int, edge_order: int = 1) -> Any:
    """The slope of f along an axis: differences of the neighbours on both sides, at the ends one-sided of that order.

    `step` is the distance of neighbours, or a vector of positions.
    """
    x = ops.moveaxis(f, axis, -1)
    size = x.type.dims[-1] if isinstance(x.type, LogicalTensor) and x.type.dims else None
    if isinstance(size, int) and size <= edge_order:
        raise ShapeError(
            f"slopes of this order need more than {edge_order} elements along an axis, and there are {size}"
        )
    if isinstance(step, (int, float)) or not getattr(getattr(step, "type", None), "rank", 0):
        before = after = step
        first = last = (step, step)
    else:
        widths = ops.subtract(_cut(step, 1, None), _cut(step, None, -1))
        before, after = _cut(widths, None, -1), _cut(widths, 1, None)
        first = _at(widths, 0), _at(widths, 1) if edge_order == 2 else None
        last = _at(widths, -1), _at(widths, -2) if edge_order == 2 else None
    left, here, right = _cut(x, None, -2), _cut(x, 1, -1), _cut(x, 2, None)
    one, other = ops.divide(ops.subtract(here, left), before), ops.divide(ops.subtract(right, here), after)
    if before is after:
        inner = ops.divide(ops.subtract(right, left), ops.multiply(2, step))
    else:
        both = ops.add(before, after)
        inner = ops.divide(ops.add(ops.multiply(one, after), ops.multiply(other, before)), both)
    ends = _end(x, (0, 1, 2), first, edge_order), ops.negative(_end(x, (-1, -2, -3), last, edge_order))
    found = ops.concat((ends[0], inner, ends[1]), axis=-1)
    return ops.moveaxis(found, -1, axis)


def _end(x: Any, at: tuple[int, int, int], steps: tuple[Any, Any], order: int) -> Any:
    """The slope at an end, away from it."""
    a, b = (ops.getitem(x, (..., slice(n, n + 1 or None))) for n in at[:2])
    near = ops.divide(ops.subtract(b, a), steps[0])
    if order == 1:
        return near
    c = ops.getitem(x, (..., slice(at[2], at[2] + 1 or None)))
    far = ops.divide(ops.subtract(c, b), steps[1])
    share = ops.divide(steps[0], ops.add(steps[0], steps[1]))
    return ops.add(near, ops.multiply(ops.subtract(near, far), share))


def _cut(x: Any, start: int | None, stop: int | None) -> Any:
    return ops.getitem(x, (..., slice(start, stop)))


def _at(x: Any, at: int) -> Any:
    return ops.getitem(x, (..., at))
