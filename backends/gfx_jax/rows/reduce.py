"""Over axes: sums, extrema, statistics, sorting."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.op import lookup

from ._lift import ask_rank, element, expect, literal, plain, rank, refuse


def _reduction(name: str, rest: str = "keepdims=keepdims") -> Callable[[SimpleNamespace], str]:
    """`x.mean(axis=-1)` along axes, which only an array has; `jnp.mean(x)` of all elements: x may be a number."""

    def spelling(args: SimpleNamespace) -> str:
        if args.axis is None or plain(args.x):
            return f"jnp.{name}(x, axis=axis, {rest})"
        return f"x.{name}(axis=axis, {rest})"

    return spelling


def _sum_like(name: str) -> Row:
    op = lookup(name)

    def lift(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = None, promote_integers: bool = True,
    ) -> Any:  # fmt: skip
        refuse(f"jnp.{name}", out=out, initial=initial)
        expect(f"jnp.{name}", "promote_integers", promote_integers, True)
        if where is not None:
            a = ops.where(where, a, 0 if name == "sum" else 1)
        return op(a, axis=axis, dtype=element(dtype), keepdims=keepdims)

    return Row(name, _reduction(name, "dtype=dtype, keepdims=keepdims"), {f"jnp.{name} Array.{name}": lift})


def _mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None
) -> Any:
    refuse("jnp.mean", out=out, where=where)
    return ops.mean(a, axis=axis, keepdims=keepdims, dtype=element(dtype))


def _spread(name: str) -> Row:
    op = lookup(name)

    def lift(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False, *,
        where: Any = None, mean: Any = None, correction: Any = None,
    ) -> Any:  # fmt: skip
        refuse(f"jnp.{name}", out=out, where=where, mean=mean)
        if dtype is not None:
            a = ops.astype(a, element(dtype))
        return op(a, axis=axis, correction=ddof if correction is None else correction, keepdims=keepdims)

    return Row(name, _reduction(name, "ddof=correction, keepdims=keepdims"), {f"jnp.{name} Array.{name}": lift})


def _extremum(name: str, combine: str, names: str, reduce_name: str, **also: Any) -> Row:
    op = lookup(name)

    def lift(
        a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> Any:
        refuse(f"jnp.{name}", out=out)
        if where is not None:
            refuse(f"jnp.{name} with where= and no initial=", **({} if initial is not None else {"where": where}))
            a = ops.where(where, a, initial)
        found = op(a, axis=axis, keepdims=keepdims)
        return found if initial is None else lookup(combine)(found, initial)

    lifts = {names: lift, reduce_name: lambda operand, axes: op(operand, axis=tuple(axes))}
    return Row(name, _reduction(name), lifts | {f"jnp.{other}": fn for other, fn in also.items()})


def _truth(name: str, reduce_name: str) -> Row:
    op = lookup(name)

    def lift(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None) -> Any:
        refuse(f"jnp.{name}", out=out, where=where)
        return op(a, axis=axis, keepdims=keepdims)

    lifts = {f"jnp.{name} Array.{name}": lift, reduce_name: lambda operand, axes: op(operand, axis=tuple(axes))}
    return Row(name, _reduction(name), lifts)


def _position(name: str) -> Row:
    op = lookup(name)

    def lift(a: Any, axis: Any = None, out: Any = None, keepdims: bool | None = None) -> Any:
        refuse(f"jnp.{name}", out=out)
        return op(a, axis=axis, keepdims=bool(keepdims))

    def lax_lift(operand: Any, axis: int, index_dtype: Any) -> Any:
        return ops.astype(op(operand, axis=axis), element(index_dtype))

    return Row(name, _reduction(name), {f"jnp.{name} Array.{name}": lift, f"lax.{name}": lax_lift})


def _cumulative(name: str, short: str) -> Row:
    op = lookup(name)

    def lift(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        refuse(f"jnp.{short}", out=out)
        return op(a, axis=axis, dtype=element(dtype))

    def standard(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False) -> Any:
        expect(f"jnp.{name}", "include_initial", include_initial, False)
        return op(x, axis=axis, dtype=element(dtype))

    def lax_lift(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
        if not reverse:
            return op(operand, axis=axis)
        return ops.flip(op(ops.flip(operand, axis=axis), axis=axis), axis=axis)

    lifts: dict[str, Callable[..., Any]] = {
        f"jnp.{short} Array.{short}": lift,
        f"jnp.{name}": standard,
        f"lax.{short}": lax_lift,
    }
    if short == "cumsum":
        lifts["jnp.diff"] = _diff
    return Row(name, f"jnp.{short}(x, axis=axis, dtype=dtype)", lifts)


def _logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False, where: Any = None
) -> Any:
    refuse("logsumexp", b=b, where=where)
    expect("logsumexp", "return_sign", return_sign, False)
    return ops.logsumexp(a, axis=axis, keepdims=keepdims)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """jnp.linalg.norm: of a vector, a matrix, or all elements as one vector."""
    of_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    if ord is None or (axis is not None and not of_matrix):
        return ops.vector_norm(x, axis=axis, keepdims=keepdims, ord=2 if ord is None else ord)
    if axis is None:
        if ask_rank(x, f"jnp.linalg.norm with ord={ord!r} and no axis") != 2:
            return ops.vector_norm(x, axis=None, keepdims=keepdims, ord=ord)
    return ops.matrix_norm(x, ord=ord, keepdims=keepdims, axis=(-2, -1) if axis is None else tuple(axis))


def _norm_spelling(args: SimpleNamespace) -> str:
    """jnp.linalg.norm takes two axes for a matrix's, where only the 2-norm of all elements is the same."""
    if type(args.ord) is int and args.ord == 2:
        return "jnp.linalg.norm(x, axis=axis, keepdims=keepdims)"
    return "jnp.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)"


