"""Reading and writing by position: calls that are several ops."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.build import assumptions, host, told_dims
from gfx_ir.errors import ShapeError
from gfx_ir.graph import Value
from gfx_ir.lifting import writing
from gfx_ir.lifting.ranks import fills, vector
from gfx_ir.lifting.words import rank as rank_of
from gfx_ir.op import lookup

from ..lifting import ask_rank, at, fixed_int, is_number, known_size, names, refuse


def _is_list(item: Any) -> bool:
    return isinstance(item, list) or (isinstance(item, Value) and item.is_tensor)


def _apart(index: Any) -> bool:
    """Whether an index has integers and index tensors with something between them: there torch and NumPy differ."""
    if not isinstance(index, tuple):
        return False
    chosen = [place for place, item in enumerate(index) if _is_list(item) or _is_int(item)]
    mixed = any(_is_int(item) for item in index) and any(_is_list(item) for item in index)
    return mixed and chosen[-1] - chosen[0] != len(chosen) - 1


def _is_int(item: Any) -> bool:
    return is_number(item) and not isinstance(item, bool)


def taken_for_tuple(index: Any) -> bool:
    """Whether torch (2.13) takes an index that is a list for a tuple: one that holds more than numbers, as tensors or lists."""
    return isinstance(index, list) and len(index) < 32 and not all(map(is_number, index))


def getitem(input: Any, index: Any) -> Any:
    """x[index]. torch takes the integers of an index first; NumPy, and so the op, counts them as index tensors."""
    index = tuple(index) if taken_for_tuple(index) else index
    if not _apart(index):
        return ops.getitem(input, index)
    first, then = _in_turn(index)
    return ops.getitem(ops.getitem(input, first), then)


def _in_turn(index: tuple) -> tuple[tuple, tuple]:
    """The integers of an index, and what is taken of that."""
    first = tuple(slice(None) if _is_list(item) or item is None else item for item in index)
    first = tuple(item for item, given in zip(first, index) if given is not None)
    then = tuple(
        item if _is_list(item) or item is None else item if item is Ellipsis else slice(None)
        for item in index
        if not _is_int(item)
    )
    return first, then


def setitem(input: Any, index: Any, value: Any) -> Any:
    """x[index] = value."""
    index = tuple(index) if taken_for_tuple(index) else index
    if _apart(index):
        index, then = _in_turn(index)
        value = ops.index_put(ops.getitem(input, index), then, value)
    return ops.index_put(input, index, value)


def index_add(input: Any, dim: Any, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """x[index] += alpha * source along an axis."""
    index = vector("torch.index_add", index)
    fills("torch.index_add", source, lookup("getitem"), input, at(dim, index))
    scaled = source if type(alpha) is int and alpha == 1 else ops.multiply(alpha, source)
    return ops.index_put(input, at(dim, index), scaled, True)


def index_copy(input: Any, dim: Any, index: Any, source: Any) -> Any:
    """x[index] = source along an axis."""
    index = vector("torch.index_copy", index)
    fills("torch.index_copy", source, lookup("getitem"), input, at(dim, index))
    return ops.index_put(input, at(dim, index), source)


def index_fill(input: Any, dim: Any, index: Any, value: Any) -> Any:
    """x[index] = value along an axis."""
    return ops.index_put(input, at(dim, vector("torch.index_fill", index)), value)


def fill_diagonal(input: Any, fill_value: Any, wrap: Any = False) -> Any:
    """x[i, i, ...] = value."""
    if wrap:
        refuse("torch.Tensor.fill_diagonal_ with wrap=True begins anew below a tall matrix")
    rank = ask_rank(input, 2, "torch.Tensor.fill_diagonal_")
    if rank < 2:
        raise ShapeError(f"torch.Tensor.fill_diagonal_ takes tensors of 2 axes or more, and gets one of {rank}")
    if rank > 2 and len({fixed_int(known_size(input, axis), "a size of the tensor") for axis in range(rank)}) > 1:
        raise ShapeError("torch.Tensor.fill_diagonal_ takes tensors of more than 2 axes where these are of one length")
    return writing.fill_diagonal(input, fill_value)


def select(input: Any, dim: Any, index: Any) -> Any:
    """x[index] along an axis."""
    return ops.getitem(input, at(dim, index))


def narrow(input: Any, dim: Any, start: Any, length: Any) -> Any:
    """x[start : start + length] along an axis."""
    if isinstance(length, int) and length < 0:
        raise ShapeError(f"torch.narrow takes no negative length, and gets {length}")
    if isinstance(start, Value) and (start.is_tensor or isinstance(length, int)):
        return ops.take_run(input, start, length, dim)
    if isinstance(start, int) and start < 0 and not isinstance(length, int):
        start = host("+", ops.size(input, dim), start)
    _within("torch.narrow", input, dim, start, length)
    if isinstance(start, int) and start < 0 and isinstance(length, int) and start + length == 0:
        return ops.getitem(input, at(dim, slice(start, None)))
    return ops.getitem(input, at(dim, slice(start, host("+", start, length))))


def _within(call: str, input: Any, dim: Any, start: Any, length: Any) -> None:
    """Hold a run of positions against the size of its axis. Raises ShapeError where they are known not to fit; else the source
    checks it."""
    size = known_size(input, dim)
    if isinstance(start, int) and isinstance(length, int):
        needed = -start if start < 0 else start + length
        if (start < 0 < start + length) or (size is not None and size < needed):
            raise ShapeError(f"{call} of {length} positions from {start} does not fit an axis of size {size}")
        if size is not None or not needed:
            return
    else:
        needed = host("+", start, length)
    if assumptions() is not None:
        for number in (start, length):
            if isinstance(number, Value):
                ops.check(host(">=", number, 0), f"{call}: a negative position or length", "RuntimeError")
        ops.check(host(">=", ops.size(input, dim), needed), f"{call}: positions beyond the axis", "RuntimeError")


def select_scatter(input: Any, src: Any, dim: Any, index: Any) -> Any:
    """A copy with src at an index of an axis."""
    fills("torch.select_scatter", src, lookup("getitem"), input, at(dim, index))
    return ops.index_put(input, at(dim, index), src)


def slice_scatter(input: Any, src: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    """A copy with src in a slice of an axis."""
    place = at(dim, slice(start, end, step))
    fills("torch.slice_scatter", src, lookup("getitem"), input, place)
    return ops.index_put(input, place, src)


def copy_(input: Any, src: Any, non_blocking: Any = False) -> Any:
    """x[...] = src."""
    if is_number(src):
        return ops.full_like(input, src)
    same = isinstance(src.type, type(input.type)) and src.type is not None and src.type == input.type
    if same:
        return src
    return ops.index_put(input, Ellipsis, src)


def diag(input: Any, diagonal: Any = 0) -> Any:
    """The diagonal of a matrix, or a matrix with this diagonal."""
    told = told_dims(input)
    rank = rank_of(input) if told is None else len(told)
    if rank == 2:
        return ops.copy(ops.diagonal(input, offset=diagonal))
    return ops.diag_embed(input, diagonal) if rank == 1 else ops.diag(input, diagonal)


LIFTS = {
    "Tensor.__getitem__": getitem,
    "Tensor.__setitem__": setitem,
    names("index_add"): index_add,
    names("index_copy"): index_copy,
    names("index_fill"): index_fill,
    "Tensor.fill_diagonal_": fill_diagonal,
    names("select"): select,
    names("narrow"): narrow,
    names("select_scatter"): select_scatter,
    names("slice_scatter"): slice_scatter,
    "Tensor.copy_": copy_,
    names("diag"): diag,
}
