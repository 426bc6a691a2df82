"""Reading and writing by position.

Outside of the array JAX raises no error: it reads the nearest element (or NaN), and drops what is written.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import jax

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import host
from gfx_ir.codegen.sides import outer
from gfx_ir.dtypes import DTYPES, float32
from gfx_ir.graph import Value, values_in
from gfx_ir.lifting.ranks import alike_in, no_larger
from gfx_ir.lifting.shapes import positions
from gfx_ir.ops import _seen
from gfx_ir.ops._indexing import indexed
from gfx_ir.reach import reached
from gfx_ir.rules import OPEN
from gfx_ir.trees import tree_map
from gfx_ir.types import LogicalTensor

from ._lift import JNP, ask_rank, element, expect, kind_of, refuse, told, whole

_SAME = JNP.table(positions(JNP))
_MASKS = frozenset((
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf", "isfinite", "signbit",
    "logical_and", "logical_or", "logical_xor", "logical_not",
))  # fmt: skip


def _is_mask(x: Any) -> bool:
    """Whether an index is a boolean tensor."""
    found = _seen.dtype(x) if isinstance(x, Value) else getattr(x, "dtype", None)
    return getattr(found, "kind", "") == "b"


def _getitem_spelling(args: SimpleNamespace) -> str:
    return f"x[{_index(args.index)}]"


def _index(index: Any) -> str:
    """JAX takes a list in an index, but none that is all of it."""
    if not isinstance(index, list):
        return "index"
    return "jnp.array(index)" if index else "jnp.array(index, dtype=int)"


def _of_its_own(mask: Any, x: Any, value: Any) -> bool:
    """Whether a mask is made of x itself, so that it has its shape, and the value is a number that x can hold."""
    if not isinstance(mask, Value) or type(value) not in (int, float, bool):
        return False
    if whole(x) and (isinstance(value, float) or kind_of(x) == "b"):
        return False
    made = reached(
        [mask], lambda m: [a for a in m.node.args if isinstance(a, Value)] if m.node.op.name in _MASKS else []
    )
    return any(_outermost(value) is _outermost(x) for value in made if value is not mask)


def _outermost(x: Any) -> Any:
    """What a value that a side of a test takes from outside is there."""
    while outer(x) is not x:
        x = outer(x)
    return x


def _is_data(x: Any) -> bool:
    return isinstance(x, Value) and x.is_tensor


def _slices_by_data(items: tuple, value: Any) -> bool:
    """Whether a number is written to slices whose bounds are data, and nothing else than whole numbers beside them."""
    slices = [item for item in items if isinstance(item, slice)]
    open_ = any(_is_data(part) for item in slices for part in (item.start, item.stop, item.step))
    return open_ and isinstance(value, (int, float, bool)) and all(type(i) in (slice, int) for i in items)


def _index_put_spelling(args: SimpleNamespace) -> str:
    """Under jax.jit a mask is no index, as its number of elements is not known, nor is a slice whose bounds are data: helpers
    write where a mask is true, or a slice points."""
    accumulate = ", accumulate=accumulate"
    items = args.index if isinstance(args.index, tuple) else (args.index,)
    if len(items) == 1 and _is_mask(items[0]):
        if args.index is items[0] and not args.accumulate and _of_its_own(items[0], args.x, args.value):
            safe = _seen.dtype(args.x) is not None  # else the value could change the dtype of x
            return f"jnp.where(index, {'value' if safe else 'jnp.asarray(value, x.dtype)'}, x)"
        return f"index_put(x, index, value{accumulate})"
    if not args.accumulate and _slices_by_data(items, args.value):
        return "put_slices(x, index, value)"
    add = "max" if kind_of(args.x) == "b" else "add"  # truth values add up by `or`
    return f"x.at[{_index(args.index)}].{add if args.accumulate is True else 'set'}({_fitting(args)})"


def _index_combine_spelling(args: SimpleNamespace) -> str:
    product = "min" if kind_of(args.x) == "b" else "multiply"  # that of truth values is `and`
    combine = {"prod": product, "amin": "min", "amax": "max"}[args.reduce]
    return f"x.at[{_index(args.index)}].{combine}({_fitting(args)})"


def _fitting(args: SimpleNamespace) -> str:
    """What is written, without the axes of one element before those that its place has: JAX does not drop them."""
    place = indexed(_seen.type_of(args.x).dims, tree_map(_seen_index, args.index), "jax")
    rank = _seen.rank(args.value)
    if place is None:
        return "value"
    if rank is None and _of_several_ways(args.value):
        return f"jnp.squeeze(value, axis=tuple(range(jnp.ndim(value) - {len(place)})))"
    more = 0 if rank is None else rank - len(place)
    return f"value[{', '.join('0' * more)}]" if more > 0 else "value"


def _of_several_ways(x: Value) -> bool:
    """Whether a test or loop gives what x is made of, which may have another rank on each way."""
    made = reached([x], lambda value: values_in(value.node.args))
    within = lambda graph: graph is not None and graph.owner is not None
    return any(value.node.regions or within(value.node.graph) for value in made)


def _seen_index(item: Any) -> Any:
    """A part of an index as rules of shapes see it."""
    if isinstance(item, Value):
        return _seen.type_of(item) if item.is_tensor else OPEN
    return LogicalTensor(DTYPES[str(item.dtype)], tuple(item.shape)) if hasattr(item, "dtype") else item


def _take(
    a: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = None, unique_indices: bool = False,
    indices_are_sorted: bool = False, fill_value: Any = None,
) -> Any:  # fmt: skip
    refuse("jnp.take", out=out, fill_value=fill_value)
    expect("jnp.take", "mode", mode, None, "fill", "clip")
    if mode == "clip":
        a, axis = (ops.flatten(a), 0) if axis is None else (a, axis)
        indices = ops.clip(indices, 0, host("-", ops.size(a, axis), 1))
    return ops.take(a, indices, axis=axis)


def _take_along_axis(
    arr: Any, indices: Any, axis: Any = -1, mode: Any = None, fill_value: Any = None, *,
    wrap_negative_indices: Any = None,
) -> Any:  # fmt: skip
    refuse("jnp.take_along_axis", fill_value=fill_value, wrap_negative_indices=wrap_negative_indices)
    expect("jnp.take_along_axis", "mode", mode, None, "fill", "clip")
    if axis is None:
        arr, axis = ops.flatten(arr), 0
    return ops.take_along_axis(arr, _clipped(indices, arr, axis) if mode == "clip" else indices, axis=axis)


def _clipped(indices: Any, a: Any, axis: int) -> Any:
    """Positions along an axis, moved to its ends where they lie outside of it; negative ones count from the end."""
    length = ops.size(a, axis)
    return ops.clip(ops.where(ops.less(indices, 0), ops.add(indices, length), indices), 0, host("-", length, 1))


# ---------------------------------------------------------------- slices that start where the data say
def _start(operand: Any, start: Any, size: Any, axis: int) -> Any:
    """Where a slice starts: JAX moves it so that the slice lies inside, and counts negative starts from the end."""
    length = ops.size(operand, axis)
    if isinstance(start, int):
        start = host("+", start, length) if start < 0 else start
        return host("max", host("min", start, host("-", length, size)), 0)
    start = ops.where(ops.less(start, 0), ops.add(start, length), start)
    return ops.clip(start, 0, host("-", length, size))


def _positions(operand: Any, start: Any, size: Any, axis: int) -> Any:
    return ops.add(_start(operand, start, size, axis), ops.arange(size))


def _run(operand: Any, start: Any, size: Any, axis: int) -> Any:
    """The positions of a slice along an axis: as a slice where that is the whole axis, or the capture knows its ends."""
    length = _seen.size_of(operand, axis)
    if length is not None and told(size) == length:
        return slice(None)
    at = _start(operand, start, size, axis)
    known = type(at) is int and type(size) is int
    return slice(at or None, at + size) if known else ops.add(at, ops.arange(size))


def _parts(starts: Any) -> list:
    if isinstance(starts, Value):
        count = _seen.length(starts, 0, "lax.dynamic_slice needs to know how many starts there are")
        return [ops.getitem(starts, at) for at in range(count)]
    return list(starts)


def _dynamic_slice(operand: Any, start_indices: Any, slice_sizes: Any, *, allow_negative_indices: Any = True) -> Any:
    expect("lax.dynamic_slice", "allow_negative_indices", allow_negative_indices, True)
    index = [_run(operand, *part, axis) for axis, part in enumerate(zip(_parts(start_indices), slice_sizes))]
    fixed = [at if type(at) is slice else slice(None) for at in index]
    while fixed and fixed[-1] == slice(None):
        fixed.pop()
    found = ops.getitem(operand, tuple(fixed)) if fixed else operand
    for axis, at in enumerate(index):
        found = found if type(at) is slice else ops.take(found, at, axis=axis)
    return found


def _dynamic_slice_in_dim(
    operand: Any, start_index: Any, slice_size: Any, axis: int = 0, *, allow_negative_indices: Any = True
) -> Any:
    expect("lax.dynamic_slice_in_dim", "allow_negative_indices", allow_negative_indices, True)
    return ops.take(operand, _positions(operand, start_index, slice_size, axis), axis=axis)


def _dynamic_index_in_dim(
    operand: Any, index: Any, axis: int = 0, keepdims: bool = True, *, allow_negative_indices: Any = True
) -> Any:
    found = _dynamic_slice_in_dim(operand, index, 1, axis, allow_negative_indices=allow_negative_indices)
    return found if keepdims else ops.squeeze(found, axis=axis)


def _dynamic_update_slice(operand: Any, update: Any, start_indices: Any, *, allow_negative_indices: Any = True) -> Any:
    expect("lax.dynamic_update_slice", "allow_negative_indices", allow_negative_indices, True)
    starts = _parts(start_indices)
    for axis in range(len(starts)):
        no_larger("lax.dynamic_update_slice", update, operand, axis)
    sizes = [ops.size(update, axis) for axis in range(len(starts))]
    index = [_run(operand, *part, axis) for axis, part in enumerate(zip(starts, sizes))]
    arrays = [axis for axis, at in enumerate(index) if type(at) is not slice]
    for axis in (
        range(arrays[0], arrays[-1]) if arrays else ()
    ):  # arrays apart from each other would put their axes first
        at = _positions(operand, starts[axis], sizes[axis], axis) if type(index[axis]) is slice else index[axis]
        index[axis] = ops.expand_dims(at, tuple(range(1, arrays[-1] - axis + 1)))
    while len(index) > 1 and index[-1] == slice(None):
        index.pop()
    return ops.index_put(operand, tuple(index), update)


def _dynamic_update_slice_in_dim(
    operand: Any, update: Any, start_index: Any, axis: int, *, allow_negative_indices: Any = True
) -> Any:
    expect("lax.dynamic_update_slice_in_dim", "allow_negative_indices", allow_negative_indices, True)
    if axis < 0:
        axis += ask_rank(operand, "a negative axis")
    rank = _seen.rank(operand)
    for other in (axis,) if rank is None else range(rank):
        no_larger("lax.dynamic_update_slice_in_dim", update, operand, other)
    others = [slice(axis), slice(axis + 1, None)] if axis else [slice(1, None)]
    for part in others if rank is None else ():
        alike_in("lax.dynamic_update_slice_in_dim: the other axes of one size", part, update, operand)
    at = _positions(operand, start_index, ops.size(update, axis), axis)
    behind = range(axis + 1, axis + 1 if rank is None else rank)
    index = [*(_from_start(operand, update, other) for other in range(axis)), at]
    index += [_from_start(operand, update, other) for other in behind]
    while index[-1] == slice(None):
        index.pop()
    return ops.index_put(operand, tuple(index), update)


def _from_start(operand: Any, update: Any, axis: int) -> slice:
    """The places along an axis that an update fills, which may be smaller than what it updates. Where no ranks are known it is not."""
    size = _seen.size_of(update, axis)
    whole = _seen.rank(operand) is None or (size is not None and size == _seen.size_of(operand, axis))
    return slice(None) if whole else slice(None, ops.size(update, axis))


def _dynamic_update_index_in_dim(
    operand: Any, update: Any, index: Any, axis: int, *, allow_negative_indices: Any = True
) -> Any:
    """An update that lacks the axis gets it."""
    what = "lax.dynamic_update_index_in_dim"
    update = ops.as_tensor(update)
    if ask_rank(update, what) != ask_rank(operand, what):
        update = ops.expand_dims(update, int(axis))
    return _dynamic_update_slice_in_dim(operand, update, index, axis, allow_negative_indices=allow_negative_indices)


def _lax_slice(operand: Any, start_indices: Any, limit_indices: Any, strides: Any = None) -> Any:
    steps = strides or (None,) * len(start_indices)
    parts = [
        _part(start, None if stop == _seen.size_of(operand, axis) else stop, step)
        for axis, (start, stop, step) in enumerate(zip(start_indices, limit_indices, steps))
    ]
    while parts and parts[-1] == slice(None):
        parts.pop()
    return ops.getitem(operand, tuple(parts)) if parts else operand


def _part(start: Any, stop: Any, step: Any) -> slice:
    """A slice as one writes it: without a start of 0 and a step of 1."""
    return slice(None if start == 0 else start, stop, None if step == 1 else step)


def _slice_in_dim(operand: Any, start_index: Any, limit_index: Any, stride: int = 1, axis: int = 0) -> Any:
    part = slice(start_index, limit_index, None if stride == 1 else stride)
    if axis < 0:
        return ops.getitem(operand, (..., part, *(slice(None),) * (-1 - axis)))
    return ops.getitem(operand, (*(slice(None),) * axis, part))


def _index_in_dim(operand: Any, index: int, axis: int = 0, keepdims: bool = True) -> Any:
    found = ops.take(operand, index, axis=axis)
    return ops.expand_dims(found, axis) if keepdims else found


# ---------------------------------------------------------------- triangles, diagonals, search
def _tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    return ops.tril(ops.ones((N, N if M is None else M), dtype=element(dtype) or float32), k=k)


def _one_hot(x: Any, num_classes: Any, *, dtype: Any = None, axis: Any = -1) -> Any:
    expect("jax.nn.one_hot", "axis", axis, -1)
    own = DTYPES[jax.dtypes.canonicalize_dtype("float64").name]  # as wide as JAX's mode admits
    return ops.one_hot(x, num_classes, dtype=own if dtype is None else element(dtype))


def _one_hot_spelling(args: SimpleNamespace) -> str:
    return f"jax.nn.one_hot(x, num_classes, dtype={'int' if args.dtype is None else 'dtype'})"


def _gather_spelling(args: SimpleNamespace) -> str:
    """Torch's gather reads as far as the indices go; take_along_axis broadcasts, equal only where the sizes are."""
    x, indices = _seen.type_of(args.x).dims, _seen.type_of(args.indices).dims
    if x is not None and indices is not None and isinstance(args.axis, int) and len(x) == len(indices):
        at = args.axis % max(1, len(x))
        if all(a == at or (size is not None and size == wanted) for a, (size, wanted) in enumerate(zip(x, indices))):
            return "jnp.take_along_axis(x, indices, axis=axis)"
    return "gather(x, indices, axis)"


