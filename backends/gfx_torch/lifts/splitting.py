"""Taking a tensor apart: calls that return tuples."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import OpenParts, OpenRows
from gfx_ir.bound import Bound
from gfx_ir.build import host
from gfx_ir.errors import OpenShape, ShapeError
from gfx_ir.graph import Value
from gfx_ir.host import Dim, bounds, divide, reaching

from ..lifting import fixed_int, known_rank, known_size, times, told_size
from .arranging import cut


def parts(found: Any) -> tuple:
    """What an op that may have one output only returns, as a tuple."""
    return found if isinstance(found, tuple) else (found,)


def split(tensor: Any, split_size_or_sections: Any = None, dim: Any = 0, **named: Any) -> Any:
    """torch.split: parts of one size, or of the sizes given."""
    size = named.get("split_size", split_size_or_sections)
    if isinstance(size, (tuple, list)):
        return parts(ops.split(tensor, tuple(size), axis=dim))
    total = known_size(tensor, dim)
    count = times(tensor, dim, size)
    if count is not None:
        return parts(ops.split(tensor, (size,) * count, axis=dim))
    if total is None and size == 1 and isinstance(dim, int):
        return _single(tensor, dim)
    if total is None or not isinstance(size, int):
        rows = _equal_parts(tensor, size, dim)
        return _open_parts(tensor, size, dim) if rows is None else rows
    counts = [size] * (total // size) + ([total % size] if total % size else [])
    return parts(ops.split(tensor, tuple(counts) or (0,), axis=dim))


def _single(tensor: Any, dim: int) -> OpenRows:
    """torch.split into parts of one element each, of an axis of open size: the rows of a tensor that has that axis once more."""
    rows = tensor if dim == 0 else ops.moveaxis(tensor, dim, 0)
    return OpenRows(ops.expand_dims(rows, axis=dim if dim < 0 else dim + 1))


def _equal_parts(tensor: Any, size: Any, dim: Any) -> OpenRows | None:
    """torch.split of an axis of open size that is a multiple of that of its parts: the rows of a tensor in which they stand one after the other;
    None of any other."""
    rank, total = known_rank(tensor), told_size(tensor, dim) if isinstance(dim, int) else None
    step = size.type if isinstance(size, Value) else size
    if rank is None or total is None or step is None or divide(total, step) is None:
        return None
    at = dim % rank
    sizes = [ops.size(tensor, axis) for axis in range(rank)]
    apart = ops.reshape(tensor, (*sizes[:at], host("//", sizes[at], size), size, *sizes[at + 1 :]))
    return OpenRows(ops.moveaxis(apart, at, 0) if at else apart)


def _open_parts(tensor: Any, size: Any, dim: Any) -> OpenParts:
    """torch.split of an axis of open size: the number of parts is that of the names they are unpacked into."""

    def unpack(count: int) -> tuple:
        last = host("-", ops.size(tensor, dim), host("*", size, count - 1))
        return parts(ops.split(tensor, (*[size] * (count - 1), last), axis=dim))

    total = told_size(tensor, dim) if isinstance(dim, int) else None
    error = OpenShape(
        "torch.split needs the size of the axis to know how many parts there are",
        hint="unpack the parts, or give all sizes: x.split((a, b), dim); or the shape: gfx.TensorSpec((gfx.Dim('n') * size, ...))",
        within={total.name: [Bound(step=size)]} if isinstance(total, Dim) and isinstance(size, int) else {},
    )
    return OpenParts(unpack, error)


def chunk(input: Any, chunks: Any, dim: Any = 0) -> Any:
    """torch.chunk: at most so many parts, the last one smaller."""
    total = told_size(input, dim) if isinstance(dim, int) else None
    each = None if total is None or not isinstance(chunks, Value) or chunks.type is None else divide(total, chunks.type)
    if isinstance(each, int) and each > 0:
        return split(input, each, dim)
    count = fixed_int(chunks, "the number of chunks")
    if count < 1:
        raise ShapeError(f"torch.chunk into {count} chunks")
    made = lambda names=count: parts(ops.chunk(input, count, axis=dim))
    if total is None or isinstance(total, int) or divide(total, count) is not None:
        return made()
    surely = (count - 1) ** 2 + 1  # from here on there are so many parts: before, 9 rows in 4 chunks are 3 of 3
    if (bounds(total)[0] or 0) >= surely:
        return made()
    error = OpenShape(
        "torch.chunk needs the size of the axis to know how many parts there are",
        hint=f"unpack the parts, or give the shape: gfx.TensorSpec((gfx.Dim('n') * {count}, ...)), or gfx.Dim('n', min={surely})",
        within={name: [Bound(step=count), *ends] for name, ends in reaching(total, surely).items()},
    )
    return OpenParts(made, error)


def tensor_split(input: Any, indices_or_sections: Any = None, dim: Any = 0, **named: Any) -> tuple:
    """Sections: the first parts are one larger; indices: where the parts end."""
    given = named.get("sections", named.get("indices", indices_or_sections))
    total = known_size(input, dim)
    if isinstance(given, int):
        if total is None:
            raise ShapeError(
                "torch.tensor_split needs the size of the axis", hint="give the argument's shape: gfx.TensorSpec"
            )
        low, more = divmod(total, given)
        return parts(ops.split(input, (low + 1,) * more + (low,) * (given - more), axis=dim))
    return cut(input, given, dim)


def unbind(input: Any, dim: Any = 0) -> Any:
    """A tuple of slices."""
    length = known_size(input, dim)
    if length is None:
        return OpenRows(input if dim == 0 else ops.moveaxis(input, dim, 0))
    return parts(ops.unstack(input, axis=dim, length=length))