def _sort(
    a: Any, axis: Any = -1, *, kind: Any = None, order: Any = None, stable: bool = True, descending: bool = False
) -> Any:
    refuse("jnp.sort", kind=kind, order=order)
    x, axis = (ops.flatten(a), -1) if axis is None else (a, axis)
    return ops.sort(x, axis=axis, descending=descending, stable=stable)


def _argsort(
    a: Any, axis: Any = -1, *, kind: Any = None, order: Any = None, stable: bool = True, descending: bool = False,
    dtype: Any = None,
) -> Any:  # fmt: skip
    refuse("jnp.argsort", kind=kind, order=order, dtype=dtype)
    x, axis = (ops.flatten(a), -1) if axis is None else (a, axis)
    return ops.argsort(x, axis=axis, descending=descending, stable=stable)


def _lax_sort(operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1) -> Any:
    if isinstance(operand, (tuple, list)):
        refuse("lax.sort of several operands", operand=operand)
    return ops.sort(operand, axis=dimension, stable=is_stable)


def _nansum(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, **more: Any) -> Any:
    refuse("jnp.nansum", out=out, **more)
    return ops.sum(ops.where(ops.isnan(a), 0, a), axis=axis, dtype=element(dtype), keepdims=keepdims)


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, **more: Any) -> Any:
    count = ops.sum(ops.logical_not(ops.isnan(a)), axis=axis, keepdims=keepdims)
    return ops.divide(_nansum(a, axis, dtype, out, keepdims, **more), count)


def _average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    expect("jnp.average", "returned", returned, False)
    if weights is None:
        return ops.mean(a, axis=axis, keepdims=keepdims)
    total = ops.sum(ops.multiply(a, weights), axis=axis, keepdims=keepdims)
    return ops.divide(total, ops.sum(weights, axis=axis, keepdims=keepdims))


def _ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    refuse("jnp.ptp", out=out)
    return ops.subtract(ops.max(a, axis=axis, keepdims=keepdims), ops.min(a, axis=axis, keepdims=keepdims))


def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    refuse("jnp.diff", prepend=prepend, append=append)
    before: tuple = (...,) if axis < 0 else (slice(None),) * axis
    after: tuple = (slice(None),) * (-1 - axis) if axis < 0 else ()
    for _ in range(n):
        later, earlier = ((*before, part, *after) for part in (slice(1, None), slice(None, -1)))
        a = ops.subtract(ops.getitem(a, later), ops.getitem(a, earlier))
    return a


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    expect("jnp.array_equal", "equal_nan", equal_nan, False)
    return ops.array_equal(a1, a2)


def _topk_spelling(args: SimpleNamespace) -> str:
    last = literal(args.axis) and (args.axis == -1 or args.axis + 1 == rank(args.x))
    return "jax.lax.top_k(x, k)" if last and args.largest is True else "topk(x, k, axis=axis, largest=largest)"


ROWS = (
    _sum_like("sum"),
    _sum_like("prod"),
    Row(
        "mean",
        _reduction("mean", "dtype=dtype, keepdims=keepdims"),
        {"jnp.mean Array.mean": _mean, "jnp.average": _average, "jnp.nanmean": _nanmean, "jnp.nansum": _nansum},
    ),
    _spread("var"),
    _spread("std"),
    _extremum("max", "maximum", "jnp.max jnp.amax Array.max", "lax.reduce_max", ptp=_ptp),
    _extremum("min", "minimum", "jnp.min jnp.amin Array.min", "lax.reduce_min"),
    _truth("all", "lax.reduce_and"),
    _truth("any", "lax.reduce_or"),
    _position("argmax"),
    _position("argmin"),
    Row(
        "count_nonzero",
        "jnp.count_nonzero(x, axis=axis, keepdims=keepdims)",
        {"jnp.count_nonzero": lambda a, axis=None, keepdims=False: ops.count_nonzero(a, axis=axis, keepdims=keepdims)},
    ),
    _cumulative("cumulative_sum", "cumsum"),
    _cumulative("cumulative_prod", "cumprod"),
    Row(
        "logsumexp",
        "jax.nn.logsumexp(x, axis=axis, keepdims=keepdims)",
        {"jax.nn.logsumexp jax.scipy.special.logsumexp": _logsumexp},
    ),
    Row(
        "vector_norm",
        _norm_spelling,
        {
            "jnp.linalg.norm": _norm,
            "jnp.linalg.vector_norm": lambda x, /, *, axis=None, keepdims=False, ord=2: ops.vector_norm(
                x, axis=axis, keepdims=keepdims, ord=ord
            ),
        },
    ),
    Row("sort", "jnp.sort(x, axis=axis, descending=descending)", {"jnp.sort Array.sort": _sort, "lax.sort": _lax_sort}),
    Row("argsort", "jnp.argsort(x, axis=axis, descending=descending)", {"jnp.argsort Array.argsort": _argsort}),
    Row(
        "topk",
        _topk_spelling,
        {"lax.top_k": lambda operand, k, *, axis=-1: ops.topk(operand, k, axis=axis)},
    ),
    Row("array_equal", "jnp.array_equal(x1, x2)", {"jnp.array_equal": _array_equal}),
)