def _getitem(x: Any, index: Any) -> Any:
    """Beside others, in a tuple, a list or tuple is an array of positions, or a mask."""
    if isinstance(index, list):
        refuse("indexing with a list", index=index)
    if isinstance(index, tuple):
        index = tuple(list(item) if isinstance(item, tuple) else item for item in index)
        index = index[0] if len(index) == 1 and isinstance(index[0], list) else index
    return ops.getitem(x, index)


ROWS = (
    Row(
        "getitem",
        _getitem_spelling,
        {
            "Array.__getitem__": _getitem,
            "lax.slice": _lax_slice,
            "lax.slice_in_dim": _slice_in_dim,
            "lax.index_in_dim": _index_in_dim,
            "lax.dynamic_slice": _dynamic_slice,
            "lax.dynamic_slice_in_dim": _dynamic_slice_in_dim,
            "lax.dynamic_index_in_dim": _dynamic_index_in_dim,
        },
    ),
    Row(
        "index_put",
        _index_put_spelling,
        {
            "lax.dynamic_update_slice": _dynamic_update_slice,
            "lax.dynamic_update_slice_in_dim": _dynamic_update_slice_in_dim,
            "lax.dynamic_update_index_in_dim": _dynamic_update_index_in_dim,
        },
    ),
    Row("index_combine", _index_combine_spelling),
    Row("take", "jnp.take(x, indices, axis=axis)", {"jnp.take Array.take": _take}),
    Row(
        "take_along_axis",
        "jnp.take_along_axis(x, indices, axis=axis)",
        {"jnp.take_along_axis": _take_along_axis},
        keep=("axis",),
    ),
    Row("gather", _gather_spelling),
    Row("scatter", "scatter(x, indices, updates, axis, reduce=reduce)"),
    Row("tril", "jnp.tril(x, k=k)", _SAME["tril"] | {"jnp.tri": _tri}, hashed=("k",)),
    Row("triu", "jnp.triu(x, k=k)", _SAME["triu"], hashed=("k",)),
    Row("diagonal", "jnp.diagonal(x, offset=offset, axis1=axis1, axis2=axis2)", _SAME["diagonal"], hashed=("offset",)),
    Row("searchsorted", "jnp.searchsorted(sorted, values, side=side)", _SAME["searchsorted"], narrow=1),
    Row("one_hot", _one_hot_spelling, {"jax.nn.one_hot": _one_hot}),
    Row("masked_fill", "jnp.where(mask, value, x)"),
)
