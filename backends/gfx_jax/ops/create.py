"""Making arrays from sizes and numbers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.defaults import own, own_float
from gfx_ir.dtypes import DTYPES, float64, int64
from gfx_ir.graph import Value
from gfx_ir.lifting.creation import Grids, limits
from gfx_ir.lifting.words import frozen
from gfx_ir.op import lookup
from gfx_ir.trees import leaves

from ._lift import JNP, element, expect, refuse


def _filled(name: str) -> Any:
    op = lookup(name)

    def lift(shape: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
        return op(shape, dtype=element(dtype))

    return lift


def _full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
    return ops.full(shape, fill_value, dtype=element(dtype))


def _like(name: str) -> Any:
    op, shaped = lookup(f"{name}_like"), lookup(name)

    def lift(a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None) -> Any:
        if shape is not None:
            return shaped(shape, dtype=ops.dtype_of(a) if dtype is None else element(dtype))
        return op(a, dtype=element(dtype))

    return lift


def _full_like(
    a: Any, fill_value: Any, dtype: Any = None, shape: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:
    if shape is not None:
        return ops.full(shape, fill_value, dtype=ops.dtype_of(a) if dtype is None else element(dtype))
    return ops.full_like(a, fill_value, dtype=element(dtype))


def _empty_like(prototype: Any, dtype: Any = None, shape: Any = None, *, device: Any = None) -> Any:
    return _like("zeros")(prototype, dtype, shape)


def _asarray(
    a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, device: Any = None, out_sharding: Any = None
) -> Any:
    refuse("jnp.asarray", out_sharding=out_sharding)
    expect("jnp.asarray", "order", order, None, "C", "K")
    return _tensor(a, element(dtype))


def _array(
    object: Any, dtype: Any = None, copy: bool = True, order: Any = "K", ndmin: int = 0, *, device: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    expect("jnp.array", "ndmin", ndmin, 0)
    return _asarray(object, dtype, order, out_sharding=out_sharding)


def _tensor(x: Any, dtype: Any) -> Any:
    if isinstance(x, Value) and x.is_tensor:
        return ops.copy(x) if dtype is None else ops.astype(x, dtype)
    if isinstance(x, (list, tuple)):
        if not any(isinstance(leaf, Value) for leaf in leaves(x)):
            return ops.constant(frozen(x), dtype)
        if any(isinstance(leaf, Value) and leaf.is_tensor for leaf in leaves(x)):
            joined = ops.stack(tuple(_tensor(item, None) if isinstance(item, (list, tuple)) else item for item in x))
            return joined if dtype is None else ops.astype(joined, dtype)
    return ops.as_tensor(x, dtype=dtype)


def _scalar_class(dtype: Any) -> Any:
    """`jnp.float32(x)`: an array of that dtype."""
    return lambda x: _tensor(x, dtype)


def _arange(
    start: Any, stop: Any = None, step: Any = None, dtype: Any = None, *, device: Any = None, out_sharding: Any = None
) -> Any:
    if step is None:
        return ops.arange(start, stop, dtype=element(dtype))
    return ops.arange(0 if stop is None else start, start if stop is None else stop, step, dtype=element(dtype))


def _iota(dtype: Any, size: Any) -> Any:
    return ops.arange(size, dtype=element(dtype))


def _broadcasted_iota(dtype: Any, shape: Any, dimension: int, *, out_sharding: Any = None) -> Any:
    refuse("lax.broadcasted_iota", out_sharding=out_sharding)
    steps = ops.arange(shape[dimension], dtype=element(dtype))
    after = len(shape) - dimension - 1
    return ops.broadcast_to(ops.expand_dims(steps, tuple(range(1, after + 1))) if after else steps, tuple(shape))


def _linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    expect("jnp.linspace", "retstep", retstep, False)
    expect("jnp.linspace", "axis", axis, 0)
    return ops.linspace(start, stop, num, dtype=element(dtype), endpoint=endpoint)


def _eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None, *, device: Any = None) -> Any:
    return ops.eye(N, M, k=k, dtype=element(dtype))


OWN_FLOAT = {"dtype": own("numpy")}
"""JAX makes the widest dtype of its own what its mode admits, as where one asks for it, but without a warning."""


def _listed(name: str) -> Any:
    """The dtype that a list of numbers has on its own."""
    of = own("numpy", name)
    return lambda args: of(args) if isinstance(getattr(args, name), (tuple, list)) else None


def _strong(text: str, name: str) -> Any:
    """A call that makes a weak array of a number, unless told its dtype: the widest is told as Python's type."""

    def spelling(args: SimpleNamespace) -> str:
        number = not isinstance(getattr(args, name), (tuple, list))
        if number and args.dtype in (float64, int64):
            return text.replace("dtype=dtype", "dtype=float" if args.dtype is float64 else "dtype=int")
        return text

    return spelling


