"""Draws from distributions, as functions of the uniform numbers that JAX makes them of: equal keys give equal numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax

from gfx_ir import ops
from gfx_ir.dtypes import DTYPES, DType
from gfx_ir.graph import Value
from gfx_ir.op import lookup
from gfx_ir.ops import _seen
from gfx_ir.ops.create import limit

from ..ops._lift import ask_rank, element, expect, refuse

Draw = Callable[[Any, Any, DType], Any]


def widest(name: str) -> DType:
    """A dtype of 64 bits, or what JAX's mode admits of it."""
    return DTYPES[jax.dtypes.canonicalize_dtype(name).name]


def floating(call: str, dtype: Any) -> DType:
    """The dtype of a draw of floats. Raises MissingOp for others."""
    found = element(dtype) or widest("float64")
    if not isinstance(found, DType) or found.kind != "f":
        refuse(f"{call} of this dtype", dtype=dtype)
    return found


def _plain(name: str, draw: Draw) -> Callable[..., Any]:
    """A distribution without parameters."""
    call = f"jax.random.{name}"

    def lift(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
        refuse(call, out_sharding=out_sharding)
        return draw(key, tuple(shape), floating(call, dtype))

    return lift


def exponential(key: Any, shape: Any, dtype: DType) -> Any:
    """Of mean 1."""
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


def gumbel(key: Any, shape: Any = (), dtype: Any = None, mode: Any = None, *, out_sharding: Any = None) -> Any:
    """The Gumbel distribution, by its inverse."""
    refuse("jax.random.gumbel", out_sharding=out_sharding)
    expect("jax.random.gumbel", "mode", mode, None, "low")
    dtype = floating("jax.random.gumbel", dtype)
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
    noise = gumbel(key, (*lead, *sizes), _seen.dtype(logits), mode)
    return ops.argmax(ops.add(noise, logits), axis=axis)


def rademacher(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """-1 or 1."""
    refuse("jax.random.rademacher", out_sharding=out_sharding)
    found = ops.astype(ops.bernoulli(key, 0.5, tuple(shape)), element(dtype) or widest("int64"))
    return ops.subtract(ops.multiply(2, found), 1)


def around(shape: Any, *parameters: Any) -> Any:
    """The shape of a draw; where none is given, that of its parameters together."""
    if shape is not None:
        return shape if isinstance(shape, Value) else tuple(shape)
    tensors = [p for p in parameters if isinstance(p, Value) and p.is_tensor]
    return lookup("shape")(functools.reduce(ops.add, tensors)) if tensors else ()


def cast(x: Any, dtype: DType) -> Any:
    """A parameter in the dtype of a draw; a number as it is."""
    return ops.astype(x, dtype) if isinstance(x, Value) and x.is_tensor and _seen.dtype(x) != dtype else x


def _lognormal(key: Any, sigma: Any = 1.0, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.lognormal", out_sharding=out_sharding)
    dtype = floating("jax.random.lognormal", dtype)
    normal = ops.normal(key, around(shape, sigma), dtype=dtype)
    return ops.exp(ops.multiply(normal, sigma))


def _pareto(key: Any, b: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.pareto", out_sharding=out_sharding)
    dtype = floating("jax.random.pareto", dtype)
    return ops.exp(ops.divide(exponential(key, around(shape, b), dtype), b))


def _rayleigh(key: Any, scale: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.rayleigh", out_sharding=out_sharding)
    u = ops.uniform(key, around(shape, scale), dtype=floating("jax.random.rayleigh", dtype))
    return ops.multiply(scale, ops.sqrt(ops.multiply(ops.log(u), -2)))


def _weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    refuse("jax.random.weibull_min", out_sharding=out_sharding)
    call = "jax.random.weibull_min"
    drawn = exponential(key, around(shape, scale, concentration), floating(call, dtype))
    return ops.multiply(ops.pow(drawn, ops.divide(1.0, concentration)), scale)


DRAWS: dict[str, Callable[..., Any]] = {
    "jax.random.exponential": _plain("exponential", exponential),
    "jax.random.laplace": _plain("laplace", _laplace),
    "jax.random.logistic": _plain("logistic", _logistic),
    "jax.random.cauchy": _plain("cauchy", _cauchy),
    "jax.random.gumbel": gumbel,
    "jax.random.categorical": _categorical,
    "jax.random.rademacher": rademacher,
    "jax.random.lognormal": _lognormal,
    "jax.random.pareto": _pareto,
    "jax.random.rayleigh": _rayleigh,
    "jax.random.weibull_min": _weibull_min,
}
