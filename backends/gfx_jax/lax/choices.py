"""Draws of jax.random that choose, turn and cut off: by its formulas, so that equal keys give equal numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.lifting.words import surely_floats
from gfx_ir.ops import _seen

from ..ops._lift import ask_rank, element, expect, kind_of, refuse
from .draws import around, cast, floating, gumbel, rademacher, widest


def _choice(
    key: Any, a: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0, mode: Any = None, *,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    refuse("jax.random.choice", out_sharding=out_sharding)
    data = a if isinstance(a, Value) and a.is_tensor else None
    count, shape = (a if data is None else ops.size(data, axis)), tuple(shape)
    if p is not None and kind_of(p) in ("b", "i", "u"):
        p = surely_floats(p, "jax")
    if replace and p is None:
        at = ops.randint(key, shape, 0, count, dtype=widest("int64"))
    elif replace:
        ends = ops.cumulative_sum(p, 0)
        below = ops.subtract(1.0, ops.uniform(key, shape, dtype=_seen.dtype(p)))
        at = ops.searchsorted(ends, ops.multiply(ops.getitem(ends, -1), below))
    else:
        at = ops.reshape(_different(key, count, p, math.prod(shape), mode), shape)
    return at if data is None else ops.take(data, at, axis=axis)


def _different(key: Any, count: Any, p: Any, drawn: int, mode: Any) -> Any:
    """So many different positions."""
    if p is None:
        return ops.getitem(ops.permutation(key, count), slice(None, drawn))
    noise = gumbel(key, (count,), _seen.dtype(p), mode)
    return ops.topk_total(ops.add(noise, ops.log(p)), drawn)[1]


def _multivariate_normal(
    key: Any, mean: Any, cov: Any, shape: Any = None, dtype: Any = None, method: str = "cholesky", *,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    call = "jax.random.multivariate_normal"
    refuse(call, out_sharding=out_sharding)
    expect(call, "method", method, "cholesky", "svd", "eigh")
    sizes = [ops.size(mean, at) for at in range(ask_rank(mean, call))]
    stacks = [ops.size(cov, at) for at in range(ask_rank(cov, call) - 2)]
    if shape is None and stacks and len(sizes) > 1:
        refuse(f"{call} of several means and several covariances without a shape", shape="None")
    lead = tuple(shape) if shape is not None else tuple(stacks or sizes[:-1])
    if method == "cholesky":
        factor = ops.cholesky(cov)
    else:
        vectors, values = ops.svd(cov)[:2] if method == "svd" else ops.eigh(cov)[::-1]
        factor = ops.multiply(vectors, ops.sqrt(ops.expand_dims(values, -2)))
    drawn = ops.normal(key, (*lead, sizes[-1]), dtype=floating(call, dtype or _seen.dtype(mean)))
    return ops.add(mean, ops.squeeze(ops.matmul(factor, ops.expand_dims(drawn, -1)), axis=-1))


def _truncated_normal(
    key: Any, lower: Any, upper: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    """By the inverse of the distribution function between two bounds, which rounding never reaches."""
    refuse("jax.random.truncated_normal", out_sharding=out_sharding)
    dtype, shape = floating("jax.random.truncated_normal", dtype), around(shape, lower, upper)
    root, ends = math.sqrt(2), [ops.as_tensor(x, dtype=dtype) for x in (lower, upper)]
    low, high = (ops.erf(ops.divide(x, root)) for x in ends)
    drawn = ops.multiply(root, ops.erfinv(ops.uniform(key, shape, low, high, dtype=dtype)))
    first, last = (ops.nextafter(ops.stop_gradient(x), to) for x, to in zip(ends, (math.inf, -math.inf)))
    return ops.clip(drawn, first, last)


def _orthogonal(
    key: Any, n: Any, shape: Any = (), dtype: Any = None, m: Any = None, *, out_sharding: Any = None
) -> Any:
    """Matrices of the Haar measure: Mezzadri, How to generate random matrices from the classical compact groups (2007)."""
    refuse("jax.random.orthogonal", out_sharding=out_sharding)
    m = n if m is None else m
    drawn = ops.normal(key, (*shape, max(n, m), min(n, m)), dtype=floating("jax.random.orthogonal", dtype))
    q, r = ops.qr(drawn)
    found = ops.multiply(q, ops.expand_dims(ops.sign(ops.diagonal(r, 0, -2, -1)), -2))
    return ops.matrix_transpose(found) if n < m else found


def _maxwell(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """The length of a normal vector of three parts."""
    refuse("jax.random.maxwell", out_sharding=out_sharding)
    drawn = ops.normal(key, (*shape, 3), dtype=floating("jax.random.maxwell", dtype))
    return ops.vector_norm(drawn, axis=-1)


def _double_sided_maxwell(
    key: Any, loc: Any, scale: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    call = "jax.random.double_sided_maxwell"
    refuse(call, out_sharding=out_sharding)
    for value in (loc, scale):
        if isinstance(value, Value) and ask_rank(value, call):
            refuse(f"{call} of parameters with axes", parameters=value)
    first, second = ops.split_key(key)
    drawn = _maxwell(first, shape, dtype)
    drawn = ops.multiply(rademacher(second, shape, floating(call, dtype)), drawn)
    return ops.add(ops.multiply(drawn, scale), loc)


def _wald(key: Any, mean: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Michael, Schucany and Haas, Generating random variates using transformations with multiple roots (1976)."""
    refuse("jax.random.wald", out_sharding=out_sharding)
    dtype, shape = floating("jax.random.wald", dtype), around(shape, mean)
    first, second = ops.split_key(key)
    mean = cast(mean, dtype)
    y = ops.square(ops.normal(first, shape, dtype=dtype))
    square = ops.multiply(mean, mean)
    root = ops.sqrt(ops.add(ops.multiply(ops.multiply(4.0, mean), y), ops.multiply(square, ops.square(y))))
    x = ops.subtract(ops.add(mean, ops.divide(ops.multiply(square, y), 2)), ops.multiply(ops.divide(mean, 2), root))
    near = ops.less_equal(ops.uniform(second, shape, dtype=dtype), ops.divide(mean, ops.add(mean, x)))
    return ops.where(near, x, ops.divide(square, x))