def _arange_spelling(args: SimpleNamespace) -> str:
    one = args.step == 1 and type(args.step) is int
    if args.stop is None:
        return "jnp.arange(start, dtype=dtype)"
    if one and type(args.start) is int and args.start == 0:
        return "jnp.arange(stop, dtype=dtype)"
    return f"jnp.arange(start, stop{'' if one else ', step'}, dtype=dtype)"


def _eye_spelling(args: SimpleNamespace) -> str:
    return f"jnp.eye(n_rows, {'' if args.n_cols is None else 'n_cols, '}k=k, dtype=dtype)"


def _limit(function: str, python: str) -> Any:
    return lambda args: f"{python}(jnp.{function}(dtype).{args.field})"


_CLASSES = {
    f"jnp.{name}{'_' if name == 'bool' else ''}": _scalar_class(dtype)
    for name, dtype in DTYPES.items()
    if not name.startswith("float8")
}

ROWS = (
    Row("constant", _strong("jnp.array(data, dtype=dtype)", "data"), own={"dtype": _listed("data")}),
    Row(
        "as_tensor",
        _strong("jnp.asarray(x, dtype=dtype)", "x"),
        {"jnp.asarray": _asarray, "jnp.array": _array, **_CLASSES},
        own={"dtype": _listed("x")},
    ),
    Row("full", _strong("jnp.full(shape, fill_value, dtype=dtype)", "fill_value"), {"jnp.full lax.full": _full}),
    Row("zeros", "jnp.zeros(shape, dtype=dtype)", {"jnp.zeros": _filled("zeros")}, own=OWN_FLOAT),
    Row("ones", "jnp.ones(shape, dtype=dtype)", {"jnp.ones": _filled("ones")}, own=OWN_FLOAT),
    Row("empty", "jnp.empty(shape, dtype=dtype)", {"jnp.empty": _filled("empty")}, own=OWN_FLOAT),
    Row("to_device", "x"),
    Row("full_like", "jnp.full_like(x, fill_value, dtype=dtype)", {"jnp.full_like lax.full_like": _full_like}),
    Row(
        "zeros_like",
        "jnp.zeros_like(x, dtype=dtype)",
        {"jnp.zeros_like": _like("zeros"), "jnp.empty_like": _empty_like},
    ),
    Row("ones_like", "jnp.ones_like(x, dtype=dtype)", {"jnp.ones_like": _like("ones")}),
    Row(
        "arange",
        _arange_spelling,
        {"jnp.arange": _arange, "lax.iota": _iota, "lax.broadcasted_iota": _broadcasted_iota},
        own={"dtype": own("numpy", "start", "stop", "step")},
    ),
    Row(
        "linspace",
        "jnp.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)",
        {"jnp.linspace": _linspace},
        own={"dtype": own_float("start", "stop")},
    ),
    Row(
        "eye",
        _eye_spelling,
        {"jnp.eye": _eye, "jnp.identity": lambda n, dtype=None: ops.eye(n, dtype=element(dtype))},
        own=OWN_FLOAT,
    ),
    Row(
        "meshgrid",
        lambda a: "jnp.meshgrid(*arrays, indexing=indexing)" + ("[0]" if len(a.arrays) == 1 else ""),
        JNP.table(Grids(JNP).table())["meshgrid"],
    ),
    Row("finfo", _limit("finfo", "float"), {"jnp.finfo": limits("finfo", jnp.finfo)}),
    Row("iinfo", _limit("iinfo", "int"), {"jnp.iinfo": limits("iinfo", jnp.iinfo)}),
)
