"""Calls that rearrange elements and are several ops."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.build import host

from ..lifting import ask_rank, fixed_int, known_rank, known_size, names, refuse, shape_of


def unflatten(input: Any, dim: Any, sizes: Any) -> Any:
    """One axis becomes several."""
    if isinstance(sizes, list):
        sizes = tuple(sizes)
    rank = known_rank(input)
    if rank is not None:
        at = dim % rank
        before, after = range(at), range(at + 1, rank)
        return ops.reshape(input, (*(ops.size(input, a) for a in before), *sizes, *(ops.size(input, a) for a in after)))
    if dim >= 0:
        head = tuple(ops.size(input, a) for a in range(dim))
        tail = host("getitem", shape_of(input), slice(dim + 1, None))
        return ops.reshape(input, host("+", (*head, *sizes), tail))
    tail = tuple(ops.size(input, a) for a in range(dim + 1, 0))
    head = host("getitem", shape_of(input), slice(None, dim))
    return ops.reshape(input, host("+", head, (*sizes, *tail)))


def hstack(tensors: Any) -> Any:
    """Joined along axis 1, vectors along axis 0."""
    rank = ask_rank(tensors[0], 2, "torch.hstack")
    return ops.concat(tuple(tensors), axis=0 if rank == 1 else 1)


def vstack(tensors: Any) -> Any:
    """Joined along axis 0, vectors as rows."""
    rank = ask_rank(tensors[0], 2, "torch.vstack")
    return ops.stack(tuple(tensors), axis=0) if rank == 1 else ops.concat(tuple(tensors), axis=0)


def dstack(tensors: Any) -> Any:
    """Joined along axis 2."""
    if ask_rank(tensors[0], 3, "torch.dstack") < 3:
        refuse("torch.dstack of tensors of less than 3 axes has no counterpart", "torch.stack(tensors, dim=-1)")
    return ops.concat(tuple(tensors), axis=2)


def atleast(dims: int) -> Any:
    """torch.atleast_1d, 2d: new axes in front."""

    def fn(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors = tuple(tensors[0])
        out = []
        for x in tensors:
            missing = dims - ask_rank(x, dims, f"torch.atleast_{dims}d")
            for _ in range(missing):
                x = ops.expand_dims(x, 0)
            out.append(x)
        return out[0] if len(out) == 1 else tuple(out)

    return fn


def broadcast_tensors(*tensors: Any) -> tuple:
    """All in their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    types = [x.type for x in tensors]
    if any(t is None or t.dims is None or not all(isinstance(d, int) for d in t.dims) for t in types):
        refuse(
            "torch.broadcast_tensors of tensors of unknown shape has no counterpart", "operators broadcast on their own"
        )
    rank = max(len(t.dims) for t in types)
    columns = [[t.dims[at] for t in types if len(t.dims) >= -at] for at in range(-rank, 0)]
    shape = tuple(next((n for n in column if n != 1), 1) for column in columns)
    return tuple(ops.broadcast_to(x, shape) for x in tensors)


def rot90(input: Any, k: Any = 1, dims: Any = (0, 1)) -> Any:
    """A quarter turn, k times."""
    a, b = dims
    turns = fixed_int(k, "k") % 4
    if turns == 0:
        return ops.copy(input)
    if turns == 2:
        return ops.flip(input, axis=(a, b))
    return ops.flip(ops.swapaxes(input, a, b), axis=(a,) if turns == 1 else (b,))


def unfold(input: Any, dimension: Any, size: Any, step: Any) -> Any:
    """Windows along an axis, which become the last axis."""
    total = known_size(input, dimension)
    rank = known_rank(input)
    if total is None or rank is None:
        refuse(
            "Tensor.unfold of an axis of unknown size has no counterpart", "give the argument's shape: gfx.TensorSpec"
        )
    starts = range(0, total - size + 1, step)  # type: ignore[operator]
    rows = ops.constant(tuple(tuple(range(s, s + size)) for s in starts))
    at = dimension % rank  # type: ignore[operator]
    return ops.moveaxis(ops.take(input, rows, axis=at), at + 1, -1)


LIFTS = {
    names("unflatten"): unflatten,
    "torch.hstack torch.column_stack": hstack,
    "torch.vstack torch.row_stack": vstack,
    "torch.dstack": dstack,
    "torch.atleast_1d": atleast(1),
    "torch.atleast_2d": atleast(2),
    "torch.broadcast_tensors": broadcast_tensors,
    names("rot90"): rot90,
    "Tensor.unfold": unfold,
}
