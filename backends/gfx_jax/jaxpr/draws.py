"""Draws of random numbers in a jaxpr: calls of the functions whose compiled parts it names, and keys, several of them in a tuple."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from gfx_ir.errors import MissingOp

from .replaying import Number, Replaying

SEVERAL = "draw the random numbers outside of the function that JAX transforms, and give them to it"
_PLAIN = "normal gumbel exponential laplace logistic cauchy rayleigh"
_Draw = Callable[..., Any]


def _of_shape(fn: _Draw) -> _Draw:
    return lambda call, key, shape, dtype: call(fn, key, shape, dtype)


def _uniform(call: _Draw, key: Any, shape: tuple, dtype: Any, low: Any, high: Any) -> Any:
    plain = isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1)
    return call(jax.random.uniform, key, shape, dtype, **({} if plain else {"minval": low, "maxval": high}))


_DRAWN: dict[str, _Draw] = {
    **{f"_{name}": _of_shape(getattr(jax.random, name)) for name in _PLAIN.split()},
    "_uniform": _uniform,
    "_bernoulli": lambda call, key, shape, dtype, p: call(jax.random.bernoulli, key, p, shape),
    "_randint": lambda call, key, shape, dtype, low, high: call(jax.random.randint, key, shape, low, high, dtype),
    "_truncated_normal": lambda call, key, shape, dtype, low, high: call(
        jax.random.truncated_normal, key, low, high, shape, dtype
    ),
}


def _drawn(replay: Replaying, eqn: Any) -> Any:
    """A compiled part of a function that draws, by its name; None: it is none."""
    draw = _DRAWN.get(eqn.params["name"])
    if draw is None or not eqn.invars or not jnp.issubdtype(eqn.invars[0].aval.dtype, jax.dtypes.prng_key):
        return None
    (out,), (key, *rest) = eqn.outvars, eqn.invars
    shape = tuple(out.aval.shape)
    if key.aval.shape or any(drawn != shape for drawn in _bits(eqn.params["jaxpr"].jaxpr)):
        raise MissingOp("GFX has no row for draws that JAX makes for each item of a batch", hint=SEVERAL)
    found = [replay.read(var) for var in rest]
    numbers = [x.value if isinstance(x, Number) else x for x in found]
    return [draw(replay.call, replay.value(key), shape, out.aval.dtype, *numbers)]


def _bits(jaxpr: Any) -> Iterator[tuple]:
    """The shapes of what is drawn in a jaxpr."""
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "random_bits":
            yield tuple(eqn.outvars[0].aval.shape)
        elif "jaxpr" in eqn.params:
            yield from _bits(eqn.params["jaxpr"].jaxpr)


def _same(replay: Replaying, eqn: Any) -> Any:
    """A key as plain numbers, or the other way: to a graph it is the same key."""
    return replay.value(eqn.invars[0])


def _seed(replay: Replaying, eqn: Any) -> Any:
    found = replay.read(eqn.invars[0])
    return replay.call(jax.random.key, found.value if isinstance(found, Number) else found)


def _split(replay: Replaying, eqn: Any) -> Any:
    if eqn.invars[0].aval.shape or len(eqn.params["shape"]) != 1:
        raise MissingOp("GFX has no row for keys that JAX splits for each item of a batch", hint=SEVERAL)
    return replay.call(jax.random.split, replay.value(eqn.invars[0]), eqn.params["shape"][0])


def _fold_in(replay: Replaying, eqn: Any) -> Any:
    if eqn.invars[0].aval.shape:
        raise MissingOp("GFX has no row for keys that JAX folds in for each item of a batch", hint=SEVERAL)
    found = replay.read(eqn.invars[1])
    data = found.value if isinstance(found, Number) else found
    return replay.call(jax.random.fold_in, replay.value(eqn.invars[0]), data)


def _slice(replay: Replaying, eqn: Any) -> Any:
    """Some of several keys."""
    held = replay.value(eqn.invars[0])
    if not isinstance(held, tuple):
        return None
    return held[eqn.params["start_indices"][0] : eqn.params["limit_indices"][0] : (eqn.params["strides"] or (1,))[0]]


def _squeeze(replay: Replaying, eqn: Any) -> Any:
    """The only one of several keys."""
    held = replay.value(eqn.invars[0])
    return held[0] if isinstance(held, tuple) and len(held) == 1 else None


DRAWS: dict[str, Callable[[Replaying, Any], Any]] = {
    "jit": _drawn,
    "random_wrap": _same,
    "random_unwrap": _same,
    "random_seed": _seed,
    "random_split": _split,
    "random_fold_in": _fold_in,
    "slice": _slice,
    "squeeze": _squeeze,
}
"""Rules that give None where an equation is about something else."""
