"""Calls that lay elements out anew: steps in memory, windows, diagonals, blocks, products of sets."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.build import assumptions, host
from gfx_ir.dtypes import DTYPES
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.lifting.broadcasting import of_parts
from gfx_ir.lifting.ranks import fills, just, require
from gfx_ir.memory import dense
from gfx_ir.op import lookup

from ..lifting import (
    INT64,
    ask_rank,
    at,
    default_dtype,
    dtype_like,
    fixed_int,
    known_rank,
    known_size,
    names,
    place,
    refuse,
    sizes,
    untracked,
)


# ---------------------------------------------------------------- steps in memory
def _memory(x: Any) -> Any:
    """The tensor whose memory another one has, itself where that is all of it, and where it begins there."""
    given = assumptions()
    found = given.laid.asked(x) if given is not None and isinstance(x, Value) else None
    if found is None:
        name = x.node.op.name if isinstance(x, Value) else type(x).__name__
        what = f"GFX cannot capture torch.as_strided of the result of {name!r}: how it lies in memory is not known"
        raise UnsupportedConstruct(what, hint="take the elements by index instead")
    if found[1] == dense(found[1].shape):
        return x, 0
    if found[0] is None or not isinstance(found[1].offset, int):
        refuse(
            "torch.as_strided of a part of a tensor that was written since, or whose place is open",
            "copy it first: x.clone()",
        )
    return found[0], found[1].offset


def as_strided(input: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """A view by steps in memory."""
    held, begins = _memory(input)
    return ops.as_strided(held, sizes((size,)), sizes((stride,)), begins if storage_offset is None else storage_offset)


def as_strided_copies(input: Any, *args: Any, **kwargs: Any) -> bool | str:
    """Whether the memory that `as_strided` looks at is another tensor's, so that what writes to one of them is not told to the other."""
    return False if _memory(input)[0] is input else "maybe"


def as_strided_scatter(input: Any, src: Any, size: Any, stride: Any, storage_offset: Any = None) -> Any:
    """A copy with src at these steps."""
    if _memory(input)[0] is not input:
        refuse("torch.as_strided_scatter of a view", "copy it first: x.reshape(-1).clone()")
    op = lookup("as_strided")
    args = input, sizes((size,)), sizes((stride,)), storage_offset or 0
    fills("torch.as_strided_scatter", src, op, *args)
    return op.put(op.named(args), src, 1)  # type: ignore[misc]


def unfold(input: Any, dimension: Any, size: Any, step: Any) -> Any:
    """Windows along an axis; of a tensor without axes, its element."""
    if known_rank(input) == 0:
        return ops.getitem(ops.unfold(ops.reshape(input, (1,)), 0, size, step), 0)
    return ops.unfold(input, dimension, size, step)


# ---------------------------------------------------------------- copies of views
def copied(view: Callable[..., Any]) -> Callable[..., Any]:
    """The `_copy` form of a view."""

    def fn(input: Any, *args: Any, **kwargs: Any) -> Any:
        found = view(input, *args, **kwargs)
        return tuple(map(ops.copy, found)) if isinstance(found, (tuple, list)) else ops.copy(found)

    return fn


