"""Arranging elements anew, and questions about shapes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import host
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Value
from gfx_ir.op import lookup
from gfx_ir.ops import _seen

from ._lift import ask_rank, element, expect, literal, plain, rank, refuse


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


def _atleast(count: int, *arrays: Any) -> Any:
    """jnp.atleast_nd: new axes in front (in NumPy's three dimensions, around)."""
    made = []
    for x in arrays:
        missing = max(0, count - ask_rank(x, f"jnp.atleast_{count}d"))
        made.append(ops.expand_dims(x, tuple(range(missing))) if missing else x)
    return made[0] if len(made) == 1 else made


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


# ---------------------------------------------------------------- joining and splitting
def _concatenate(arrays: Any, axis: Any = 0, dtype: Any = None) -> Any:
    if isinstance(arrays, Value):
        raise MissingOp("GFX joins a list of arrays, not the rows of one", hint="jnp.reshape joins rows")
    joined = ops.concat(tuple(arrays), axis=axis)
    return joined if dtype is None else ops.astype(joined, element(dtype))


def _stack(arrays: Any, axis: int = 0, out: Any = None, dtype: Any = None) -> Any:
    refuse("jnp.stack", out=out)
    if isinstance(arrays, Value):
        raise MissingOp("GFX stacks a list of arrays, not the rows of one", hint="jnp.moveaxis moves its first axis")
    stacked = ops.stack(tuple(arrays), axis=axis)
    return stacked if dtype is None else ops.astype(stacked, element(dtype))


def _joined(axis_of_rank: Any, least: int) -> Any:
    """hstack, vstack, dstack: arrays of at least `least` axes joined along an axis."""

    def lift(tup: Any, dtype: Any = None) -> Any:
        arrays = _atleast(least, *tup)
        arrays = arrays if isinstance(arrays, list) else [arrays]
        return _concatenate(arrays, axis_of_rank(arrays[0]), dtype)

    return lift


def _hstack_axis(x: Any) -> int:
    return 0 if ask_rank(x, "jnp.hstack") == 1 else 1


def _column_stack(tup: Any) -> Any:
    columns = [ops.expand_dims(x, 1) if ask_rank(x, "jnp.column_stack") == 1 else x for x in tup]
    return ops.concat(tuple(columns), axis=1)


def _parts(found: Any) -> list:
    return list(found) if isinstance(found, (tuple, list)) else [found]


def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """jnp.split: a number of equal parts, or the positions of the cuts."""
    cuts = indices_or_sections
    if isinstance(cuts, int):
        return _parts(ops.split(ary, cuts, axis=axis))
    if isinstance(cuts, Value):
        raise MissingOp("GFX splits at positions that are known", hint="give a tuple of numbers")
    if literal(tuple(cuts)) and list(cuts) == sorted(cuts) and (not cuts or cuts[0] >= 0):
        size = _seen.size_of(ary, axis)
        end = size if isinstance(size, int) else ops.size(ary, axis)
        cuts = tuple(min(c, end) for c in cuts) if isinstance(end, int) else tuple(cuts)
        return _parts(ops.split(ary, tuple(_difference(b, a) for a, b in zip((0, *cuts), (*cuts, end))), axis=axis))
    raise MissingOp("GFX splits at positions that ascend", hint="slice the array instead")


def _difference(b: Any, a: Any) -> Any:
    return b if isinstance(a, int) and a == 0 else host("-", b, a)


def _lax_split(operand: Any, sizes: Any, axis: int = 0) -> Any:
    return _parts(ops.split(operand, tuple(sizes), axis=axis))


def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    if not isinstance(indices_or_sections, int):
        return _split(ary, indices_or_sections, axis)
    size = _seen.length(ary, axis, "jnp.array_split needs the size of the axis")
    small, larger = divmod(size, indices_or_sections)
    sizes = (small + 1,) * larger + (small,) * (indices_or_sections - larger)
    return _parts(ops.split(ary, sizes, axis=axis))


def _split_spelling(args: SimpleNamespace) -> str:
    sections = args.sections
    if isinstance(sections, int):
        return "jnp.split(x, sections, axis=axis)" + ("[0]" if sections == 1 else "")
    if len(sections) == 1:
        return "jnp.split(x, 1, axis=axis)[0]"
    if not literal(tuple(sections)):
        return "split_sizes(x, sections, axis=axis)"
    cuts = [sum(sections[:n]) for n in range(1, len(sections))]
    return f"jnp.split(x, {cuts}, axis=axis)"


def _chunk_spelling(args: SimpleNamespace) -> str:
    """jnp.split refuses what does not divide: where the size is known not to, a helper cuts as torch.chunk does."""
    size = _seen.size_of(args.x, args.axis)
    if isinstance(size, int) and size % args.chunks:
        one = -(-size // -(-size // args.chunks)) == 1
        return "chunk(x, chunks, axis=axis)" + ("[0]" if one else "")
    return "jnp.split(x, chunks, axis=axis)" + ("[0]" if args.chunks == 1 else "")


def _unstack_spelling(args: SimpleNamespace) -> str:
    length = args.length if isinstance(args.length, int) else _seen.size_of(args.x, args.axis)
    return "jnp.unstack(x, axis=axis)" + ("[0]" if length == 1 else "")


def _unstack(x: Any, /, *, axis: int = 0) -> Any:
    found = ops.unstack(x, axis=axis)
    return found if isinstance(found, tuple) else (found,)


# ---------------------------------------------------------------- repeating
def _roll(a: Any, shift: Any, axis: Any = None) -> Any:
    return ops.roll(a, shift, axis=axis)


def _tile(A: Any, reps: Any) -> Any:
    return ops.tile(A, (reps,) if isinstance(reps, int) else tuple(reps))


def _repeat(
    a: Any, repeats: Any, axis: Any = None, *, total_repeat_length: Any = None, out_sharding: Any = None
) -> Any:
    refuse("jnp.repeat", total_repeat_length=total_repeat_length, out_sharding=out_sharding)
    return ops.repeat(a, repeats, axis=axis)


def _repeat_spelling(args: SimpleNamespace) -> str:
    """JAX takes the numbers of repetitions as an array, of NumPy's so that jax.jit knows how many there are."""
    many = isinstance(args.repeats, (tuple, list))
    return f"jnp.repeat(x, {'np.array(repeats)' if many else 'repeats'}, axis=axis)"


def _pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    value = kwargs.pop("constant_values", 0)
    refuse("jnp.pad", **kwargs)
    expect("jnp.pad", "mode", mode, "constant", "reflect", "edge", "wrap")
    if isinstance(pad_width, int) or len(pad_width) == 1 or all(isinstance(w, int) for w in pad_width):
        pair = pad_width[0] if isinstance(pad_width, (tuple, list)) and len(pad_width) == 1 else pad_width
        pair = (pair, pair) if isinstance(pair, int) else tuple(pair)
        pad_width = (pair,) * ask_rank(array, "jnp.pad with one width for all axes")
    return ops.pad(array, tuple(tuple(w) for w in pad_width), mode=mode, value=value)


def _lax_pad(operand: Any, padding_value: Any, padding_config: Any) -> Any:
    if any(interior or low < 0 or high < 0 for low, high, interior in padding_config):
        refuse("lax.pad between elements, or with negative widths,", padding_config=padding_config)
    return ops.pad(operand, tuple((low, high) for low, high, _ in padding_config), value=padding_value)


def _pad_spelling(args: SimpleNamespace) -> str:
    count, given = rank(args.x), len(args.widths)
    option = "constant_values=value" if args.mode == "constant" else "mode=mode"
    if count == given:
        return f"jnp.pad(x, widths, {option})"
    if count is not None and literal(args.widths):
        return f"jnp.pad(x, {((0, 0),) * (count - given) + tuple(args.widths)}, {option})"
    return "pad_last(x, widths, mode=mode, value=value)"


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
        "x.reshape(shape)",
        {"jnp.reshape": _reshape, "Array.reshape": _reshape_method, "lax.reshape": _lax_reshape},
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
            "jnp.atleast_1d": lambda *arys: _atleast(1, *arys),
            "jnp.atleast_2d": lambda *arys: _atleast(2, *arys),
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
            "jnp.concatenate": _concatenate,
            "jnp.concat": lambda arrays, /, *, axis=0: _concatenate(arrays, axis),
            "lax.concatenate": lambda operands, dimension: _concatenate(operands, dimension),
            "jnp.append": lambda arr, values, axis=None: ops.concat((arr, values), axis=axis),
            "jnp.hstack": _joined(_hstack_axis, 1),
            "jnp.vstack": _joined(lambda x: 0, 2),
            "jnp.column_stack": _column_stack,
        },
    ),
    Row("stack", "jnp.stack(arrays, axis=axis)", {"jnp.stack": _stack}),
    Row(
        "split",
        _split_spelling,
        {
            "jnp.split": _split,
            "lax.split": _lax_split,
            "jnp.array_split": _array_split,
            "jnp.vsplit": lambda ary, indices_or_sections: _split(ary, indices_or_sections, 0),
        },
    ),
    Row("chunk", _chunk_spelling),
    Row("unstack", _unstack_spelling, {"jnp.unstack": _unstack}),
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
    Row("roll", "jnp.roll(x, shift, axis=axis)", {"jnp.roll": _roll}),
    Row("tile", "jnp.tile(x, repetitions)", {"jnp.tile": _tile}),
    Row("repeat", _repeat_spelling, {"jnp.repeat Array.repeat": _repeat}),
    Row("pad", _pad_spelling, {"jnp.pad": _pad, "lax.pad": _lax_pad}),
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
