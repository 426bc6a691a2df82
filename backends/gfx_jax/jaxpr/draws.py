"""Draws of random numbers in a jaxpr: calls of the functions whose compiled parts it names, and keys; several of them are a tuple, and
what a batch draws is drawn key by key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gfx_ir.errors import MissingOp
from gfx_ir.row import Keys

from .replaying import Number, Replaying

SEVERAL = "draw the random numbers outside of the function that JAX transforms, and give them to it"
_PLAIN = "normal gumbel exponential laplace logistic cauchy rayleigh"
_Draw = Callable[..., Any]


def _of_shape(fn: _Draw) -> _Draw:
    return lambda call, key, shape, dtype: call(fn, key, shape, dtype)


def _uniform(call: _Draw, key: Any, shape: tuple, dtype: Any, low: Any, high: Any) -> Any:
    plain = isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1)
    return call(jax.random.uniform, key, shape, dtype, **({} if plain else {"minval": low, "maxval": high}))


def _shuffled(call: _Draw, key: Any, shape: tuple, dtype: Any, x: Any) -> Any:
    if len(shape) != 1:
        raise MissingOp("GFX has no row for jax.random.permutation of each row for itself", hint=SEVERAL)
    return call(jax.random.permutation, key, x)


_DRAWN: dict[str, _Draw] = {
    **{f"_{name}": _of_shape(getattr(jax.random, name)) for name in _PLAIN.split()},
    "_uniform": _uniform,
    "_bernoulli": lambda call, key, shape, dtype, p: call(jax.random.bernoulli, key, p, shape),
    "_randint": lambda call, key, shape, dtype, low, high: call(jax.random.randint, key, shape, low, high, dtype),
    "_truncated_normal": lambda call, key, shape, dtype, low, high: call(
        jax.random.truncated_normal, key, low, high, shape, dtype
    ),
    "_shuffle": _shuffled,
}


def _drawn(replay: Replaying, eqn: Any) -> Any:
    """A compiled part of a function that draws, by its name; None: it is none."""
    draw = _DRAWN.get(eqn.params["name"])
    if draw is None or not eqn.invars or not jnp.issubdtype(eqn.invars[0].aval.dtype, jax.dtypes.prng_key):
        return None
    (out,), (key, *rest) = eqn.outvars, eqn.invars
    several, whole = tuple(key.aval.shape), tuple(out.aval.shape)
    shape = whole[len(several) :]
    if whole[: len(several)] != several or any(drawn != whole for drawn in _bits(eqn.params["jaxpr"].jaxpr)):
        raise MissingOp("GFX has no row for draws that JAX makes for each item of a batch, from one key", hint=SEVERAL)
    found = [replay.read(var) for var in rest]
    numbers = [x.value if isinstance(x, Number) else x for x in found]
    batched = [_is_of_batch(tuple(var.aval.shape), several, shape) for var in rest]

    def drawn(at: tuple, one: Any) -> Any:
        given = [replay.call(_item, x, at) if own else x for x, own in zip(numbers, batched)]
        return draw(replay.call, one, shape, out.aval.dtype, *given)

    made = _each(replay.value(key), several, drawn)
    return [_stacked(replay, made, len(several))]


def _item(x: Any, at: tuple) -> Any:
    return x[at]


def _is_of_batch(own: tuple, several: tuple, shape: tuple) -> bool:
    """Whether an argument of draws, by its shape, has a part for each key. Raises MissingOp where it may be either."""
    count = len(several)
    shared, apart = _fits(own, shape), own[:count] == several and _fits(own[count:], shape)
    if not several or (shared and not apart):
        return False
    if shared or not apart or set(several) & set(own[count:]):
        raise MissingOp(
            "GFX has no row for draws of a batch of which it is not plain what each item takes", hint=SEVERAL
        )
    return True


def _fits(own: tuple, shape: tuple) -> bool:
    """Whether an array broadcasts to a shape."""
    return len(own) <= len(shape) and all(a in (1, b) for a, b in zip(own[::-1], shape[::-1]))


def _each(keys: Any, several: tuple, work: Callable[[tuple, Any], Any]) -> np.ndarray:
    """What work(place, key) gives for each of the keys of such a shape, in an array of objects."""
    held = _array(keys, several)
    made = np.empty(several, object)
    for at in np.ndindex(*several):
        made[at] = work(at, held[at])
    return made


def _stacked(replay: Replaying, made: np.ndarray, depth: int) -> Any:
    if depth == 0:
        return made[()]
    return replay.call(jnp.stack, [_stacked(replay, row, depth - 1) if depth > 1 else row for row in made])


def _array(keys: Any, several: tuple) -> np.ndarray:
    """Keys in an array of objects."""
    made = np.empty(several, object)
    for at in np.ndindex(*several):
        one = keys
        for place in at:
            one = one[place]
        made[at] = one
    return made


def _keys(held: np.ndarray) -> Any:
    """Keys of an array as tuples of them."""
    return (
        held[()]
        if held.ndim == 0
        else Keys(_keys(held[at : at + 1].reshape(held.shape[1:])) for at in range(len(held)))
    )


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
    found, several = replay.read(eqn.invars[0]), tuple(eqn.invars[0].aval.shape)
    if several:
        seeds = [replay.call(_item, found, at) for at in np.ndindex(*several)]
        made = np.empty(len(seeds), object)
        made[:] = [replay.call(jax.random.key, seed) for seed in seeds]
        return _keys(made.reshape(several))
    return replay.call(jax.random.key, found.value if isinstance(found, Number) else found)


def _split(replay: Replaying, eqn: Any) -> Any:
    several, shape = tuple(eqn.invars[0].aval.shape), tuple(eqn.params["shape"])
    count = int(np.prod(shape))

    def split(at: tuple, one: Any) -> Any:
        return _array(replay.call(jax.random.split, one, count), (count,))

    made = _each(replay.value(eqn.invars[0]), several, split)
    return _keys(np.stack([*made.flat]).reshape(several + shape))


def _fold_in(replay: Replaying, eqn: Any) -> Any:
    (key, data), several = eqn.invars, tuple(eqn.outvars[0].aval.shape)
    found = replay.read(data)
    data_of = found.value if isinstance(found, Number) else found
    held = np.broadcast_to(_array(replay.value(key), tuple(key.aval.shape)), several)

    def folded(at: tuple) -> Any:
        own = data_of if not data.aval.shape else replay.call(_item, data_of, at)
        return replay.call(jax.random.fold_in, held[at], own)

    made = np.empty(several, object)
    for at in np.ndindex(*several):
        made[at] = folded(at)
    return _keys(made)


def _arranged(work: Callable[[np.ndarray, Any, int], np.ndarray]) -> Callable[[Replaying, Any], Any]:
    """The rule of a primitive that arranges, of keys: work(keys, parameters, how many axes are of keys)."""

    def rule(replay: Replaying, eqn: Any) -> Any:
        if not eqn.invars or hasattr(eqn.invars[0], "val"):
            return None
        keys = replay.read(eqn.invars[0])
        if not isinstance(keys, Keys):
            return None
        several, depth = [], keys
        while isinstance(depth, Keys):
            several.append(len(depth))
            depth = tuple.__getitem__(depth, 0)
        return _keys(work(_array(keys, tuple(several)), eqn.params, len(several)))

    return rule


def _slice(held: np.ndarray, params: Any, axes: int) -> np.ndarray:
    steps = params["strides"] or (1,) * axes
    return held[tuple(map(slice, params["start_indices"][:axes], params["limit_indices"][:axes], steps[:axes]))]


def _squeeze(held: np.ndarray, params: Any, axes: int) -> np.ndarray:
    return held.reshape([size for at, size in enumerate(held.shape) if at not in params["dimensions"]])


DRAWS: dict[str, Callable[[Replaying, Any], Any]] = {
    "jit": _drawn,
    "random_clone": _same,
    "random_wrap": _same,
    "random_unwrap": _same,
    "random_seed": _seed,
    "random_split": _split,
    "random_fold_in": _fold_in,
    "slice": _arranged(_slice),
    "squeeze": _arranged(_squeeze),
}
"""Rules that give None where an equation is about something else."""
