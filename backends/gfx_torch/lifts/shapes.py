"""Calls that rearrange elements and are several ops."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.build import dtype_of, host, require_kinds, told_dims
from gfx_ir.dtypes import result_type_torch
from gfx_ir.errors import OpenShape, ShapeError
from gfx_ir.graph import Value
from gfx_ir.host import bounds, reaching
from gfx_ir.infer.origins import asked_of
from gfx_ir.lifting.broadcasting import in_one_shape
from gfx_ir.lifting.ranks import require

from ..lifting import ask_rank, fixed_int, kind, known_rank, known_size, names, refuse, sequence, shape_of, told_size


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


def _joined(tensors: Any, dims: int, axis: int, call: str, assumed: int | None = None) -> Any:
    """Joined along an axis, all with at least so many axes; `assumed`: how many where nothing tells."""
    return ops.concat(tuple(_at_least(dims, x, call, assumed) for x in tensors), axis=axis)


def hstack(tensors: Any) -> Any:
    """Joined along axis 1, vectors along axis 0."""
    tensors = sequence(tensors, "hstack")
    rank = ask_rank(tensors[0], 2, "torch.hstack")
    return _joined(tensors, 1, 0 if rank < 2 else 1, "torch.hstack", rank)


def column_stack(tensors: Any) -> Any:
    """Joined along axis 1, vectors as columns."""
    made = []
    for x in sequence(tensors, "column_stack"):
        rank = ask_rank(x, 2, "torch.column_stack")
        made.append(x if rank > 1 else ops.reshape(x, (-1, 1)))
    return ops.concat(tuple(made), axis=1)


def vstack(tensors: Any) -> Any:
    """Joined along axis 0, vectors as rows."""
    tensors = sequence(tensors, "vstack")
    if all(known_rank(x) == 1 for x in tensors):
        return ops.stack(tensors, axis=0)
    return _joined(tensors, 2, 0, "torch.vstack")


def dstack(tensors: Any) -> Any:
    """Joined along axis 2."""
    return _joined(sequence(tensors, "dstack"), 3, 2, "torch.dstack")


def _at_least(dims: int, x: Any, call: str, assumed: int | None = None) -> Any:
    """x with new axes, up to so many; the third one is the last. `assumed`: its rank where nothing tells, else `dims`."""
    if dims < 3 and assumed is None and known_rank(x) is None:
        return ops.at_least(x, dims)
    rank = ask_rank(x, assumed or dims, call)
    for _ in range(min(dims, 2) - rank):
        x = ops.expand_dims(x, 0)
    return ops.expand_dims(x, -1) if dims == 3 and rank < 3 else x


def atleast(dims: int) -> Any:
    """torch.atleast_1d, 2d, 3d: new axes."""

    def fn(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            return tuple(_at_least(dims, x, f"torch.atleast_{dims}d") for x in tensors[0])
        out = tuple(_at_least(dims, x, f"torch.atleast_{dims}d") for x in tensors)
        return out[0] if len(out) == 1 else out

    return fn


def conj(input: Any) -> Any:
    """The conjugates: a view; of real numbers they themselves."""
    found = dtype_of(input)
    return ops.conj(input) if found is None or found.kind == "c" else input


def conj_physical(input: Any) -> Any:
    """The conjugates: a copy, of real numbers the numbers."""
    found = conj(input)
    return ops.copy(input) if found is input else found


_OPEN = "torch.squeeze of an axis whose size is open: it goes if that is 1, and stays otherwise"
_SAY = "index it, x[:, 0], or reshape; or give the size at capture, or at least 2 places: gfx.Dim('n', min=2)"


def _goes(x: Any, dim: Any, rank: int) -> bool:
    """Whether an axis has the size 1. Raises where that is open, and tells from which size on it has not."""
    size = told_size(x, dim) if rank and isinstance(dim, int) else None
    if rank == 0 and isinstance(dim, int):
        return False
    if size is None:
        refuse(_OPEN, _SAY)
    least, most = bounds(size)
    if size == 1 or (least is not None and least > 1) or most == 0:
        return bool(size == 1)
    raise OpenShape(_OPEN, hint=_SAY, within=reaching(size, 2))


def squeeze(input: Any, dim: Any = None) -> Any:
    """Axes of size 1 go; torch leaves an axis alone whose size is another, so that an open size decides the rank."""
    if dim is None:
        return ops.squeeze(input, axis=None)
    rank, dims = known_rank(input), tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if rank is not None:
        dims = tuple([d for d in dims if _goes(input, d, rank)])
    if not dims:
        return input
    return ops.squeeze(input, axis=dims if isinstance(dim, (tuple, list)) else dims[0])


def cat(tensors: Any, dim: Any = 0) -> Any:
    """Joined along an axis; an empty vector among tensors of more axes gives its dtype alone."""
    tensors = sequence(tensors, "cat")
    empty = [x for x in tensors if _is_empty_vector(x)]
    parts = tuple([x for x in tensors if not any(x is other for other in empty)])
    if not empty or all(known_rank(x) == 1 for x in parts):
        return ops.concat(tensors, axis=dim)
    joined, found = ops.concat(parts, axis=dim), [dtype_of(x) for x in parts]
    apart = [dtype_of(x) for x in empty if not _has_dtype_of(x, parts)]
    if all(dtype is not None and dtype in found for dtype in apart):
        return joined
    known = [(dtype, False, False) for dtype in (*found, *apart) if dtype is not None]
    if len(known) < len(found) + len(apart):
        refuse("torch.cat of an empty vector whose dtype may be another", "give gfx.TensorSpec(shape, dtype)")
    return ops.astype(joined, result_type_torch(known))


def _is_empty_vector(x: Any) -> bool:
    dims = told_dims(x) if isinstance(x, Value) and x.type is None else None
    return dims == (0,) or (known_rank(x) == 1 and known_size(x, 0) == 0)


def _has_dtype_of(x: Any, parts: tuple) -> bool:
    """Whether a tensor was made with the dtype of one of others, be it known or not."""
    asked = asked_of(x.node) if isinstance(x, Value) else None
    return any(asked is part for part in parts)


MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}
"""Ours and torch's names of what stands beyond the edges."""
_FROM_TORCH = {theirs: ours for ours, theirs in MODES.items()}


