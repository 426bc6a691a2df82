"""Types of what is joined, split, repeated, broadcast and padded."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from .. import host
from ..errors import OpenShape, ShapeError, misfit
from ..host import DimLike
from ..rules import OPEN
from ..types import LogicalTensor
from ._seen import type_of
from ._shapes import (
    Dims,
    as_type,
    axis_of,
    broadcast,
    fixed,
    is_size,
    plus,
    promote,
    replaced,
    same_dims,
    shape_arg,
    size_arg,
    stays_weak,
    takes_open,
    total,
)

MODES = ("constant", "reflect", "edge", "wrap")


def _parts(arrays: Any, rules: str) -> tuple[list[LogicalTensor], LogicalTensor]:
    """Types of the tensors to join, and the joint dtype."""
    if not isinstance(arrays, (tuple, list)) or not arrays:
        raise misfit("joining takes a list of at least one tensor")
    parts = [as_type(a, rules) for a in arrays]
    dtype, weak = promote(parts, rules)
    return parts, LogicalTensor(dtype, weak=stays_weak(weak, rules))


@takes_open
def concat_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """Sizes along the axis add up, the others are equal."""
    if args.arrays is OPEN:
        return LogicalTensor()
    if isinstance(args.arrays, LogicalTensor):
        return LogicalTensor(args.arrays.dtype)
    parts, out = _parts(args.arrays, rules)
    if args.axis is None:
        flat: DimLike | None = 0
        for part in parts:
            flat = plus(flat, part.size())
        return out.with_(dims=(flat,))
    if not fixed(args.axis):
        return out
    dims = _joined([p.dims for p in parts], args.axis)
    return out.with_(dims=dims)


def _joined(shapes: Sequence[Dims], axis: int) -> Dims:
    rank = next((len(s) for s in shapes if s is not None), None)
    if rank is None:
        return None
    if rank == 0:
        raise misfit("tensors without axes cannot be joined along one; stack them")
    at = axis_of(axis, rank)
    length: DimLike | None = 0
    rest: Dims = (None,) * (rank - 1)
    for shape in shapes:
        if shape is None:
            length = None
            continue
        if len(shape) != rank:
            raise misfit(f"tensors of {rank} and of {len(shape)} axes cannot be joined")
        length = plus(length, shape[at])
        rest = same_dims(rest, (*shape[:at], *shape[at + 1 :]), f"sizes differ besides axis {at}")
    assert rest is not None
    return (*rest[:at], length, *rest[at:])


@takes_open
def stack_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """A new axis, as long as the list."""
    if args.arrays is OPEN:
        return LogicalTensor()
    if isinstance(args.arrays, LogicalTensor):
        return LogicalTensor(args.arrays.dtype)
    parts, out = _parts(args.arrays, rules)
    dims: Dims = None
    for part in parts:
        dims = same_dims(dims, part.dims, "tensors of unequal shapes cannot be stacked")
    if dims is None or not fixed(args.axis):
        return out
    at = axis_of(args.axis, len(dims) + 1)
    return out.with_(dims=(*dims[:at], len(parts), *dims[at:]))


@takes_open
def numbers_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """The type of an array of the numbers in a list."""
    length = len(args.items) if isinstance(args.items, (tuple, list)) else None
    return LogicalTensor(args.dtype, (length,))


@takes_open
def item_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """The tensor at a place of a list, at a path of the item there."""
    items = args.items
    if isinstance(items, (tuple, list)) and fixed(args.index):
        if not -len(items) <= args.index < len(items):
            raise ShapeError(f"a list of {len(items)} tensors has no item {args.index}")
        item = items[args.index]
        for key in args.path:
            item = item[key]
        return as_type(item, rules)
    return LogicalTensor(items.dtype) if isinstance(items, LogicalTensor) and not args.path else LogicalTensor()


@takes_open
def slice_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """What is known of each item of a part of a list."""
    return items_type(SimpleNamespace(items=args.items, more=()), rules)


@takes_open
def alike_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """What is known of each item where numbers have the dtype that they have beside arrays; alone, fractions that of the argument."""
    if not isinstance(args.items, (tuple, list)):
        return LogicalTensor()
    types = [as_type(item, rules) for item in args.items]
    arrays = [item for item in types if not item.weak]
    dtype = promote(types, "jax")[0] if arrays else args.dtype
    return LogicalTensor(dtype if {item.dtype for item in arrays or types} == {dtype} else None)


@takes_open
def items_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """What is known of each item of two lists."""
    parts = [
        part
        for items in (args.items, args.more)
        for part in ([LogicalTensor() if items is OPEN else items] if not isinstance(items, (tuple, list)) else items)
    ]
    dtypes = {None if isinstance(part, (tuple, list, dict)) else as_type(part, rules).dtype for part in parts}
    return LogicalTensor(dtypes.pop() if len(dtypes) == 1 else None)


def _cut(x: LogicalTensor, axis: Any, sizes: Sequence[DimLike | None]) -> tuple[LogicalTensor, ...]:
    return tuple(LogicalTensor(x.dtype, replaced(x.dims, axis, size), weak=x.weak) for size in sizes)


def _length(x: LogicalTensor, axis: Any) -> DimLike | None:
    return None if x.dims is None or not fixed(axis) else x.dims[axis_of(axis, len(x.dims))]


@takes_open
def split_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, ...]:
    """`sections` equal parts, or parts of these sizes. Raises ShapeError where that does not come out even."""
    x = as_type(args.x, rules)
    size, sections = _length(x, args.axis), args.sections
    if isinstance(sections, int):
        if isinstance(size, int) and size % sections:
            raise misfit(f"{size} elements cannot be split into {sections} equal parts")
        return _cut(x, args.axis, [None if size is None else host.floordiv(size, sections)] * sections)
    sizes = [size_arg(s) for s in sections]
    covered: DimLike | None = 0
    for part in sizes:
        covered = plus(covered, part)
    if host.same(size, covered) is False:
        raise misfit(f"parts of {sizes} elements do not make up {size}")
    return _cut(x, args.axis, sizes)


def chunk_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, ...]:
    """Parts of the size rounded up, the last one smaller (https://docs.pytorch.org/docs/stable/generated/torch.chunk.html)."""
    x, chunks = as_type(args.x, rules), args.chunks
    size = _length(x, args.axis)
    if size is None:
        return _cut(x, args.axis, [None] * chunks)
    part = host.divide(size, chunks)
    if part is None:
        part = host.floordiv(host.add(size, chunks - 1), chunks)
    if isinstance(size, int) and isinstance(part, int):
        sizes = [min(part, size - start) for start in range(0, size, part)] if size else [0] * chunks
        return _cut(x, args.axis, sizes)
    last = host.sub(size, host.mul(part, chunks - 1))
    return _cut(x, args.axis, [part] * (chunks - 1) + [last])


def unstack_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, ...]:
    """One part for each position of the axis, which goes."""
    x = as_type(args.x, rules)
    size = _length(x, args.axis)
    length = args.length if args.length is not None else size
    if not isinstance(length, int):
        raise OpenShape("taking an axis apart needs its size")
    if host.same(size, length) is False:
        raise ShapeError(f"an axis of size {size} is taken apart into {length}")
    dims = x.dims
    if dims is not None:
        at = axis_of(args.axis, len(dims))
        dims = (*dims[:at], *dims[at + 1 :])
    return (LogicalTensor(x.dtype, dims, weak=x.weak),) * length


