"""Draws from distributions, as functions of the uniform numbers that JAX makes them of: equal keys give equal numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax

from gfx_ir import ops
from gfx_ir.dtypes import DTYPES, DType
from gfx_ir.ops import _seen
from gfx_ir.ops.create import limit

from ..rows._lift import ask_rank, element, expect, refuse

Draw = Callable[[Any, Any, DType], Any]


def _widest(name: str) -> DType:
    """A dtype of 64 bits, or what JAX's mode admits of it."""
    return DTYPES[jax.dtypes.canonicalize_dtype(name).name]


def _float(call: str, dtype: Any) -> DType:
    found = element(dtype) or _widest("float64")
    if not isinstance(found, DType) or found.kind != "f":
        refuse(f"{call} of this dtype", dtype=dtype)
    return found


def _plain(name: str, draw: Draw) -> Callable[..., Any]:
    """A distribution without parameters."""
    call = f"jax.random.{name}"

    def lift(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
        refuse(call, out_sharding=out_sharding)
        return draw(key, tuple(shape), _float(call, dtype))

    return lift


def _exponential(key: Any, shape: Any, dtype: DType) -> Any:
    return ops.negative(ops.log1p(ops.negative(ops.uniform(key, shape, dtype=dtype))))


def _laplace(key: Any, shape: Any, dtype: DType) -> Any:
    u = ops.uniform(key, shape, low=-1.0 + limit(dtype, "eps") / 2, high=1.0, dtype=dtype)
    return ops.multiply(ops.sign(u), ops.log1p(ops.negative(ops.abs(u))))


def _logistic(key: Any, shape: Any, dtype: DType) -> Any:
    x = ops.uniform(key, shape, low=limit(dtype, "smallest_normal"), high=1.0, dtype=dtype)
    return ops.subtract(ops.log(x), ops.log1p(ops.negative(x)))


def _cauchy(key: Any, shape: Any, dtype: DType) -> Any:
    u = ops.uniform(key, shape, low=limit(dtype, "eps"), high=1.0, dtype=dtype)
    return ops.tan(ops.multiply(math.pi, ops.subtract(u, 0.5)))


def _gumbel(key: Any, shape: Any = (), dtype: Any = None, mode: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.gumbel", out_sharding=out_sharding)
    expect("jax.random.gumbel", "mode", mode, None, "low")
    dtype = _float("jax.random.gumbel", dtype)
    u = ops.uniform(key, tuple(shape), low=limit(dtype, "smallest_normal"), high=1.0, dtype=dtype)
    return ops.negative(ops.log(ops.negative(ops.log(u))))


def _categorical(
    key: Any, logits: Any, axis: int = -1, shape: Any = None, replace: bool = True, mode: Any = None, *,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """jax.random.categorical: the largest of the logits with Gumbel noise."""
    refuse("jax.random.categorical", out_sharding=out_sharding)
    expect("jax.random.categorical", "replace", replace, True)
    rank = ask_rank(logits, "jax.random.categorical")
    axis = axis - rank if axis >= 0 else axis
    sizes = [ops.size(logits, at) for at in range(rank)]
    lead = () if shape is None else tuple(shape)[: len(shape) - (rank - 1)]
    noise = _gumbel(key, (*lead, *sizes), _seen.dtype(logits), mode)
    return ops.argmax(ops.add(noise, logits), axis=axis)


def _rademacher(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.rademacher", out_sharding=out_sharding)
    found = ops.astype(ops.bernoulli(key, 0.5, tuple(shape)), element(dtype) or _widest("int64"))
    return ops.subtract(ops.multiply(2, found), 1)


def _shape(call: str, shape: Any, *parameters: Any) -> tuple:
    """The shape of a draw; where none is given, that of its parameters, which then have to be numbers."""
    if shape is None and any(not isinstance(p, (int, float)) for p in parameters):
        refuse(f"{call} without a shape", parameters=parameters)
    return () if shape is None else tuple(shape)


def _lognormal(key: Any, sigma: Any = 1.0, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.lognormal", out_sharding=out_sharding)
    dtype = _float("jax.random.lognormal", dtype)
    normal = ops.normal(key, _shape("jax.random.lognormal", shape, sigma), dtype=dtype)
    return ops.exp(ops.multiply(normal, sigma))


def _pareto(key: Any, b: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.pareto", out_sharding=out_sharding)
    dtype = _float("jax.random.pareto", dtype)
    return ops.exp(ops.divide(_exponential(key, _shape("jax.random.pareto", shape, b), dtype), b))


def _rayleigh(key: Any, scale: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.rayleigh", out_sharding=out_sharding)
    u = ops.uniform(key, _shape("jax.random.rayleigh", shape, scale), dtype=_float("jax.random.rayleigh", dtype))
    return ops.multiply(scale, ops.sqrt(ops.multiply(ops.log(u), -2)))


def _weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    refuse("jax.random.weibull_min", out_sharding=out_sharding)
    call = "jax.random.weibull_min"
    drawn = _exponential(key, _shape(call, shape, scale, concentration), _float(call, dtype))
    return ops.multiply(ops.pow(drawn, ops.divide(1.0, concentration)), scale)


DRAWS: dict[str, Callable[..., Any]] = {
    "jax.random.exponential": _plain("exponential", _exponential),
    "jax.random.laplace": _plain("laplace", _laplace),
    "jax.random.logistic": _plain("logistic", _logistic),
    "jax.random.cauchy": _plain("cauchy", _cauchy),
    "jax.random.gumbel": _gumbel,
    "jax.random.categorical": _categorical,
    "jax.random.rademacher": _rademacher,
    "jax.random.lognormal": _lognormal,
    "jax.random.pareto": _pareto,
    "jax.random.rayleigh": _rayleigh,
    "jax.random.weibull_min": _weibull_min,
}
