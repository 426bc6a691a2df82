"""Draws of the gamma distribution, and what is made of them: by the formulas of jax.random, so that equal keys give equal numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import DType

from ..ops._lift import ask_rank, element, refuse
from .draws import around, cast, exponential, floating, rademacher, widest


def _drawn(key: Any, a: Any, shape: Any, dtype: DType, log: bool = False) -> Any:
    return ops.gamma(key, cast(a, dtype), shape, dtype=dtype, log=log)


def _gamma(log: bool) -> Callable[..., Any]:
    call = "jax.random.loggamma" if log else "jax.random.gamma"

    def lift(key: Any, a: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
        refuse(call, out_sharding=out_sharding)
        return _drawn(key, a, around(shape, a), floating(call, dtype), log)

    return lift


def _beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Of two gamma numbers the share of the first."""
    refuse("jax.random.beta", out_sharding=out_sharding)
    dtype, shape = floating("jax.random.beta", dtype), around(shape, a, b)
    first, second = (_drawn(part, x, shape, dtype, True) for part, x in zip(ops.split_key(key), (a, b)))
    top = ops.maximum(first, second)
    first, second = ops.exp(ops.subtract(first, top)), ops.exp(ops.subtract(second, top))
    return ops.divide(first, ops.add(first, second))


def _dirichlet(key: Any, alpha: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.dirichlet", out_sharding=out_sharding)
    sizes = [ops.size(alpha, at) for at in range(ask_rank(alpha, "jax.random.dirichlet"))]
    whole = (*(sizes[:-1] if shape is None else shape), sizes[-1])
    return ops.softmax(_drawn(key, alpha, whole, floating("jax.random.dirichlet", dtype), True), axis=-1)


def _t(key: Any, df: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.t", out_sharding=out_sharding)
    dtype, shape = floating("jax.random.t", dtype), around(shape, df)
    first, second = ops.split_key(key)
    half = ops.divide(cast(df, dtype), 2)
    wide = ops.sqrt(ops.divide(half, _drawn(second, half, shape, dtype)))
    return ops.multiply(ops.normal(first, shape, dtype=dtype), wide)


def _chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.chisquare", out_sharding=out_sharding)
    dtype = floating("jax.random.chisquare", dtype)
    half = ops.divide(cast(df, dtype), 2)
    return ops.multiply(ops.exp(_drawn(key, half, around(shape, df), dtype, True)), 2)


def _f(key: Any, dfnum: Any, dfden: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.f", out_sharding=out_sharding)
    shape = around(shape, dfnum, dfden)
    second, first = ops.split_key(key)
    above = ops.divide(_chisquare(first, dfnum, shape, dtype), dfnum)
    return ops.divide(above, ops.divide(_chisquare(second, dfden, shape, dtype), dfden))


def _generalized_normal(key: Any, p: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.generalized_normal", out_sharding=out_sharding)
    dtype = floating("jax.random.generalized_normal", dtype)
    first, second = ops.split_key(key)
    size = ops.pow(_drawn(first, ops.divide(1.0, p), tuple(shape), dtype), ops.divide(1.0, p))
    return ops.multiply(rademacher(second, shape, dtype), size)


def _ball(key: Any, d: Any, p: Any = 2, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Uniform in the unit ball of the p-norm: Barthe, Guédon, Mendelson and Naor (2005)."""
    refuse("jax.random.ball", out_sharding=out_sharding)
    dtype = floating("jax.random.ball", dtype)
    first, second = ops.split_key(key)
    drawn = _generalized_normal(first, p, (*shape, d), dtype)
    total = ops.add(ops.sum(ops.pow(ops.abs(drawn), p), axis=-1), exponential(second, tuple(shape), dtype))
    return ops.divide(drawn, ops.expand_dims(ops.pow(total, ops.divide(1.0, p)), -1))


def _poisson(key: Any, lam: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.poisson", out_sharding=out_sharding)
    return ops.poisson(key, lam, around(shape, lam), dtype=element(dtype) or widest("int64"))


def _binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.binomial", out_sharding=out_sharding)
    return ops.binomial(key, n, p, around(shape, n, p), dtype=floating("jax.random.binomial", dtype))


GAMMAS: dict[str, Callable[..., Any]] = {
    "jax.random.gamma": _gamma(False),
    "jax.random.loggamma": _gamma(True),
    "jax.random.beta": _beta,
    "jax.random.dirichlet": _dirichlet,
    "jax.random.t": _t,
    "jax.random.chisquare": _chisquare,
    "jax.random.f": _f,
    "jax.random.generalized_normal": _generalized_normal,
    "jax.random.ball": _ball,
    "jax.random.poisson": _poisson,
    "jax.random.binomial": _binomial,
}