def broadcast_dims(dims: Dims, args: SimpleNamespace) -> Dims:
    """The shape asked for. Raises ShapeError where the tensor does not broadcast to it."""
    target = shape_arg(args.shape)
    if dims is None or target is None:
        return target
    if len(target) < len(dims):
        raise ShapeError(f"{len(dims)} axes do not fit into the shape {args.shape}")
    fitted = broadcast(dims, target)
    assert fitted is not None
    for wanted, got in zip(target, fitted):
        if host.same(wanted, got) is False:
            raise ShapeError(f"size {got} does not broadcast to {wanted}")
    return target


def expanded_dims(dims: Dims, args: SimpleNamespace) -> Dims:
    """The shape asked for, -1 in it the size that the tensor has there."""
    target = shape_arg(args.shape)
    if target is None:
        return None
    if dims is None:
        return tuple(None if d == -1 else d for d in target)
    lead = len(target) - len(dims)
    if lead < 0 or -1 in target[:lead]:
        raise ShapeError(f"{len(dims)} axes do not fit into the shape {args.shape}")
    kept = tuple(dims[at - lead] if d == -1 else d for at, d in enumerate(target))
    return broadcast_dims(dims, SimpleNamespace(shape=kept))


def expand_spelling(args: SimpleNamespace, module: str) -> str:
    """How `expand` is written with a `broadcast_to` of this module: -1 is the size that the tensor has there, where its rank is known."""
    shape = args.shape
    kept = [type(d) is int and d == -1 for d in shape] if isinstance(shape, (tuple, list)) else []
    if not any(kept):
        return f"{module}.broadcast_to(x, shape)"
    dims = type_of(args.x).dims
    if dims is None:
        return "expand(x, shape)"
    own = [None] * (len(kept) - len(dims)) + [
        size if type(size) is int else f"x.shape[{at}]" for at, size in enumerate(dims)
    ]
    sizes = [own[at] if keeps else f"shape[{at}]" for at, keeps in enumerate(kept)]
    return f"{module}.broadcast_to(x, ({', '.join(map(str, sizes))},))"


