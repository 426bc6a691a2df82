"""Over axes: sums, extrema, statistics, sorting."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import dtype_of
from gfx_ir.op import lookup

from ._lift import as_array, ask_rank, element, expect, refuse


def _sum_like(name: str) -> Row:
    op = lookup(name)

    def lift(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None,
    ) -> Any:  # fmt: skip
        neutral = 0 if name == "sum" else 1
        refuse(f"np.{name}", out=out, initial=None if initial == neutral and type(initial) is int else initial)
        a = as_array(a)
        if where is not None and where is not True:
            a = ops.where(where, a, neutral)
        return op(a, axis=axis, dtype=element(dtype), keepdims=keepdims)

    lifts = {f"np.{name} ndarray.{name}": lift}
    return Row(name, None, {**lifts, **({"np.nansum": _nansum} if name == "sum" else {})})


def _mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    refuse("np.mean", out=out, where=where)
    return ops.mean(as_array(a), axis=axis, keepdims=keepdims, dtype=element(dtype))


def _spread(name: str) -> Row:
    op = lookup(name)

    def lift(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False, *,
        where: Any = True, mean: Any = None, correction: Any = None,
    ) -> Any:  # fmt: skip
        refuse(f"np.{name}", out=out, where=where, mean=mean)
        a = as_array(a) if dtype is None else ops.astype(as_array(a), element(dtype))
        return op(a, axis=axis, correction=ddof if correction is None else correction, keepdims=keepdims)

    return Row(name, None, {f"np.{name} ndarray.{name}": lift})


def _extremum(name: str, combine: str) -> Row:
    op = lookup(name)

    def lift(
        a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> Any:
        refuse(f"np.{name}", out=out, where=where)
        found = op(as_array(a), axis=axis, keepdims=keepdims)
        return found if initial is None else lookup(combine)(found, initial)

    lifts = {f"np.{name} np.a{name} ndarray.{name}": lift}
    return Row(name, None, {**lifts, **({"np.ptp": _ptp} if name == "max" else {})})


def _truth(name: str) -> Row:
    op = lookup(name)

    def lift(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
        refuse(f"np.{name}", out=out, where=where)
        return op(as_array(a), axis=axis, keepdims=keepdims)

    return Row(name, None, {f"np.{name} ndarray.{name}": lift})


def _position(name: str) -> Row:
    op = lookup(name)

    def lift(a: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        refuse(f"np.{name}", out=out)
        return op(as_array(a), axis=axis, keepdims=keepdims)

    return Row(name, None, {f"np.{name} ndarray.{name}": lift})


def _cumulative(name: str, short: str) -> Row:
    op = lookup(name)

    def lift(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        refuse(f"np.{short}", out=out)
        return op(as_array(a), axis=axis, dtype=element(dtype))

    def standard(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        refuse(f"np.{name}", out=out)
        expect(f"np.{name}", "include_initial", include_initial, False)
        return op(as_array(x), axis=axis, dtype=element(dtype))

    lifts: dict[str, Any] = {f"np.{short} ndarray.{short}": lift, f"np.{name}": standard}
    return Row(name, None, lifts | ({"np.diff": _diff} if short == "cumsum" else {}))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """np.linalg.norm: of a vector, a matrix, or all elements as one vector."""
    x = as_array(x)
    of_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    if ord is None or (axis is not None and not of_matrix):
        return ops.vector_norm(x, axis=axis, keepdims=keepdims, ord=2 if ord is None else ord)
    if axis is None and ask_rank(x, f"np.linalg.norm with ord={ord!r} and no axis") != 2:
        return ops.vector_norm(x, axis=None, keepdims=keepdims, ord=ord)
    return ops.matrix_norm(x, ord=ord, keepdims=keepdims, axis=(-2, -1) if axis is None else tuple(axis))


def _sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    if order is not None:
        refuse("np.sort of records", field=order)
    x, axis = (ops.flatten(as_array(a)), -1) if axis is None else (as_array(a), axis)
    return ops.sort(x, axis=axis)


def _argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    if order is not None:
        refuse("np.argsort of records", field=order)
    x, axis = (ops.flatten(as_array(a)), -1) if axis is None else (as_array(a), axis)
    return ops.argsort(x, axis=axis, stable=bool(stable) or kind in ("stable", "mergesort"))


def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    expect("np.average", "returned", returned, False)
    if weights is None:
        return ops.mean(as_array(a), axis=axis, keepdims=keepdims)
    weights = as_array(weights)
    total = ops.sum(ops.multiply(as_array(a), weights), axis=axis, keepdims=keepdims)
    return ops.divide(total, ops.sum(weights, axis=axis, keepdims=keepdims))


def _ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    refuse("np.ptp", out=out)
    return ops.subtract(ops.max(a, axis=axis, keepdims=keepdims), ops.min(a, axis=axis, keepdims=keepdims))


def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    refuse("np.diff", prepend=prepend, append=append)
    before: tuple = (...,) if axis < 0 else (slice(None),) * axis
    after: tuple = (slice(None),) * (-1 - axis) if axis < 0 else ()
    for _ in range(n):
        later, earlier = ((*before, part, *after) for part in (slice(1, None), slice(None, -1)))
        a = ops.subtract(ops.getitem(a, later), ops.getitem(a, earlier))
    return a


def _nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    refuse("np.nansum", out=out)
    return ops.sum(ops.where(ops.isnan(a), 0, a), axis=axis, dtype=element(dtype), keepdims=keepdims)


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    total = _nansum(a, axis, dtype, out, keepdims)
    count = ops.sum(ops.logical_not(ops.isnan(a)), axis=axis, keepdims=keepdims)
    return ops.divide(total, ops.astype(count, dtype_of(total) or ops.dtype_of(total)))


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    expect("np.array_equal", "equal_nan", equal_nan, False)
    return ops.array_equal(as_array(a1), as_array(a2))


ROWS = (
    _sum_like("sum"),
    _sum_like("prod"),
    Row("mean", None, {"np.mean ndarray.mean": _mean, "np.average": _average, "np.nanmean": _nanmean}),
    _spread("var"),
    _spread("std"),
    _extremum("max", "maximum"),
    _extremum("min", "minimum"),
    _truth("all"),
    _truth("any"),
    _position("argmax"),
    _position("argmin"),
    Row(
        "count_nonzero",
        None,
        {
            "np.count_nonzero": lambda a, axis=None, *, keepdims=False: ops.count_nonzero(
                as_array(a), axis=axis, keepdims=keepdims
            )
        },
    ),
    _cumulative("cumulative_sum", "cumsum"),
    _cumulative("cumulative_prod", "cumprod"),
    Row(
        "vector_norm",
        None,
        {
            "np.linalg.norm": _norm,
            "np.linalg.vector_norm": lambda x, /, *, axis=None, keepdims=False, ord=2: ops.vector_norm(
                as_array(x), axis=axis, keepdims=keepdims, ord=ord
            ),
        },
    ),
    Row("sort", None, {"np.sort": _sort}),
    Row("argsort", None, {"np.argsort ndarray.argsort": _argsort}),
    Row("array_equal", None, {"np.array_equal": _array_equal}),
)
