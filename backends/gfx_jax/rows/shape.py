"""Arranging elements anew, and questions about shapes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.op import lookup

from . import _joins
from ._lift import ask_rank, expect, literal, plain, rank, refuse


# ---------------------------------------------------------------- axes
def _sizes(args: tuple) -> Any:
    """The shape of a call that takes it as one argument or as several."""
    return args[0] if len(args) == 1 else tuple(args)


def _reshape(a: Any, shape: Any, order: str = "C", *, copy: Any = None, out_sharding: Any = None) -> Any:
    refuse("jnp.reshape", out_sharding=out_sharding)
    expect("jnp.reshape", "order", order, "C")
    return ops.reshape(a, shape)


def _reshape_method(x: Any, *args: Any, order: str = "C", out_sharding: Any = None) -> Any:
    return _reshape(x, _sizes(args), order, out_sharding=out_sharding)


def _lax_reshape(operand: Any, new_sizes: Any, dimensions: Any = None, *, out_sharding: Any = None) -> Any:
    refuse("lax.reshape", dimensions=dimensions, out_sharding=out_sharding)
    return ops.reshape(operand, tuple(new_sizes))


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


def _item(x: Any, *args: Any) -> Any:
    """An array of no axes, which goes on as such."""
    if args:
        return ops.getitem(ops.flatten(x), args[0]) if len(args) == 1 else ops.getitem(x, args)
    return x if rank(x) == 0 else ops.reshape(x, ())


def _transpose(a: Any, axes: Any = None) -> Any:
    if axes is not None:
        return ops.permute_dims(a, tuple(axes))
    axes_count = ask_rank(a, "a transpose without axes", 2)
    if axes_count == 2:
        return ops.matrix_transpose(a)
    return ops.permute_dims(a, tuple(reversed(range(axes_count)))) if axes_count > 1 else ops.positive(a)


def _transpose_method(x: Any, *args: Any) -> Any:
    return _transpose(x, _sizes(args) if args else None)


def _permute_spelling(args: SimpleNamespace) -> str:
    return f"x.transpose({', '.join(map(str, args.axes))})" if literal(args.axes) else "x.transpose(axes)"


def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    count = ask_rank(a, "jnp.rollaxis")
    axis, start = axis % count, start + count if start < 0 else start
    return ops.moveaxis(a, axis, start - 1 if axis < start else start)


def _squeeze(a: Any, axis: Any = None) -> Any:
    return ops.squeeze(a, axis=axis)


# ---------------------------------------------------------------- broadcasting
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


def _broadcast_arrays(*arrays: Any) -> Any:
    """Each of the arrays added to zeros of the shape of all: a rank need not be known."""
    zero = None
    for x in arrays:
        zero = ops.zeros_like(x) if zero is None else ops.add(zero, ops.zeros_like(x))
    return [ops.broadcast_to(x, lookup("shape")(zero)) for x in arrays]


def _expand_spelling(args: SimpleNamespace) -> str:
    keeps = isinstance(args.shape, (tuple, list)) and any(type(d) is int and d == -1 for d in args.shape)
    return "expand(x, shape)" if keeps else "jnp.broadcast_to(x, shape)"


# ---------------------------------------------------------------- questions
def _size_of(a: Any, axis: Any = None) -> Any:
    return ops.numel(a) if axis is None else ops.size(a, axis)


def _attribute(name: str, function: str) -> Any:
    return lambda args: function if plain(args.x) else f"x.{name}"


def _lift(name: str, **names: str) -> Any:
    """The op itself as a lift, its arguments called as the framework calls them."""
    op = lookup(name)

    def lift(*args: Any, **kwargs: Any) -> Any:
        return op(*args, **{names.get(key, key): value for key, value in kwargs.items()})

    return lift


ROWS = (
    Row(
        "reshape",
        lambda a: "x.reshape(*shape)" if isinstance(a.shape, (tuple, list)) and a.shape else "x.reshape(shape)",
        {"jnp.reshape": _reshape, "Array.reshape": _reshape_method, "Array.item": _item, "lax.reshape": _lax_reshape},
    ),
    Row(
        "flatten",
        _flatten_spelling,
        {"jnp.ravel Array.ravel Array.flatten": _ravel, "lax.collapse": _collapse},
    ),
    Row(
        "permute_dims",
        _permute_spelling,
        {
            "jnp.transpose jnp.permute_dims": _transpose,
            "lax.transpose": lambda operand, permutation: ops.permute_dims(operand, tuple(permutation)),
            "Array.transpose": _transpose_method,
            "Array.T@": _transpose,
        },
    ),
    Row("swapaxes", "x.swapaxes(axis1, axis2)", {"jnp.swapaxes Array.swapaxes": _lift("swapaxes", a="x")}),
    Row(
        "matrix_transpose",
        lambda a: "x.T" if rank(a.x) == 2 else "x.mT",
        {"jnp.matrix_transpose jnp.linalg.matrix_transpose Array.mT@": _lift("matrix_transpose")},
    ),
    Row(
        "moveaxis",
        "jnp.moveaxis(x, source, destination)",
        {"jnp.moveaxis": _lift("moveaxis", a="x"), "jnp.rollaxis": _rollaxis},
    ),
    Row(
        "expand_dims",
        "jnp.expand_dims(x, axis)",
        {
            "jnp.expand_dims": _lift("expand_dims", a="x"),
            "lax.expand_dims": lambda array, dimensions: ops.expand_dims(array, tuple(dimensions)),
            "jnp.atleast_1d": lambda *arys: _joins.atleast(1, *arys),
            "jnp.atleast_2d": lambda *arys: _joins.atleast(2, *arys),
        },
    ),
    Row(
        "squeeze",
        "x.squeeze(axis=axis)",
        {
            "jnp.squeeze Array.squeeze": _squeeze,
            "lax.squeeze": lambda array, dimensions: ops.squeeze(array, axis=tuple(dimensions)),
        },
    ),
    Row(
        "broadcast_to",
        "jnp.broadcast_to(x, shape)",
        {
            "jnp.broadcast_to": lambda array, shape, *, out_sharding=None: ops.broadcast_to(array, shape),
            "jnp.broadcast_arrays": _broadcast_arrays,
            "lax.broadcast": _broadcast,
            "lax.broadcast_in_dim": _broadcast_in_dim,
        },
    ),
    Row("expand", _expand_spelling),
    Row(
        "concat",
        "jnp.concatenate(arrays, axis=axis)",
        {
            "jnp.concatenate": _joins.concatenate,
            "jnp.concat": lambda arrays, /, *, axis=0: _joins.concatenate(arrays, axis),
            "lax.concatenate": lambda operands, dimension: _joins.concatenate(operands, dimension),
            "jnp.append": lambda arr, values, axis=None: ops.concat((arr, values), axis=axis),
            "jnp.hstack": _joins.joined(_joins.hstack_axis, 1),
            "jnp.vstack": _joins.joined(lambda x: 0, 2),
            "jnp.column_stack": _joins.column_stack,
        },
    ),
    Row("stack", "jnp.stack(arrays, axis=axis)", {"jnp.stack": _joins.stack}),
    Row(
        "split",
        _joins.split_spelling,
        {
            "jnp.split": _joins.split,
            "lax.split": _joins.lax_split,
            "jnp.array_split": _joins.array_split,
            "jnp.vsplit": lambda ary, indices_or_sections: _joins.split(ary, indices_or_sections, 0),
        },
    ),
    Row("chunk", _joins.chunk_spelling),
    Row("unstack", _joins.unstack_spelling, {"jnp.unstack": _joins.unstack}),
    Row(
        "flip",
        "jnp.flip(x, axis=axis)",
        {
            "jnp.flip": lambda m, axis=None: ops.flip(m, axis=axis),
            "jnp.flipud": lambda m: ops.flip(m, axis=0),
            "jnp.fliplr": lambda m: ops.flip(m, axis=1),
            "lax.rev": lambda operand, dimensions: ops.flip(operand, axis=tuple(dimensions)),
        },
    ),
    Row("roll", "jnp.roll(x, shift, axis=axis)", {"jnp.roll": _joins.roll}),
    Row("tile", "jnp.tile(x, repetitions)", {"jnp.tile": _joins.tile}),
    Row("repeat", _joins.repeat_spelling, {"jnp.repeat Array.repeat": _joins.repeat}),
    Row("pad", _joins.pad_spelling, {"jnp.pad": _joins.pad, "lax.pad": _joins.lax_pad}),
    Row("size", "x.shape[axis]"),
    Row("rank", _attribute("ndim", "jnp.ndim(x)"), {"jnp.ndim": lambda a: ops.rank(a), "Array.ndim@": ops.rank}),
    Row("shape", _attribute("shape", "jnp.shape(x)"), {"jnp.shape Array.shape@": _lift("shape", a="x")}),
    Row("numel", _attribute("size", "jnp.size(x)"), {"jnp.size Array.size@": _size_of}),
    Row("sizes", lambda a: "x.shape[0]" if a.rank == 1 else "x.shape"),
    Row("dtype_of", _attribute("dtype", "jnp.asarray(x).dtype"), {"Array.dtype@ lax.dtype": ops.dtype_of}),
    Row("is_floating", "jnp.issubdtype(jnp.asarray(x).dtype, jnp.floating)"),
    Row("is_none", "x is None"),
    Row("device_of", "x.device", {"Array.device@": ops.device_of}),
)