@takes_open
def tile_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """Each size times its number of repetitions; the shorter of the two shapes is filled up with 1 in front."""
    x = as_type(args.x, rules)
    many = args.repetitions
    weak = stays_weak(x.weak, rules)
    if x.dims is None or not (is_size(many) or isinstance(many, (tuple, list))):
        return LogicalTensor(x.dtype, None, weak=weak)
    counts = [size_arg(m) for m in ((many,) if is_size(many) else many)]
    rank = max(len(counts), len(x.dims))
    counts = [*[1] * (rank - len(counts)), *counts]
    dims = [*[1] * (rank - len(x.dims)), *x.dims]
    return LogicalTensor(x.dtype, tuple(total(pair) for pair in zip(dims, counts)), weak=weak)


@takes_open
def repeat_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """Each element repeated; by a number, or by as many numbers as there are elements."""
    x = as_type(args.x, rules)
    weak = stays_weak(x.weak, rules)
    before = x.size() if args.axis is None else _length(x, args.axis)
    after: DimLike | None = None
    if args.length is not None:
        after = size_arg(args.length)
    elif is_size(args.repeats):
        after = total((before, size_arg(args.repeats)))
    elif isinstance(args.repeats, (tuple, list)) and all(is_size(r) for r in args.repeats):
        after = 0
        for count in args.repeats:
            after = plus(after, count)
        if len(args.repeats) == 1:
            after = total((before, after))
    dims = (after,) if args.axis is None else replaced(x.dims, args.axis, after)
    return LogicalTensor(x.dtype, dims, weak=weak)


@takes_open
def pad_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    """Sizes of the last axes grow by before + after."""
    x = as_type(args.x, rules)
    if args.mode not in MODES:
        raise ShapeError(f"there is no padding mode {args.mode!r}; there are {', '.join(MODES)}")
    weak = stays_weak(x.weak, rules)
    if x.dims is None or not isinstance(args.widths, (tuple, list)):
        return LogicalTensor(x.dtype, None, weak=weak)
    lead = len(x.dims) - len(args.widths)
    if lead < 0:
        raise ShapeError(f"widths for {len(args.widths)} axes of a tensor that has {len(x.dims)}")
    grown = [plus(d, plus(size_arg(before), size_arg(after))) for d, (before, after) in zip(x.dims[lead:], args.widths)]
    return LogicalTensor(x.dtype, (*x.dims[:lead], *grown), weak=weak)