def _geometric(key: Any, p: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.geometric", out_sharding=out_sharding)
    unit = _seen.dtype(p) if isinstance(p, Value) and kind_of(p) == "f" else widest("float64")
    drawn = ops.uniform(key, around(shape, p), dtype=unit)
    log = ops.log(ops.where(ops.equal(drawn, 0), 1.0, drawn))
    failing = math.log1p(-p) if isinstance(p, float) else ops.log1p(ops.negative(p))
    return ops.astype(ops.add(ops.floor(ops.divide(log, failing)), 1.0), element(dtype) or widest("int64"))


def _triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    call = "jax.random.triangular"
    refuse(call, out_sharding=out_sharding)
    found: DType = floating(call, dtype)
    u = ops.uniform(key, around(shape, left, mode, right), dtype=found)
    left, mode, right = (cast(x, found) for x in (left, mode, right))
    whole, low, high = ops.subtract(right, left), ops.subtract(mode, left), ops.subtract(right, mode)
    below = ops.add(left, ops.sqrt(ops.multiply(ops.multiply(u, whole), low)))
    above = ops.subtract(right, ops.sqrt(ops.multiply(ops.multiply(ops.subtract(1.0, u), whole), high)))
    return ops.where(ops.less(u, ops.divide(low, whole)), below, above)


CHOICES: dict[str, Callable[..., Any]] = {
    "jax.random.choice": _choice,
    "jax.random.multivariate_normal": _multivariate_normal,
    "jax.random.truncated_normal": _truncated_normal,
    "jax.random.orthogonal": _orthogonal,
    "jax.random.maxwell": _maxwell,
    "jax.random.double_sided_maxwell": _double_sided_maxwell,
    "jax.random.wald": _wald,
    "jax.random.geometric": _geometric,
    "jax.random.triangular": _triangular,
}
