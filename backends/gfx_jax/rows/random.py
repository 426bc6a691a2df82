"""Random numbers from explicit keys: https://docs.jax.dev/en/latest/jax.random.html."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.defaults import own
from gfx_ir.dtypes import int64
from gfx_ir.op import lookup

from ._lift import element, expect, refuse


def _make_key(seed: Any, *, impl: Any = None, dtype: Any = None) -> Any:
    refuse("jax.random.key", impl=impl, dtype=dtype)
    return ops.make_key(seed)


def _split(key: Any, num: Any = 2) -> Any:
    expect("jax.random.split", "num", num, 2)
    return ops.split_key(key)


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


def _is(value: Any, number: float) -> bool:
    return isinstance(value, (int, float)) and value == number


def _normal_spelling(args: SimpleNamespace) -> str:
    draw = "jax.random.normal(key, shape, dtype=dtype)"
    if not _is(args.std, 1):
        draw = f"std * {draw}"
    return draw if _is(args.mean, 0) else f"mean + {draw}"


ROWS = (
    Row("make_key", "jax.random.key(seed)", {"jax.random.key jax.random.PRNGKey": _make_key}),
    Row("split_key", "jax.random.split(key)", {"jax.random.split": _split}),
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
        "jax.random.randint(key, shape, low, high, dtype=dtype)",
        {"jax.random.randint": _randint},
        own={"dtype": int64},
    ),
)
