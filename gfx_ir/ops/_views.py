"""Put rules: what a write through a view does to the tensor that it is a view of.

Each takes the bound arguments of the op that made the view, the view's new value, and which output it is (from 1).
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..build import host, told_dtype
from ..errors import UnsupportedConstruct
from ..graph import Value
from ..op import Trait
from . import _seen
from ._catalogue import ops
from ._einsum import DOTS, parse_einsum


def put_same(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The view is the tensor itself."""
    return new


def put_data(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The view has the tensor's data, and no part in its gradient."""
    return ops.straight_through(args.x, new)


def put_real(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The real part of real numbers is the tensor itself; complex ones keep their imaginary part. Raises where nothing tells which they are."""
    element = told_dtype(args.x) if isinstance(args.x, Value) else _seen.dtype(args.x)
    if element is None:
        raise UnsupportedConstruct(
            "this writes through the real part of what may be complex numbers or real ones",
            hint="give the array's dtype at capture, or write x = re + 1j * im instead",
        )
    return ops.as_complex(new, ops.imag(args.x)) if element.kind == "c" else new


def put_imag(args: SimpleNamespace, new: Any, index: int) -> Any:
    """Complex numbers keep their real part."""
    return ops.as_complex(ops.real(args.x), new)


def put_conj(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The conjugate of what the view of conjugates gets; torch's is lazy."""
    return ops.conj(new)


def put_item(args: SimpleNamespace, new: Any, index: int) -> Any:
    """x[index] = new."""
    return ops.index_put(args.x, args.index, new)


def put_reshaped(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The elements keep their order."""
    return ops.reshape(new, ops.shape(args.x))


def put_unsqueezed(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The axes of size 1 go again."""
    return ops.squeeze(new, axis=args.axis)


def put_permuted(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The inverse permutation."""
    if args.axes is None:
        return ops.permute_dims(new)
    rank = len(args.axes)
    inverse = sorted(range(rank), key=lambda at: args.axes[at] % rank)
    return ops.permute_dims(new, tuple(inverse))


def put_swapped(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The two axes change places again."""
    return ops.swapaxes(new, args.axis1, args.axis2)


def put_transposed(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The last two axes change places again."""
    return ops.matrix_transpose(new)


def put_moved(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The axes move back."""
    return ops.moveaxis(new, args.destination, args.source)


def put_flipped(args: SimpleNamespace, new: Any, index: int) -> Any:
    """Flipped again."""
    return ops.flip(new, axis=args.axis)


def put_expanded(args: SimpleNamespace, new: Any, index: int) -> Any:
    """Elements of an expanded view are one in memory: no framework defines what a write does. Raises."""
    raise UnsupportedConstruct(
        "this writes through an expanded view, whose elements share memory",
        hint="copy it first: x.expand(...).clone(), np.broadcast_to(...).copy()",
    )


def put_diagonal(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The diagonal is written in place of the old one. Raises for one that is only known when the code runs."""
    if not isinstance(args.offset, int):
        raise UnsupportedConstruct(
            "this writes to a diagonal whose offset is only known when the emitted code runs",
            hint="give the offset at capture, or choose the elements with torch.where or np.where",
        )
    ends = (args.axis1, args.axis2)
    moved = ops.moveaxis(args.x, ends, (-2, -1))
    steps = ops.arange(ops.size(new, -1))
    rows = ops.add(steps, -args.offset) if args.offset < 0 else steps
    columns = ops.add(steps, args.offset) if args.offset > 0 else steps
    return ops.moveaxis(ops.index_put(moved, (..., rows, columns), new), (-2, -1), ends)


def put_einsum(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The axes go back in their order; diagonals are written in place of the old ones. Raises for those of what '...' stands for."""
    (term,), result = parse_einsum(args.equation)
    if len(set(term)) == len(term):
        return ops.einsum_view(new, f"{result}->{term}".replace(".", DOTS))
    if "." in term:
        raise UnsupportedConstruct(
            "this writes through a diagonal that an einsum with '...' gives",
            hint="write it with a letter for each axis",
        )
    steps = [ops.reshape(ops.arange(ops.size(new, at)), _upright(len(result), at)) for at in range(len(result))]
    return ops.index_put(args.x, tuple(steps[result.index(letter)] for letter in term), new)


def _upright(rank: int, at: int) -> tuple:
    """The shape of a vector that lies along one of `rank` axes."""
    return tuple(-1 if axis == at else 1 for axis in range(rank))


def along(axis: int, item: Any) -> tuple:
    """The index that applies `item` to one axis and leaves the others whole."""
    if axis < 0:
        return (..., item, *[slice(None)] * (-axis - 1))
    return (*[slice(None)] * axis, item)


def put_unstacked(args: SimpleNamespace, new: Any, index: int) -> Any:
    """x[..., index - 1, ...] = new."""
    return ops.index_put(args.x, along(args.axis, index - 1), new)


def put_split(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The part is written in place of the old one."""
    sections = args.sections
    if isinstance(sections, int):
        part = host("//", ops.size(args.x, args.axis), sections)
        return _put_part(args, new, _times(part, index - 1), _times(part, index))
    start: Any = 0
    for size in sections[: index - 1]:
        start = host("+", start, size)
    return _put_part(args, new, start, host("+", start, sections[index - 1]))


def put_chunk(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The part is written in place of the old one; the slice of the last part ends with the axis."""
    part = host("//", host("+", ops.size(args.x, args.axis), args.chunks - 1), args.chunks)
    return _put_part(args, new, _times(part, index - 1), _times(part, index))


def _times(part: Any, count: int) -> Any:
    return part if count == 1 else 0 if count == 0 else host("*", part, count)


def _put_part(args: SimpleNamespace, new: Any, start: Any, stop: Any) -> Any:
    return ops.index_put(args.x, along(args.axis, slice(start, stop)), new)


_ORDERS = {
    **dict.fromkeys((put_reshaped, put_unsqueezed), Trait.IN_ORDER),
    **dict.fromkeys((put_permuted, put_swapped, put_transposed, put_moved), Trait.PERMUTES),
}
_SELECTING = (
    *_ORDERS, put_data, put_item, put_flipped, put_expanded, put_diagonal, put_einsum, put_unstacked, put_split, put_chunk,
)  # fmt: skip
for _put in (*_SELECTING, put_same, put_real, put_imag, put_conj):
    _selects = Trait.SELECTS if _put in _SELECTING else Trait.NONE
    _put.traits = Trait.UNSAVED | Trait.KEEPS_SIGN | _ORDERS.get(_put, Trait.NONE) | _selects  # type: ignore[attr-defined]