def slice_(input: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    """x[start:end:step] along an axis."""
    lead = (slice(None),) * dim if dim >= 0 else (...,)
    rest = () if dim >= 0 else (slice(None),) * (-dim - 1)
    return ops.getitem(input, (*lead, slice(start, end, None if step == 1 else step), *rest))


def diagonal_scatter(input: Any, src: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Any:
    """A copy with src as its diagonal."""
    op = lookup("diagonal")
    fills("torch.diagonal_scatter", src, op, input, offset, dim1, dim2)
    return op.put(op.named((input, offset, dim1, dim2)), src, 1)  # type: ignore[misc]


# ---------------------------------------------------------------- complex numbers as pairs
def view_as_real(input: Any) -> Any:
    """Parts along a new last axis."""
    return ops.view_as_real(input)


def _no_half(parts: Any) -> None:
    if dtype_like(parts) == DTYPES["float16"]:
        refuse("complex numbers of half precision (torch.complex32) have no counterpart", "x.float() first")


def as_complex(real: Any, imag: Any) -> Any:
    """Complex numbers of their two parts."""
    _no_half(real)
    return of_parts(real, imag)


def polar(abs: Any, angle: Any) -> Any:
    """Complex numbers of absolute value and angle."""
    return as_complex(ops.multiply(abs, ops.cos(angle)), ops.multiply(abs, ops.sin(angle)))


def view_as_complex(input: Any) -> Any:
    """Complex numbers of pairs."""
    _no_half(input)
    return ops.view_as_complex(input)


# ---------------------------------------------------------------- diagonals, blocks, triangles
def diag_embed(input: Any, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Any:
    """The last axis as diagonals of matrices."""
    if dim1 == dim2:
        refuse("the two axes of a diagonal are the same")
    rank = known_rank(input)
    if rank is not None and dim1 % (rank + 1) > dim2 % (rank + 1):
        dim1, dim2, offset = dim2, dim1, -offset
    return ops.diag_embed(input, offset, dim1, dim2)


def diagflat(input: Any, offset: Any = 0) -> Any:
    """All elements as the diagonal of a matrix."""
    return ops.diag_embed(ops.flatten(input), offset)


def block_diag(*tensors: Any) -> Any:
    """Matrices along the diagonal of a larger one; vectors and numbers are rows."""
    made = []
    for x in tensors:
        for _ in range(2 - ask_rank(x, 2, "torch.block_diag")):
            x = ops.expand_dims(x, 0)
        made.append(x)
    return ops.block_diag(tuple(made))


def triangle_indices(name: str) -> Callable[..., Any]:
    """torch.tril_indices and triu_indices: positions as two rows."""
    op = lookup(name)

    def fn(row: Any, col: Any, offset: Any = 0, *, dtype: Any = None) -> Any:
        found = ops.stack(op(row, None if row is col or row == col else col, offset))
        return found if dtype is None or dtype == INT64 else ops.astype(found, dtype)

    return fn


def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    """Powers along a new axis; of truth values, of the integers that they are."""
    found = dtype_like(x)
    x = ops.reshape(x, (1,)) if known_rank(x) == 0 else x
    return ops.vander(ops.astype(x, INT64) if getattr(found, "kind", "") == "b" else x, N, increasing)


def logspace(start: Any, end: Any, steps: Any, base: Any = 10.0, *, dtype: Any = None, device: Any = None) -> Any:
    """Powers of a base, their exponents evenly apart."""
    made = untracked(ops.logspace(start, end, steps, float(base), dtype or default_dtype()), start, end)
    return made if device is None else ops.to_device(made, place(device))


# ---------------------------------------------------------------- products of sets
def cartesian_prod(*tensors: Any) -> Any:
    """Every choice of one element from each, in a row."""
    for x in tensors:
        require("torch.cartesian_prod", x, "==", 1)
    if len(tensors) == 1:
        return tensors[0]
    return ops.stack(tuple(map(ops.flatten, ops.meshgrid(tensors, indexing="ij"))), axis=1)


def combinations(input: Any, r: Any = 2, with_replacement: Any = False) -> Any:
    """Every choice of r elements, in a row."""
    count = fixed_int(known_size(input, 0), "the size of what torch.combinations takes")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = tuple(choose(range(count), fixed_int(r, "r")))
    if not rows or not r:
        return ops.zeros((len(rows) if r else 0, r) if r else (0,), dtype=dtype_like(input))
    return ops.take(input, ops.constant(rows), axis=0)


def sum_to_size(input: Any, *size: Any, **named: Any) -> Any:
    """Summed over what was broadcast."""
    target = sizes(size or tuple(named.values()))
    rank = ask_rank(input, len(target), "Tensor.sum_to_size")
    lead = rank - len(target)
    over = tuple(range(lead)) + tuple(
        lead + at for at, n in enumerate(target) if n == 1 and known_size(input, lead + at) != 1
    )
    if rank == 0 or over:
        input = ops.sum(input, axis=over or None, keepdims=bool(over))
    out = input
    return ops.reshape(out, target) if lead else out


def no_memory(call: str) -> Callable[..., Any]:
    """What refuses a call that changes how much memory a tensor has."""

    def fn(input: Any, *args: Any, **kwargs: Any) -> Any:
        raise UnsupportedConstruct(
            f"{call} changes the memory of a tensor, which no other framework lets it", hint="make a new tensor instead"
        )

    return fn


def half_complex(input: Any, memory_format: Any = None) -> Any:
    """Refused: NumPy and JAX have no complex numbers of half precision."""
    refuse("complex numbers of half precision (torch.complex32) have no counterpart", "use torch.complex64: x.cfloat()")


def empty_strided(size: Any, stride: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """A new tensor; how it lies in memory is not recorded."""
    return ops.empty(sizes((size,)), dtype=dtype or default_dtype(), device=place(device))


def _open_length(x: Any, dim: Any) -> Any:
    size = known_size(x, dim)
    return ops.size(x, dim) if size is None else size


def split_along(dim: Callable[[int], int]) -> Callable[..., Any]:
    """torch.hsplit, vsplit, dsplit: equal parts, or the positions of the cuts."""

    def fn(input: Any, indices_or_sections: Any = None, **named: Any) -> Any:
        given = named.get("sections", named.get("indices", indices_or_sections))
        axis = dim(ask_rank(input, 2, "this split"))
        if isinstance(given, int):
            found = ops.split(input, given, axis=axis)
            return found if isinstance(found, tuple) else (found,)
        return cut(input, given, axis)

    return fn


def cut(input: Any, positions: Any, axis: Any) -> tuple:
    """Parts between positions, counted from the end where they are negative."""
    if isinstance(positions, Value):
        return _cut_at_data(input, positions, axis)
    length = _open_length(input, axis)
    marks = list(positions)
    if isinstance(length, int) and not any(isinstance(p, Value) for p in marks):
        marks = [min(max(p + length if p < 0 else p, 0), length) for p in marks]
        marks = list(itertools.accumulate(marks, max)) if marks == sorted(marks) else marks
    ends = [0, *marks, length]
    lengths = tuple(max(0, b - a) if is_known(a, b) else host("-", b, a) for a, b in itertools.pairwise(ends))
    if is_known(*ends) and sum(lengths) == length:
        found = ops.split(input, lengths, axis=axis)
        return found if isinstance(found, tuple) else (found,)
    if is_known(*ends):
        return tuple(slice_(input, axis, a, max(a, b)) for a, b in itertools.pairwise(ends))
    found = ops.split(input, lengths, axis=axis)
    return found if isinstance(found, tuple) else (found,)


def _cut_at_data(input: Any, positions: Value, axis: Any) -> tuple:
    """Parts between positions that are data."""
    count = known_size(positions, 0) if known_rank(positions) == 1 else None
    if count is None:
        refuse(
            "splitting into a number of parts that is data has no counterpart", "give a number or a tuple of numbers"
        )
    ends = [None, *(ops.getitem(positions, n) for n in range(count)), None]
    return tuple(ops.getitem(input, at(axis, slice(a, b))) for a, b in itertools.pairwise(ends))


def is_known(*numbers: Any) -> bool:
    """Whether these are plain numbers."""
    return all(isinstance(n, int) for n in numbers)


def new_empty_strided(input: Any, size: Any, stride: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """The same, in a dtype and at a place like those of a tensor."""
    return ops.empty(
        sizes((size,)),
        dtype=dtype_like(input) if dtype is None else dtype,
        device=ops.device_of(input) if device is None else place(device),
    )


LIFTS = {
    names("as_strided_scatter"): as_strided_scatter,
    names("diagonal_scatter"): diagonal_scatter,
    names("diagflat"): diagflat,
    "torch.cartesian_prod": cartesian_prod,
    "torch.combinations": just("torch.combinations", combinations, 1),
    "Tensor.sum_to_size": sum_to_size,
    "Tensor.resize_": no_memory("Tensor.resize_"),
    "Tensor.resize_as_ torch.resize_as_": no_memory("Tensor.resize_as_"),
    "Tensor.set_": no_memory("Tensor.set_"),
    "Tensor.chalf": half_complex,
    "torch.polar": polar,
    names("hsplit"): split_along(lambda rank: 0 if rank == 1 else 1),
    names("vsplit"): split_along(lambda rank: 0),
    names("dsplit"): split_along(lambda rank: 2),
    "torch.ops.aten.slice.Tensor torch.ops.aten.slice": slice_,
    "torch.empty_strided torch.empty_permuted": empty_strided,
    "Tensor.new_empty_strided": new_empty_strided,
}