def _nearest(input: Any, widths: list) -> Any:
    """The nearest element for each place, some of them cut."""
    for axis, (low, high) in zip(range(-len(widths), 0), widths):
        if low or high:
            size = fixed_int(known_size(input, axis), "the size of an axis that F.pad cuts")
            places = tuple(min(max(at, 0), size - 1) for at in range(-low, size + high))
            input = ops.take(input, ops.constant(places) if places else ops.arange(0), axis=axis)
    return input


def _check_cut(input: Any, widths: list) -> None:
    """Raises ShapeError where negative widths cut more than an axis has."""
    for axis, width in zip(range(-len(widths), 0), widths):
        size = known_size(input, axis)
        if size is not None and all(isinstance(w, int) for w in width) and size + sum(width) < 0:
            raise ShapeError(f"F.pad by {width} cuts more than an axis of size {size} has")


def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """The last axes made longer, the last one first; negative widths cut."""
    if mode not in _FROM_TORCH:
        refuse(f"F.pad knows no mode {mode!r}")
    pad = tuple(pad)
    widths = [(pad[at], pad[at + 1]) for at in range(len(pad) - 2, -1, -2)]
    if mode in ("reflect", "replicate"):
        require_kinds(f"F.pad with mode={mode!r}", kind(input) or "f", "uifc")
    if mode != "constant":
        require(f"F.pad with mode={mode!r}", input, ">=", len(widths) + 1)
        require(f"F.pad with mode={mode!r}", input, "<=", len(widths) + 2)
    if mode == "replicate" and any(isinstance(w, int) and w < 0 for w in pad):
        return _nearest(input, widths)
    if any(isinstance(w, int) and w < 0 for w in pad):
        _check_cut(input, widths)
        parts = [slice(max(-low, 0), None if high >= 0 else high) for low, high in widths]
        input = ops.getitem(input, (..., *parts))
        widths = [(max(low, 0), max(high, 0)) for low, high in widths]
        if not any(map(any, widths)):
            return ops.copy(input)
    return ops.pad(input, tuple(widths), mode=_FROM_TORCH[mode], value=0 if value is None else value)


def broadcast_tensors(*tensors: Any) -> tuple:
    """All in their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    return in_one_shape(*tensors)


def rot90(input: Any, k: Any = 1, dims: Any = (0, 1)) -> Any:
    """A quarter turn, k times."""
    a, b = dims
    turns = fixed_int(k, "k") % 4
    if turns == 0:
        return ops.copy(input)
    if turns == 2:
        return ops.flip(input, axis=(a, b))
    return ops.flip(ops.swapaxes(input, a, b), axis=(a,) if turns == 1 else (b,))


LIFTS = {
    names("unflatten"): unflatten,
    "torch.hstack": hstack,
    "torch.column_stack": column_stack,
    "torch.vstack torch.row_stack": vstack,
    "torch.dstack": dstack,
    "torch.atleast_1d": atleast(1),
    "torch.atleast_2d": atleast(2),
    "torch.atleast_3d": atleast(3),
    "torch.broadcast_tensors": broadcast_tensors,
}
