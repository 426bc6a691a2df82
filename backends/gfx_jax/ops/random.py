"""Random numbers from explicit keys: https://docs.jax.dev/en/latest/jax.random.html."""

from __future__ import annotations

import functools
import operator
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.defaults import own
from gfx_ir.dtypes import DType, int64
from gfx_ir.graph import Value
from gfx_ir.op import lookup
from gfx_ir.several_keys import Folds, Keys

from ._lift import element, expect, literal, refuse


def _make_key(seed: Any, *, impl: Any = None, dtype: Any = None) -> Any:
    refuse("jax.random.key", impl=impl, dtype=dtype)
    return ops.make_key(seed)


def _split(key: Any, num: Any = 2) -> Any:
    """Keys that are each made of the key and its place, as JAX makes them unless it is set to split otherwise."""
    count, *inner = num if isinstance(num, tuple) and num else (num,)
    settings: Any = jax.config
    alike = settings.jax_threefry_partitionable and settings.jax_default_prng_impl != "unsafe_rbg"
    if not literal(tuple(inner)) or not (alike or (literal(num) and not inner)) or (literal(count) and count < 1):
        refuse("jax.random.split into so many keys", num=num)
    if inner:
        return Keys(
            (), Folds(key, ops.arange(count), functools.partial(_row_of_keys, tuple(inner)), tuple(inner), count)
        )
    folds = Folds(key, ops.arange(count), _at_place, count=count) if alike else None
    if not literal(count):
        return Keys((), folds)
    found = ops.split_key(key, count)
    return Keys((found,) if count == 1 else found, folds)


def _at_place(call: Any, key: Any, place: Any) -> Any:
    return call(jax.random.fold_in, key, place)


def _row_of_keys(sizes: tuple[int, ...], call: Any, key: Any, place: Any) -> Any:
    """A row of an array of keys of more axes, which counts on where the row before ends."""
    count, *inner = sizes
    begin = call(operator.mul, place, count)
    places = call(jnp.add, call(jnp.arange, count), begin)
    make: Any = functools.partial(_row_of_keys, tuple(inner)) if inner else _at_place
    single = lambda: [make(call, key, call(operator.add, begin, at)) for at in range(count)]
    return Keys((), Folds(key, places, make, tuple(inner)), single)


def _uniform(
    key: Any, shape: Any = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0, *, out_sharding: Any = None
) -> Any:
    refuse("jax.random.uniform", out_sharding=out_sharding)
    return ops.uniform(key, shape, low=minval, high=maxval, dtype=element(dtype))


def _normal(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.normal", out_sharding=out_sharding)
    return ops.normal(key, shape, dtype=element(dtype))


def _bernoulli(key: Any, p: Any = 0.5, shape: Any = None, mode: str = "low", *, out_sharding: Any = None) -> Any:
    refuse("jax.random.bernoulli", out_sharding=out_sharding)
    expect("jax.random.bernoulli", "mode", mode, "low")
    return ops.bernoulli(key, p, (() if isinstance(p, float) else lookup("shape")(p)) if shape is None else shape)


def _randint(key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.randint", out_sharding=out_sharding)
    return ops.randint(key, shape, minval, maxval, dtype=element(dtype))


_SEEDS = 1 << 31  # a larger one is cut where JAX is not set to 64-bit types


def _key_spelling(args: SimpleNamespace) -> str:
    if not isinstance(args.seed, int) or args.seed < _SEEDS:
        return "jax.random.key(seed)"
    words = f"({args.seed >> 32}, {args.seed & 0xFFFFFFFF})"
    return f"jax.random.wrap_key_data(jnp.array({words}, dtype=jnp.uint32))"


def _drawn_as(call: str, dtype: Any, kinds: str) -> str:
    """A draw in a dtype; jax.random draws in certain kinds of dtypes alone."""
    if isinstance(dtype, DType) and dtype.kind not in kinds:
        return f"{call}).astype(dtype)"
    return f"{call}, dtype=dtype)"


def _permutation(key: Any, x: Any, axis: int = 0, independent: bool = False, *, out_sharding: Any = None) -> Any:
    refuse("jax.random.permutation", independent=independent or None, out_sharding=out_sharding)
    if not (isinstance(x, Value) and x.is_tensor):
        return ops.permutation(key, x)
    return ops.take(x, ops.permutation(key, ops.size(x, axis)), axis=axis)


def _split_spelling(args: SimpleNamespace) -> str:
    count = "" if args.count == 2 else ", count"
    return f"jax.random.split(key{count}){'[0]' if args.count == 1 else ''}"


def _gamma_spelling(args: SimpleNamespace) -> str:
    return f"jax.random.{'loggamma' if args.log else 'gamma'}(key, a, shape, dtype=dtype)"


def _poisson_spelling(args: SimpleNamespace) -> str:
    """Counts, which JAX draws as whole numbers."""
    if getattr(args.dtype, "kind", "i") in "iu":
        return "jax.random.poisson(key, rate, shape, dtype=dtype)"
    return "jax.random.poisson(key, rate, shape).astype(dtype)"


def _is(value: Any, number: float) -> bool:
    return isinstance(value, (int, float)) and value == number


def _normal_spelling(args: SimpleNamespace) -> str:
    draw = "jax.random.normal(key, shape, dtype=dtype)"
    if not _is(args.std, 1):
        draw = f"std * {draw}"
    return draw if _is(args.mean, 0) else f"mean + {draw}"


ROWS = (
    Row("make_key", _key_spelling, {"jax.random.key jax.random.PRNGKey": _make_key}),
    Row("split_key", _split_spelling, {"jax.random.split": _split}),
    Row(
        "fold_in",
        "jax.random.fold_in(key, data)",
        {"jax.random.fold_in": lambda key, data: ops.fold_in(key, data), "jax.random.clone": lambda key: key},
    ),
    Row(
        "uniform",
        "jax.random.uniform(key, shape, dtype=dtype, minval=low, maxval=high)",
        {"jax.random.uniform": _uniform},
        own={"dtype": own("numpy")},
    ),
    Row("normal", _normal_spelling, {"jax.random.normal": _normal}, own={"dtype": own("numpy")}),
    Row("bernoulli", "jax.random.bernoulli(key, p, shape)", {"jax.random.bernoulli": _bernoulli}),
    Row(
        "randint",
        lambda a: _drawn_as("jax.random.randint(key, shape, low, high", a.dtype, "iu"),
        {"jax.random.randint": _randint},
        own={"dtype": int64},
    ),
    Row("permutation", "jax.random.permutation(key, count)", {"jax.random.permutation": _permutation}),
    Row("gamma", _gamma_spelling, own={"dtype": own("numpy")}),
    Row("poisson", _poisson_spelling),
    Row("binomial", lambda a: _drawn_as("jax.random.binomial(key, n, p, shape", a.dtype, "f")),
)
