"""Arranging elements anew, and questions about shapes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.dtypes import DType
from gfx_ir.lifting import rows
from gfx_ir.lifting.shapes import Shapes
from gfx_ir.list_spellings import at_path, in_order
from gfx_ir.op import lookup
from gfx_ir.ops._joins import expand_spelling

from . import _joins
from ._lift import JNP, ask_rank, expect, literal, plain, rank, refuse

_SHAPES = Shapes(JNP)
_SAME = JNP.table(_SHAPES.table())


# ---------------------------------------------------------------- axes
def _sizes(args: tuple) -> Any:
    """The shape of a call that takes it as one argument or as several."""
    return args[0] if len(args) == 1 else tuple(args)


def _reshape(a: Any, shape: Any, order: str = "C", *, copy: Any = None, out_sharding: Any = None) -> Any:
    refuse("jnp.reshape", out_sharding=out_sharding)
    expect("jnp.reshape", "order", order, "C")
    return ops.reshape(a, shape)


def _reshape_method(x: Any, *shape: Any, order: str = "C", out_sharding: Any = None) -> Any:
    return _reshape(x, _sizes(shape), order, out_sharding=out_sharding)


def _lax_reshape(operand: Any, new_sizes: Any, dimensions: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("lax.reshape", out_sharding=out_sharding)
    ordered = dimensions is None or list(dimensions) == sorted(dimensions)
    return ops.reshape(operand if ordered else ops.permute_dims(operand, tuple(dimensions)), tuple(new_sizes))


def _ravel(a: Any, order: str = "C", *, out_sharding: Any = None) -> Any:
    refuse("jnp.ravel", out_sharding=out_sharding)
    expect("jnp.ravel", "order", order, "C")
    return ops.flatten(a)


def _collapse(operand: Any, start_dimension: int, stop_dimension: int | None = None) -> Any:
    """lax.collapse: `stop_dimension` is the first axis that stays."""
    return ops.flatten(operand, start_dimension, -1 if stop_dimension is None else stop_dimension - 1)


def _flatten_spelling(args: SimpleNamespace) -> str:
    if args.end == -1:
        return "x.reshape(-1)" if args.start == 0 else f"jax.lax.collapse(x, {args.start})"
    return f"jax.lax.collapse(x, {args.start}, {args.end + 1})"


def _permute_spelling(args: SimpleNamespace) -> str:
    if args.axes is None:
        return "x.T"
    return f"x.transpose({', '.join(map(str, args.axes))})" if literal(args.axes) else "x.transpose(axes)"


def _broadcast_in_dim(operand: Any, shape: Any, broadcast_dimensions: Any, *, out_sharding: Any = None) -> Any:
    refuse("lax.broadcast_in_dim", out_sharding=out_sharding)
    dims = tuple(broadcast_dimensions)
    if list(dims) != sorted(dims):
        refuse("lax.broadcast_in_dim in another order", broadcast_dimensions=broadcast_dimensions)
    new = tuple(at for at in range(len(shape)) if at not in dims)
    return ops.broadcast_to(ops.expand_dims(operand, new) if new else operand, tuple(shape))


def _broadcast(operand: Any, sizes: Any, *, out_sharding: Any = None) -> Any:
    refuse("lax.broadcast", out_sharding=out_sharding)
    axes = range(ask_rank(operand, "lax.broadcast"))
    return ops.broadcast_to(operand, (*sizes, *(ops.size(operand, axis) for axis in axes)))


# ---------------------------------------------------------------- questions
def _attribute(name: str, function: str) -> Any:
    return lambda args: function if plain(args.x) else f"x.{name}"


ROWS = (
    Row(
        "reshape",
        lambda a: "x.reshape(*shape)" if isinstance(a.shape, (tuple, list)) and a.shape else "x.reshape(shape)",
        _SAME["reshape"] | {"jnp.reshape": _reshape, "Array.reshape": _reshape_method, "lax.reshape": _lax_reshape},
    ),
    Row(
        "flatten",
        _flatten_spelling,
        {"jnp.ravel Array.ravel Array.flatten": _ravel, "lax.collapse": _collapse},
    ),
    Row(
        "permute_dims",
        _permute_spelling,
        _SAME["permute_dims"]
        | {"lax.transpose": lambda operand, permutation: ops.permute_dims(operand, tuple(permutation))},
    ),
    Row("swapaxes", "x.swapaxes(axis1, axis2)", _SAME["swapaxes"]),
    Row("matrix_transpose", lambda a: "x.T" if rank(a.x) == 2 else "x.mT", _SAME["matrix_transpose"]),
    Row("moveaxis", "jnp.moveaxis(x, source, destination)", _SAME["moveaxis"]),
    Row(
        "expand_dims",
        "jnp.expand_dims(x, axis)",
        _SAME["expand_dims"] | {"lax.expand_dims": lambda array, dimensions: ops.expand_dims(array, tuple(dimensions))},
    ),
    Row("at_least", lambda a: f"jnp.atleast_{a.count}d(x)", _SAME["at_least"]),
    Row(
        "squeeze",
        "x.squeeze(axis=axis)",
        _SAME["squeeze"] | {"lax.squeeze": lambda array, dimensions: ops.squeeze(array, axis=tuple(dimensions))},
    ),
    Row(
        "broadcast_to",
        "jnp.broadcast_to(x, shape)",
        _SAME["broadcast_to"] | {"lax.broadcast": _broadcast, "lax.broadcast_in_dim": _broadcast_in_dim},
    ),
    Row("expand", lambda a: expand_spelling(a, "jnp")),
    Row(
        "concat",
        "jnp.concatenate(arrays, axis=axis)",
        _SAME["concat"] | {"lax.concatenate": lambda operands, dimension: _SHAPES.concatenate(operands, dimension)},
    ),
    Row(
        "stack",
        "jnp.stack(arrays, axis=axis)",
        {**_SAME["stack"], "lax.stack": lambda operands, axis=0: ops.stack(tuple(operands), axis=axis)},
    ),
    Row("seq_of", "[*items]"),
    Row("seq_at", at_path),
    Row("seq_slice", "items[cut]"),
    Row("seq_sorted", in_order),
    Row("seq_alike", "items"),
    Row("seq_concat", "[*items, *more]"),
    Row("seq_array", "jnp.array(items, dtype=dtype)"),
    Row("split", _joins.split_spelling, _SAME["split"] | {"lax.split": _joins.lax_split}, hashed=("sections",)),
    Row("chunk", _joins.chunk_spelling),
    Row(
        "unstack",
        _joins.unstack_spelling,
        {**_SAME["unstack"], "lax.unstack": rows.unstacked},
    ),
    Row(
        "flip",
        "jnp.flip(x, axis=axis)",
        _SAME["flip"] | {"lax.rev": lambda operand, dimensions: ops.flip(operand, axis=tuple(dimensions))},
    ),
    Row("roll", "jnp.roll(x, shift, axis=axis)", _SAME["roll"]),
    Row(
        "tile",
        "jnp.tile(x, repetitions)",
        {**_SAME["tile"], "lax.tile": lambda operand, reps: ops.tile(operand, tuple(reps))},
    ),
    Row("repeat", _joins.repeat_spelling, _SAME["repeat"]),
    Row("pad", _joins.pad_spelling, _SAME["pad"] | {"lax.pad": _joins.lax_pad}, hashed=("widths",)),
    Row("size", "x.shape[axis]"),
    Row("rank", _attribute("ndim", "jnp.ndim(x)"), _SAME["rank"]),
    Row("shape", _attribute("shape", "jnp.shape(x)"), _SAME["shape"] | {"jnp.shape": lookup("shape")}),
    Row("numel", _attribute("size", "jnp.size(x)"), _SAME["numel"]),
    Row("sizes", lambda a: "x.shape[0]" if a.rank == 1 else "x.shape"),
    Row("dtype_of", _attribute("dtype", "jnp.asarray(x).dtype"), _SAME["dtype_of"] | {"lax.dtype": ops.dtype_of}),
    Row("is_floating", "jnp.issubdtype(jnp.result_type(x), jnp.floating)"),
    Row(
        "can_cast",
        lambda a: (
            'jnp.can_cast(dtype, to, "same_kind")' if a.signs or isinstance(a.dtype, DType) else "can_cast(dtype, to)"
        ),
        _SAME["can_cast"],
    ),
    Row("is_none", "x is None"),
    Row("gradients_enabled", lambda a: "False" if a.inference else "True"),
    Row("device_of", "x.device", _SAME["device_of"]),
)
