"""Over axes: sums, extrema, statistics, sorting."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.dtypes import int64
from gfx_ir.lifting.reductions import Reductions
from gfx_ir.lifting.words import as_floats
from gfx_ir.op import lookup
from gfx_ir.ops import _seen
from gfx_ir.ops._body import narrow

from ._lift import JNP, element, expect, halves, plain, refuse, whole

_REDUCTIONS = Reductions(JNP)
_SAME = JNP.table(_REDUCTIONS.table())


def _reduction(name: str, rest: str = "keepdims=keepdims") -> Callable[[SimpleNamespace], str]:
    """`x.mean(axis=-1)` along axes, which only an array has; `jnp.mean(x)` of all elements: x may be a number."""

    def spelling(args: SimpleNamespace) -> str:
        if args.axis is None or plain(args.x):
            return f"jnp.{name}(x, axis=axis, {rest})"
        return f"x.{name}(axis=axis, {rest})"

    return spelling


def _axes(name: str, in_lax: str) -> Row:
    """A reduction that NumPy has too, and its form in jax.lax."""
    op = lookup(name)
    lifts = {f"lax.{in_lax}": lambda operand, axes: op(operand, axis=tuple(axes))}
    return Row(name, _reduction(name), _SAME[name] | lifts)


def _position(name: str) -> Row:
    op = lookup(name)

    def lift(operand: Any, axis: int, index_dtype: Any) -> Any:
        return ops.astype(op(operand, axis=axis), element(index_dtype))

    return Row(name, _reduction(name), _SAME[name] | {f"lax.{name}": lift})


def _cumulative(name: str, short: str) -> Row:
    def spelling(args: SimpleNamespace) -> str:
        same = args.dtype is not None and args.dtype == _seen.dtype(args.x)
        told = "" if same else ", dtype=int" if args.dtype == int64 else ", dtype=dtype"  # as wide as the mode admits
        return f"jnp.{short}(x, axis=axis{told})"

    return Row(name, spelling, _SAME[name])


def _logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False, where: Any = None
) -> Any:
    refuse("logsumexp", b=b, where=where)
    expect("logsumexp", "return_sign", return_sign, False)
    return ops.logsumexp(as_floats(a), axis=axis, keepdims=keepdims)


def _norm_call(args: SimpleNamespace) -> str:
    several = isinstance(args.axis, (tuple, list)) and len(args.axis) > 2
    if type(args.ord) is int and args.ord == 2 and not several:
        return "jnp.linalg.norm(x, axis=axis, keepdims=keepdims)"
    return "jnp.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)"


def _norm_spelling(args: SimpleNamespace) -> str:
    """jnp.linalg.norm takes two axes for a matrix's, where only the 2-norm of all elements is the same, and no more than two."""
    return halves(args.x, _norm_call(args))


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


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False, **more: Any) -> Any:
    a = as_floats(a)
    count = ops.sum(ops.logical_not(ops.isnan(a)), axis=axis, keepdims=keepdims)
    return ops.divide(_REDUCTIONS.nansum(a, axis, dtype, out, keepdims, **more), count)


def _topk_spelling(args: SimpleNamespace) -> str:
    """lax.top_k has a NaN with the sign bit set, as processors make it of 0 / 0, behind all numbers."""
    plainly = whole(args.x) and args.largest is True
    return "jax.lax.top_k(x, k, axis=axis)" if plainly else "topk(x, k, axis=axis, largest=largest)"


_TYPED, _SPREAD = "dtype=dtype, keepdims=keepdims", "ddof=correction, keepdims=keepdims"


def _std(args: SimpleNamespace) -> str:
    """Of narrow floats in float32: the square that it is the root of may be infinite in their own dtype."""
    wide = f"jnp.std(x.astype(jnp.float32), axis=axis, {_SPREAD}).astype(x.dtype)"
    return wide if narrow(args.x) else _reduction("std", _SPREAD)(args)


ROWS = (
    Row("sum", _reduction("sum", _TYPED), _SAME["sum"]),
    Row("prod", _reduction("prod", _TYPED), _SAME["prod"]),
    Row("mean", _reduction("mean", _TYPED), _SAME["mean"] | {"jnp.nanmean": _nanmean}),
    Row("var", _reduction("var", _SPREAD), _SAME["var"]),
    Row("std", _std, _SAME["std"]),
    _axes("max", "reduce_max"),
    _axes("min", "reduce_min"),
    Row("all", _reduction("all"), _SAME["all"]),  # lax.reduce_and and reduce_or are other functions of whole numbers
    Row("any", _reduction("any"), _SAME["any"]),
    _position("argmax"),
    _position("argmin"),
    Row("count_nonzero", "jnp.count_nonzero(x, axis=axis, keepdims=keepdims)", _SAME["count_nonzero"]),
    _cumulative("cumulative_sum", "cumsum"),
    _cumulative("cumulative_prod", "cumprod"),
    Row(
        "logsumexp",
        "jax.nn.logsumexp(x, axis=axis, keepdims=keepdims)",
        {"jax.nn.logsumexp jax.scipy.special.logsumexp": _logsumexp},
    ),
    Row("vector_norm", _norm_spelling, _SAME["vector_norm"]),
    Row("sort", "jnp.sort(x, axis=axis, descending=descending)", {"jnp.sort Array.sort": _sort}),
    Row("argsort", "jnp.argsort(x, axis=axis, descending=descending)", {"jnp.argsort Array.argsort": _argsort}),
    Row("topk", _topk_spelling, narrow=2),
    Row("topk_total", "jax.lax.top_k(x, k, axis=axis)", narrow=2),
    Row("array_equal", "jnp.array_equal(x1, x2)", _SAME["array_equal"]),
)
