"""Calls of JAX that no op stands for: which a graph may hold, and what they give."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

_DISTRIBUTIONS = (
    "bernoulli beta betabinom binom cauchy chi2 dirichlet expon gamma geom gumbel_l gumbel_r laplace logistic multinomial "
    "multivariate_normal nbinom norm pareto poisson t truncnorm uniform vonmises wrapcauchy"
).split()
PUBLIC = (
    "jax.numpy", "jax.lax", "jax.nn", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax.linalg", "jax.image", "jax.ops",
    "jax.scipy.special", "jax.scipy.linalg", "jax.scipy.signal", "jax.scipy.ndimage", "jax.scipy.fft", "jax.scipy.stats",
    "jax.scipy.integrate", "jax.scipy.cluster.vq", *(f"jax.scipy.stats.{name}" for name in _DISTRIBUTIONS),
)  # fmt: skip
_FILES = frozenset(("load", "save", "savez", "fromfile"))


def holds(fn: Any) -> bool:
    """Whether a graph may hold calls of the function."""
    return callable(fn) and not isinstance(fn, type) and getattr(fn, "__name__", "load") not in _FILES


def probe(call: Callable[[Sequence[Any]], Any], types: Sequence[Any], native: Any, data: int) -> Any:
    """What `call` gives for arrays of these types."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if data:
            return call([jnp.full(type_.dims, data, native(type_.dtype)) for type_ in types])
        structs = [jax.ShapeDtypeStruct(type_.dims, native(type_.dtype), weak_type=type_.weak) for type_ in types]
        return jax.eval_shape(lambda *arrays: call(arrays), *structs)
