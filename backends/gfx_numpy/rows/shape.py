"""Arranging elements anew, and questions about shapes."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import host
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Value
from gfx_ir.op import lookup
from gfx_ir.ops import _seen

from ._lift import as_array, ask_rank, element, expect, literal, refuse


# ---------------------------------------------------------------- axes
def _reshape(a: Any, /, shape: Any, order: str = "C", *, copy: Any = None) -> Any:
    expect("np.reshape", "order", order, "C")
    expect("np.reshape", "copy", copy, None)
    return ops.reshape(as_array(a), shape)


def _reshape_method(x: Any, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    return _reshape(x, shape[0] if len(shape) == 1 else shape, order, copy=copy)


def _ravel(a: Any, order: str = "C") -> Any:
    expect("np.ravel", "order", order, "C")
    return ops.flatten(as_array(a))


def _item(x: Any, *args: Any) -> Any:
    """An array of no axes, which goes on as such."""
    if args:
        return ops.getitem(ops.flatten(x), args[0]) if len(args) == 1 else ops.getitem(x, args)
    return x if _seen.rank(x) == 0 else ops.reshape(x, ())


def _transpose(a: Any, axes: Any = None) -> Any:
    a = as_array(a)
    if axes is not None:
        return ops.permute_dims(a, tuple(axes))
    count = ask_rank(a, "a transpose without axes", 2)
    if count == 2:
        return ops.matrix_transpose(a)
    return ops.permute_dims(a, tuple(reversed(range(count)))) if count > 1 else a


def _transpose_method(x: Any, *axes: Any) -> Any:
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return _transpose(x, given or None)


def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    count = ask_rank(a, "np.rollaxis")
    axis, start = axis % count, start + count if start < 0 else start
    return ops.moveaxis(a, axis, start - 1 if axis < start else start)


def _atleast(count: int, *arrays: Any) -> Any:
    made = []
    for x in map(as_array, arrays):
        missing = max(0, count - ask_rank(x, f"np.atleast_{count}d"))
        made.append(ops.expand_dims(x, tuple(range(missing))) if missing else x)
    return made[0] if len(made) == 1 else tuple(made)


def _broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    """Each of the arrays in the shape of all: that of their sum, so that no rank need be known."""
    zero = None
    for x in args:
        zero = ops.zeros_like(x) if zero is None else ops.add(zero, ops.zeros_like(x))
    return tuple(ops.broadcast_to(x, lookup("shape")(zero)) for x in args)


# ---------------------------------------------------------------- joining and splitting
def _concatenate(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Any:
    refuse("np.concatenate", out=out)
    if isinstance(arrays, Value):
        raise MissingOp("GFX joins a list of arrays, not the rows of one", hint="np.reshape joins rows")
    joined = ops.concat(tuple(map(as_array, arrays)), axis=axis)
    return joined if dtype is None else ops.astype(joined, element(dtype))


def _stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    refuse("np.stack", out=out)
    if isinstance(arrays, Value):
        raise MissingOp("GFX stacks a list of arrays, not the rows of one", hint="np.moveaxis moves its first axis")
    stacked = ops.stack(tuple(map(as_array, arrays)), axis=axis)
    return stacked if dtype is None else ops.astype(stacked, element(dtype))


def _hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    arrays = [_atleast(1, x) for x in tup]
    return _concatenate(arrays, 0 if ask_rank(arrays[0], "np.hstack") == 1 else 1, dtype=dtype)


def _vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    return _concatenate([_atleast(2, x) for x in tup], 0, dtype=dtype)


def _column_stack(tup: Any) -> Any:
    columns = [ops.expand_dims(x, 1) if ask_rank(x, "np.column_stack") == 1 else x for x in map(as_array, tup)]
    return ops.concat(tuple(columns), axis=1)


def _parts(found: Any) -> list:
    return list(found) if isinstance(found, (tuple, list)) else [found]


def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """np.split: a number of equal parts, or the positions of the cuts."""
    cuts = indices_or_sections
    if isinstance(cuts, int):
        return _parts(ops.split(ary, cuts, axis=axis))
    if isinstance(cuts, Value):
        raise MissingOp("GFX splits at positions that are known", hint="give a tuple of numbers")
    if literal(tuple(cuts)) and list(cuts) == sorted(cuts) and (not cuts or cuts[0] >= 0):
        size = _seen.size_of(ary, axis)
        end = size if isinstance(size, int) else ops.size(ary, axis)
        cuts = tuple(min(c, end) for c in cuts) if isinstance(end, int) else tuple(cuts)
        sizes = tuple(host("-", b, a) if a != 0 else b for a, b in zip((0, *cuts), (*cuts, end)))
        return _parts(ops.split(ary, sizes, axis=axis))
    raise MissingOp("GFX splits at positions that ascend", hint="slice the array instead")


def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    if not isinstance(indices_or_sections, int):
        return _split(ary, indices_or_sections, axis)
    size = _seen.length(ary, axis, "np.array_split needs the size of the axis")
    small, larger = divmod(size, indices_or_sections)
    return _parts(ops.split(ary, (small + 1,) * larger + (small,) * (indices_or_sections - larger), axis=axis))


def _unstack(x: Any, /, *, axis: int = 0) -> Any:
    return tuple(_parts(ops.unstack(x, axis=axis)))


# ---------------------------------------------------------------- repeating
def _pad(array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Any:
    value = options.pop("constant_values", 0)
    refuse("np.pad", **options)
    expect("np.pad", "mode", mode, "constant", "reflect", "edge", "wrap")
    one = pad_width[0] if isinstance(pad_width, (tuple, list)) and len(pad_width) == 1 else pad_width
    if isinstance(one, int) or all(isinstance(w, int) for w in one):
        pair = (one, one) if isinstance(one, int) else tuple(one)
        widths: tuple = (pair,) * ask_rank(array, "np.pad with one width for all axes")
    else:
        widths = tuple(tuple(w) for w in pad_width)
    if isinstance(value, (tuple, list)):
        refuse("np.pad with several values,", constant_values=value)
    return ops.pad(array, widths, mode=mode, value=value)


def _tile(A: Any, reps: Any) -> Any:
    return ops.tile(as_array(A), (reps,) if isinstance(reps, int) else tuple(reps))


def _size(a: Any, axis: Any = None) -> Any:
    return ops.numel(a) if axis is None else ops.size(a, axis)


ROWS = (
    Row("reshape", None, {"np.reshape": _reshape, "ndarray.reshape": _reshape_method, "ndarray.item": _item}),
    Row("flatten", None, {"np.ravel ndarray.ravel ndarray.flatten": _ravel}),
    Row("permute_dims", None, {"np.transpose ndarray.T@": _transpose, "ndarray.transpose": _transpose_method}),
    Row("swapaxes", None, {"np.swapaxes ndarray.swapaxes": lambda a, axis1, axis2: ops.swapaxes(a, axis1, axis2)}),
    Row(
        "matrix_transpose",
        None,
        {"np.matrix_transpose np.linalg.matrix_transpose ndarray.mT@": lambda x, /: ops.matrix_transpose(x)},
    ),
    Row(
        "moveaxis",
        None,
        {"np.moveaxis": lambda a, source, destination: ops.moveaxis(a, source, destination), "np.rollaxis": _rollaxis},
    ),
    Row(
        "expand_dims",
        None,
        {
            "np.expand_dims": lambda a, axis: ops.expand_dims(as_array(a), axis),
            "np.atleast_1d": lambda *arys: _atleast(1, *arys),
            "np.atleast_2d": lambda *arys: _atleast(2, *arys),
        },
    ),
    Row("squeeze", None, {"np.squeeze ndarray.squeeze": lambda a, axis=None: ops.squeeze(a, axis=axis)}),
    Row(
        "broadcast_to",
        None,
        {
            "np.broadcast_to": lambda array, shape, subok=False: ops.broadcast_to(as_array(array), shape),
            "np.broadcast_arrays": _broadcast_arrays,
        },
    ),
    Row(
        "concat",
        None,
        {
            "np.concatenate": _concatenate,
            "np.append": lambda arr, values, axis=None: ops.concat((as_array(arr), as_array(values)), axis=axis),
            "np.hstack": _hstack,
            "np.vstack": _vstack,
            "np.column_stack": _column_stack,
        },
    ),
    Row("stack", None, {"np.stack": _stack}),
    Row(
        "split",
        None,
        {
            "np.split": _split,
            "np.array_split": _array_split,
            "np.vsplit": lambda ary, indices_or_sections: _split(ary, indices_or_sections, 0),
        },
    ),
    Row("unstack", None, {"np.unstack": _unstack}),
    Row(
        "flip",
        None,
        {
            "np.flip": lambda m, axis=None: ops.flip(m, axis=axis),
            "np.flipud": lambda m: ops.flip(m, axis=0),
            "np.fliplr": lambda m: ops.flip(m, axis=1),
        },
    ),
    Row("roll", None, {"np.roll": lambda a, shift, axis=None: ops.roll(as_array(a), shift, axis=axis)}),
    Row("tile", None, {"np.tile": _tile}),
    Row(
        "repeat",
        None,
        {"np.repeat ndarray.repeat": lambda a, repeats, axis=None: ops.repeat(as_array(a), repeats, axis=axis)},
    ),
    Row("pad", None, {"np.pad": _pad}),
    Row("rank", None, {"np.ndim ndarray.ndim@": lambda a: ops.rank(as_array(a))}),
    Row("shape", None, {"ndarray.shape@": lookup("shape")}),
    Row("numel", None, {"np.size ndarray.size@": _size}),
    Row("dtype_of", None, {"ndarray.dtype@": ops.dtype_of}),
    Row("device_of", None, {"ndarray.device@": ops.device_of}),
)
