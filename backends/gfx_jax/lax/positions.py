"""lax.gather and lax.scatter: windows of an array that are read and written where an array of indices says.

The indices of a window's corner become an index of every axis: whole axes are slices, the others arrays whose axes are those of the
batch of windows, then one for each axis along which windows are moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from jax import lax

from gfx_ir import ops
from gfx_ir.build import host
from gfx_ir.dtypes import DType
from gfx_ir.host import DimLike
from gfx_ir.op import Trait, lookup
from gfx_ir.ops import _seen
from gfx_ir.ops.create import limit

from ..ops._lift import ask_rank, refuse, told

_Mode = lax.GatherScatterMode


class Windows(NamedTuple):
    """Where windows lie: the operand, its sizes and those of a window along its axes (an open one that is not the whole axis as what
    computes it), which axes a window lacks in the result, the axis of the operand that each number of an index is for, and axes that
    operand and indices share."""

    operand: Any
    sizes: tuple[DimLike, ...]
    window: tuple[Any, ...]
    lacking: tuple[int, ...]
    mapped: tuple[int, ...]
    shared: tuple[int, ...]
    shared_in_indices: tuple[int, ...]

    @property
    def moved(self) -> tuple[int, ...]:
        """Axes of which a window takes a part, that starts where the index says."""
        return tuple(axis for axis in self.mapped if axis not in self.lacking and self.window[axis] != self.sizes[axis])

    @property
    def kept(self) -> tuple[int, ...]:
        """Axes that a window has."""
        return tuple(axis for axis in range(len(self.sizes)) if axis not in (*self.lacking, *self.shared))

    def length(self, axis: int) -> Any:
        """How many elements the operand has along an axis: a number, or what gives it when the code runs."""
        return _length(self.operand, axis)


def _sizes(x: Any, what: str) -> tuple[DimLike, ...]:
    found = [_seen.size_of(x, axis) for axis in range(ask_rank(x, what))]
    return tuple(_seen.length(x, axis, f"{what} needs sizes that are known or have a name") if size is None else size
                 for axis, size in enumerate(found))  # fmt: skip


def _length(x: Any, axis: int) -> Any:
    """How many elements an array has along an axis: a number, or what gives it when the code runs."""
    size = _seen.size_of(x, axis)
    return size if isinstance(size, int) else ops.size(x, axis)


def _widths(x: Any, windows: Sequence[Any]) -> Iterator[Any]:
    """The sizes of windows of an array along its axes: numbers, those of whole axes, or what computes others."""
    for axis, size in enumerate(windows):
        own = told(size)
        size = own if own == _seen.size_of(x, axis) else size
        yield size


def _starts(where: Windows, indices: Any) -> dict[int, Any]:
    """The corner's position along each mapped axis: arrays of the batch's shape."""
    node = getattr(indices, "node", None)
    if len(where.mapped) == 1 and node is not None and Trait.IN_ORDER in node.op.traits:
        before = _seen.type_of(node.args[0]).dims
        if before is not None and (*before, 1) == _seen.type_of(indices).dims:
            return {where.mapped[0]: node.args[0]}
    return {axis: ops.getitem(indices, (..., at)) for at, axis in enumerate(where.mapped)}


def _last_start(where: Windows, axis: int) -> Any:
    if axis not in (*where.moved, *where.lacking):
        return 0  # the window is all of it
    return host("-", where.length(axis), where.window[axis])


def _inside(where: Windows, starts: dict[int, Any]) -> Any:
    """Whether a whole window lies inside of the operand."""
    found: Any = None
    for axis, start in starts.items():
        fits = ops.logical_and(ops.greater_equal(start, 0), ops.less_equal(start, _last_start(where, axis)))
        found = fits if found is None else ops.logical_and(found, fits)
    return found


def _clipped(where: Windows, starts: dict[int, Any]) -> dict[int, Any]:
    return {axis: ops.clip(start, 0, _last_start(where, axis)) for axis, start in starts.items()}


def _index(where: Windows, starts: dict[int, Any], batch: int) -> tuple[tuple, list]:
    """(index of the operand, labels of the result's axes: numbers of the batch's axes, then ("w", axis) of a window's)."""
    moved, index, arrays = where.moved, [], []
    for axis, (size, width) in enumerate(zip(where.sizes, where.window)):
        if axis in where.shared:
            at = where.shared_in_indices[where.shared.index(axis)]
            item = _spread(ops.arange(where.length(axis)), batch - at - 1 + len(moved))
        elif axis in where.lacking or axis in moved:
            item = _spread(starts[axis], len(moved)) if axis in starts else 0
            if axis in moved:
                item = ops.add(item, _spread(ops.arange(width), len(moved) - moved.index(axis) - 1))
        else:
            item = slice(None) if width == size else slice(0, width)
        if not isinstance(item, slice):
            arrays.append(axis)
        index.append(item)
    labels = [*range(batch), *(("w", axis) for axis in moved)]
    slices = [("w", axis) for axis in range(len(index)) if axis not in arrays]
    together = arrays == list(range(arrays[0], arrays[-1] + 1)) if arrays else True
    first = len([label for label in slices if arrays and label[1] < arrays[0]]) if together else 0
    while len(index) > 1 and index[-1] == slice(None):
        index.pop()
    return tuple(index), [*slices[:first], *labels, *slices[first:]]


def _spread(x: Any, axes: int) -> Any:
    """x with so many axes of size 1 behind its own."""
    return ops.expand_dims(x, tuple(range(-axes, 0))) if axes else x


def _wanted(where: Windows, offsets: Sequence[int], batch: int) -> list:
    """Labels of an array of windows whose axes are at `offsets`, the batch's in between."""
    kept, rest = iter(where.kept), iter(range(batch))
    return [("w", next(kept)) if at in offsets else next(rest) for at in range(batch + len(offsets))]


def _permuted(x: Any, labels: list, wanted: list) -> Any:
    return x if labels == wanted else ops.permute_dims(x, tuple(labels.index(label) for label in wanted))


# ---------------------------------------------------------------- reading
def gather(
    operand: Any, start_indices: Any, dimension_numbers: Any, slice_sizes: Any, *, unique_indices: bool = False,
    indices_are_sorted: bool = False, mode: Any = None, fill_value: Any = None,
) -> Any:  # fmt: skip
    """lax.gather; where a window does not fit, by its mode: moved, filled, or (promised not to happen) an error or any number."""
    d, how = lax.GatherDimensionNumbers(*dimension_numbers), _Mode.from_any(mode or _Mode.PROMISE_IN_BOUNDS)
    sizes, batch = _sizes(operand, "lax.gather"), ask_rank(start_indices, "lax.gather") - 1
    shared = tuple(d.operand_batching_dims)
    where = Windows(
        operand, sizes, tuple(_widths(operand, slice_sizes)), tuple(d.collapsed_slice_dims), tuple(d.start_index_map), shared,
        tuple(d.start_indices_batching_dims),
    )  # fmt: skip
    starts = _starts(where, start_indices)
    inside = _inside(where, starts) if how == _Mode.FILL_OR_DROP else None
    index, labels = _index(where, starts if how == _Mode.PROMISE_IN_BOUNDS else _clipped(where, starts), batch)
    if not any(label in range(batch) for label in labels) and batch:
        refuse("lax.gather without indices", dimension_numbers=d)
    wanted = _wanted(where, d.offset_dims, batch)
    found = _permuted(ops.getitem(operand, index), labels, wanted)
    if inside is None:
        return found
    whole = ops.expand_dims(inside, tuple(d.offset_dims)) if d.offset_dims else inside
    return ops.where(whole, found, _filler(_seen.dtype(operand)) if fill_value is None else fill_value)


def _filler(dtype: DType | None) -> Any:
    """What JAX reads outside of an array: NaN, the lowest signed or the highest unsigned number, True."""
    if dtype is None:
        refuse("lax.gather that fills, of an unknown dtype", mode="fill")
    assert dtype is not None
    if dtype.kind in "fc":
        return float("nan")
    return True if dtype.kind == "b" else limit(dtype, "min" if dtype.kind == "i" else "max")


# ---------------------------------------------------------------- writing
def _scatter(reduce: str) -> Callable[..., Any]:
    def lift(
        operand: Any, scatter_indices: Any, updates: Any, dimension_numbers: Any, *, indices_are_sorted: bool = False,
        unique_indices: bool = False, mode: Any = None,
    ) -> Any:  # fmt: skip
        d, how = lax.ScatterDimensionNumbers(*dimension_numbers), _Mode.from_any(mode)
        sizes, batch = _sizes(operand, "lax.scatter"), ask_rank(scatter_indices, "lax.scatter") - 1
        shared, lacking = tuple(d.operand_batching_dims), tuple(d.inserted_window_dims)
        given = iter(_length(updates, axis) for axis in d.update_window_dims)
        window = [1 if axis in (*lacking, *shared) else next(given) for axis in range(len(sizes))]
        where = Windows(
            operand,
            sizes,
            tuple(_widths(operand, window)),
            lacking,
            tuple(d.scatter_dims_to_operand_dims),
            shared,
            tuple(d.scatter_indices_batching_dims),
        )
        starts = _starts(where, scatter_indices)
        inside = _inside(where, starts) if how == _Mode.FILL_OR_DROP else None
        index, labels = _index(where, starts if how == _Mode.PROMISE_IN_BOUNDS else _clipped(where, starts), batch)
        wanted = _wanted(where, d.update_window_dims, batch)
        if inside is not None and d.update_window_dims:
            inside = ops.expand_dims(inside, tuple(d.update_window_dims))
        parts = (x if x is None else _permuted(x, wanted, labels) for x in (updates, inside))
        return _written(reduce, operand, index, *parts)

    return lift


def _written(reduce: str, operand: Any, index: tuple, updates: Any, inside: Any) -> Any:
    """The operand with the updates; those that do not lie inside are left out."""
    if reduce in ("add", "sub"):
        updates = ops.negative(updates) if reduce == "sub" else updates
        updates = updates if inside is None else ops.where(inside, updates, ops.zeros_like(updates))
        return ops.index_put(operand, index, updates, accumulate=True)
    if reduce == "set" and inside is None:
        return ops.index_put(operand, index, updates)
    shape = lookup("shape")(operand)
    count = ops.numel(operand)
    places = ops.getitem(ops.reshape(ops.arange(count), shape), index)
    flat = ops.flatten(operand)
    if inside is not None:  # one more element, which takes what is left out
        places, flat = ops.where(inside, places, count), ops.concat((flat, ops.getitem(flat, slice(0, 1))))
    places, updates = ops.flatten(places), ops.flatten(updates)
    if reduce == "set":
        found = ops.scatter(flat, places, updates, 0)
    else:
        found = ops.scatter_reduce(flat, places, updates, 0, reduce)
    found = found if inside is None else ops.getitem(found, slice(None, -1))
    return ops.reshape(found, shape)


_REDUCE = {"scatter": "set", "scatter_add": "add", "scatter_sub": "sub", "scatter_mul": "prod", "scatter_min": "amin",
           "scatter_max": "amax"}  # fmt: skip
POSITIONS: dict[str, Callable[..., Any]] = {
    "lax.gather": gather,
    **{f"lax.{name}": _scatter(reduce) for name, reduce in _REDUCE.items()},
}
