"""Draws of random numbers in a jaxpr: calls of the functions whose compiled parts it names, and keys; what a batch draws is drawn key
by key."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Literal

from gfx_ir.errors import MissingOp
from gfx_ir.several_keys import Folds, Keys

from .moved import SEVERAL, is_whole, rest_of
from .replaying import Number, Replaying
from .symbolic import is_open

_PLAIN = "normal gumbel exponential laplace logistic cauchy rayleigh"
_Draw = Callable[..., Any]
_Rule = Callable[[Replaying, Any], Any]


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
    if len(eqn.outvars) != 1:  # the derivative of one
        return rest_of(replay, eqn)
    (out,), (key, *rest) = eqn.outvars, eqn.invars
    several, whole = tuple(key.aval.shape), tuple(out.aval.shape)
    shape = whole[len(several) :]
    if whole[: len(several)] != several or any(drawn != whole for drawn in _bits(eqn.params["jaxpr"].jaxpr)):
        raise MissingOp("GFX has no row for draws that JAX makes for each item of a batch, from one key", hint=SEVERAL)
    if eqn.params["name"][1:] in _PLAIN.split():
        rest = []  # what JAX has moved out of a loop around it
    elif not several and not is_whole(eqn, lambda key, *rest: draw(_call, key, shape, out.aval.dtype, *rest)):
        return rest_of(replay, eqn)
    found = [replay.read(var) for var in rest]
    numbers = [x.value if isinstance(x, Number) else x for x in found]
    batched = [_is_of_batch(tuple(var.aval.shape), several, shape) for var in rest]

    def drawn(one: Any, own: Sequence[Any]) -> Any:
        parts = iter(own)
        given = [next(parts) if apart else x for x, apart in zip(numbers, batched)]
        return draw(replay.call, one, shape, out.aval.dtype, *given)

    own = [x for x, apart in zip(numbers, batched) if apart]
    return [_stacked(replay, replay.value(key), own, drawn)]


def _call(fn: _Draw, *args: Any, **kwargs: Any) -> Any:
    return fn(*args, **kwargs)


def _stacked(replay: Replaying, keys: Any, own: Sequence[Any], work: Callable[[Any, Sequence[Any]], Any]) -> Any:
    """The stack of what work(key, own) gives for each of the keys; `own`: arrays that have a part for each."""
    if type(keys) is not Keys:
        return work(keys, own)
    if keys.folds is None:
        parts = [[replay.call(operator.getitem, x, at) for x in own] for at in range(len(keys))]
        return replay.call(jnp.stack, [_stacked(replay, one, part, work) for one, part in zip(keys, parts)])

    def trip(_: tuple, row: tuple) -> tuple[tuple, Any]:
        one, *part = row
        return (), _stacked(replay, one, part, work)

    return replay.call(lax.scan, trip, (), (keys, *own))[1]


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


def _each(keys: Any, work: Callable[[Any], Any], sizes: tuple = ()) -> Any:
    """What work(key) gives for each of the keys, which is a key, or are keys of such sizes."""
    if type(keys) is not Keys:
        return work(keys)
    if keys.folds is None:
        return Keys([_each(one, work, sizes) for one in keys])
    below = keys.folds.sizes
    each = (lambda one: _each(one, work, sizes)) if below else work
    single = None if keys.single is None and not tuple.__len__(keys) else lambda: [each(one) for one in keys]
    return Keys((), keys.folds.then(each, (*below, *sizes)), single)


def _depth(var: Any) -> int:
    """How many axes of an array of keys are of keys."""
    return int(var.aval.ndim) - (_words(var) == 2)


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


def _wrapped(replay: Replaying, eqn: Any) -> Any:
    """The key of two words; of an array of words, its rows."""
    words, sizes = replay.value(eqn.invars[0]), tuple(eqn.outvars[0].aval.shape)
    return _rows(sizes, replay.call, words) if sizes and type(words) is not Keys else words


def _rows(sizes: tuple, call: _Draw, words: Any) -> Any:
    count, *inner = sizes

    def make(call: _Draw, words: Any, place: Any) -> Any:
        row = call(operator.getitem, words, place)
        return _rows(tuple(inner), call, row) if inner else row

    single = lambda: [make(call, words, at) for at in range(count)]
    places = call(jnp.arange, count)
    return Keys((), Folds(words, places, make, tuple(inner), count), None if is_open(count) else single)


def _seed(replay: Replaying, eqn: Any) -> Any:
    found, depth = replay.read(eqn.invars[0]), eqn.invars[0].aval.ndim
    if depth == 1:
        make = lambda call, seeds, place: call(jax.random.key, call(operator.getitem, seeds, place))
        count = eqn.invars[0].aval.shape[0]
        single = lambda: [make(replay.call, found, at) for at in range(count)]
        places = replay.call(jnp.arange, count)
        return Keys((), Folds(found, places, make), None if is_open(count) else single)
    if depth:
        raise MissingOp("GFX has no row for keys of seeds of several axes", hint=SEVERAL)
    return replay.call(jax.random.key, found.value if isinstance(found, Number) else found)


def _split(replay: Replaying, eqn: Any) -> Any:
    shape = tuple(eqn.params["shape"])
    split = lambda one: replay.call(jax.random.split, one, shape if len(shape) > 1 else shape[0])
    return _each(replay.value(eqn.invars[0]), split, shape)


def _fold_in(replay: Replaying, eqn: Any) -> Any:
    (key, data), several = eqn.invars, tuple(eqn.outvars[0].aval.shape)
    found, keys = replay.read(data), replay.value(key)
    number = found.value if isinstance(found, Number) else found
    if not data.aval.shape:
        return _each(keys, lambda one: replay.call(jax.random.fold_in, one, number))
    if key.aval.shape or len(several) > 1:
        return _zipped(replay, keys, number)
    make = lambda call, key, place: call(jax.random.fold_in, key, place)
    single = lambda: [make(replay.call, keys, replay.call(operator.getitem, number, at)) for at in range(several[0])]
    return Keys((), Folds(keys, number, make), None if is_open(several[0]) else single)


def _zipped(replay: Replaying, keys: Any, data: Any) -> Any:
    """Keys, each with a number of its own folded into it."""
    if type(keys) is not Keys:
        return replay.call(jax.random.fold_in, keys, data)
    parts = [replay.call(operator.getitem, data, at) for at in range(len(keys))]
    return Keys([_zipped(replay, one, part) for one, part in zip(keys, parts)])


def _slice(replay: Replaying, eqn: Any) -> Any:
    keys, depth = replay.read(eqn.invars[0]), _depth(eqn.invars[0])
    steps = eqn.params["strides"] or (1,) * depth
    cuts = list(zip(eqn.params["start_indices"], eqn.params["limit_indices"], steps))[:depth]
    return _cut(keys, replay.sized(cuts), list(eqn.invars[0].aval.shape))


def _cut(keys: Any, cuts: Sequence[Any], shape: Sequence[Any]) -> Any:
    """Parts of keys: (first, end, step) of each axis."""
    kept = [cut == (0, size, 1) for cut, size in zip(cuts, shape)]
    part = keys if all(kept[:1]) else keys[slice(*cuts[0])]
    return part if all(kept[1:]) else part.below(lambda one: _cut(one, cuts[1:], shape[1:]))


def _squeeze(replay: Replaying, eqn: Any) -> Any:
    keys = replay.read(eqn.invars[0])
    for axis in sorted(eqn.params["dimensions"], reverse=True):
        keys = _without(replay, keys, axis)
    return keys


def _without(replay: Replaying, keys: Any, axis: int) -> Any:
    """Keys without an axis of one."""
    if axis:
        return keys.below(lambda one: _without(replay, one, axis - 1))
    if tuple.__len__(keys) or keys.folds is None:
        return keys[0]
    return keys.folds.at(replay.call, replay.call(operator.getitem, keys.folds.places, 0))


def _stopped(replay: Replaying, eqn: Any) -> Any:
    """What has no gradient to stop."""
    (var,) = eqn.invars
    return None if jnp.issubdtype(var.aval.dtype, jnp.inexact) else replay.read(var)


def _one_case(replay: Replaying, eqn: Any) -> Any:
    """A choice among one and the same, as jax.vmap makes of what the branches of a test take."""
    first, *others = map(replay.read, eqn.invars[1:])
    return first if all(other is first for other in others) else None


def _of_keys(rule: _Rule) -> _Rule:
    """The rule of a primitive that arranges, of keys."""

    def arranged(replay: Replaying, eqn: Any) -> Any:
        if not eqn.invars or hasattr(eqn.invars[0], "val") or type(replay.read(eqn.invars[0])) is not Keys:
            return None
        return rule(replay, eqn)

    return arranged


def arranged(replay: Replaying, eqn: Any) -> Any:
    """Keys in another order: what a primitive makes of their places. Raises MissingOp where data tell these, or words of keys part."""
    refused = MissingOp(f"GFX has no row for JAX's primitive {eqn.primitive.name!r} of several keys", hint=SEVERAL)
    items: list[Any] = []
    given = []
    for var in eqn.invars:
        keys, words = (None if isinstance(var, Literal) else replay.read(var)), _words(var)
        if (type(keys) is not Keys and not isinstance(var, Literal)) or any(map(is_open, var.aval.shape)):
            raise refused
        own = () if keys is None else list(_single(keys, _depth(var)))
        places = np.arange(len(own) * words) + len(items) * words
        given.append(var.val if isinstance(var, Literal) else places.reshape(var.aval.shape))
        items += own
    with jax.ensure_compile_time_eval():
        out = eqn.primitive.bind(*map(jnp.asarray, given), **eqn.params)
    found, whole = np.asarray(out[0] if eqn.primitive.multiple_results else out), len(eqn.outvars) == 1
    if whole and _words(eqn.outvars[0]) == 2:
        whole = found.shape[-1:] == (2,) and bool((found % 2 == (0, 1)).all() and (np.diff(found) == 1).all())
        found = found[..., 0] // 2 if whole else found
    if not whole:
        raise refused
    made = _nested(found, items)
    return [made] if eqn.primitive.multiple_results else made


def _words(var: Any) -> int:
    """How many numbers a key is in an array of keys."""
    return 1 if jnp.issubdtype(var.aval.dtype, jax.dtypes.prng_key) else 2


def _single(keys: Any, depth: int) -> Iterator[Any]:
    return (one for part in keys for one in _single(part, depth - 1)) if depth else iter((keys,))


def _nested(places: Any, items: Sequence[Any]) -> Any:
    return Keys([_nested(row, items) for row in places]) if places.ndim else items[int(places)]


DRAWS: dict[str, _Rule] = {
    "jit": _drawn,
    "random_clone": _same,
    "random_wrap": _wrapped,
    "random_unwrap": _same,
    "random_seed": _seed,
    "random_split": _split,
    "random_fold_in": _fold_in,
    "slice": _of_keys(_slice),
    "select_n": _one_case,
    "squeeze": _of_keys(_squeeze),
    "stop_gradient": _stopped,
}
"""Rules that give None where an equation is about something else."""
