"""The shapes of the arrays that functions take, where the ops that they become would compute something else of others."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .. import ops
from ..build import assumptions, host, parameter_data
from ..errors import OpenShape, ShapeError
from ..graph import Value
from ..host import bounds, compared, reaching, same
from ..infer.abstract import never_meet
from ..op import OpDef, lookup
from ..ops import _seen
from ..rules import RAISED, infer
from ..trees import leaves, tree_map
from .words import check_rank, rank

_COMPARED: Mapping[str, Callable[[int, int], bool]] = {"<=": operator.le, ">=": operator.ge, "==": operator.eq}
_SAID = {"<=": "at most", ">=": "at least", "==": "just"}


def least(call: str, lift: Callable[..., Any], *axes: int | None) -> Callable[..., Any]:
    """The lift of a call that takes tensors of so many axes at least, argument by argument; None: of any."""
    return _asked(call, lift, ">=", axes)


def just(call: str, lift: Callable[..., Any], *axes: int | None) -> Callable[..., Any]:
    """The lift of a call that takes tensors of just so many axes, argument by argument; None: of any."""
    return _asked(call, lift, "==", axes)


def most(call: str, lift: Callable[..., Any], *axes: int | None) -> Callable[..., Any]:
    """The lift of a call that takes tensors of so many axes at most, argument by argument; None: of any."""
    return _asked(call, lift, "<=", axes)


def _asked(call: str, lift: Callable[..., Any], sign: str, axes: Iterable[int | None]) -> Callable[..., Any]:
    @functools.wraps(lift)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for x, count in zip((*args, *kwargs.values()), axes):
            if count is not None:
                require(call, x, sign, count)
        return lift(*args, **kwargs)

    return checked


def require(call: str, x: Any, sign: str, count: int) -> None:
    """Hold the rank of a tensor against a number. Raises ShapeError where it is known to be another; where it is open, the
    arguments are guarded, and else the source checks it."""
    known = rank(x)
    if known is not None:
        if not _COMPARED[sign](known, count):
            raise ShapeError(f"{call} takes arrays of {_counted(sign, count)}, and gets one of {known}")
        return
    given = assumptions()
    if type(x) is not Value or given is None:
        return
    if not (given.axes(x, count) if sign == ">=" else sign == "==" and given.rank(x, count)):
        check_rank(x, sign, count, f"{call}: {_counted(sign, count)}")


def _counted(sign: str, count: int) -> str:
    return f"{_SAID[sign]} {count} {'axis' if count == 1 else 'axes'}"


def vector(call: str, x: Any) -> Any:
    """A tensor of one axis at most as a vector: one of no axes is one element. An argument of open rank is guarded to be one."""
    known, given = rank(x), assumptions()
    if known == 1 or (known is None and given is not None and type(x) is Value and given.rank(x, 1)):
        return x
    require(call, x, "<=", 1)
    return ops.reshape(x, (-1,))


def alike(call: str, lift: Callable[..., Any], *places: int) -> Callable[..., Any]:
    """The lift of a call whose arguments at these places have one rank."""

    @functools.wraps(lift)
    def checked(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        first, *rest = [given[at] for at in places if at < len(given)]
        for x in rest:
            require_alike(call, first, x)
        return lift(*args, **kwargs)

    return checked


def require_alike(call: str, a: Any, b: Any) -> None:
    """Hold the ranks of two tensors against each other."""
    ranks = rank(a), rank(b)
    if a is b:
        return
    if None not in ranks:
        if ranks[0] != ranks[1]:
            raise ShapeError(f"{call} takes tensors of one rank, and gets {ranks[0]} and {ranks[1]} axes")
    elif assumptions() is not None and type(a) is type(b) is Value:
        check_rank(a, "==", ops.rank(b), f"{call}: tensors of one rank")


def known_alike(call: str, *tensors: Any, sizes: bool = False, numbers: bool = True) -> None:
    """Raises ShapeError where two of these are known to have other ranks, or with `sizes` other shapes; `numbers`: tensors of no
    axes stand beside any."""
    known = [dims for dims in map(_dims, tensors) if dims is not None and (dims or not numbers)]
    for dims in known[1:]:
        if never_meet(dims, known[0]) if sizes else len(dims) != len(known[0]):
            what = "shape" if sizes else "rank"
            raise ShapeError(
                f"{call} takes tensors of one {what}, and gets {known[0]} and {dims}", hint="expand them first"
            )


def of_one_shape(call: str, x: Any, other: Any) -> None:
    """Hold the shapes of two tensors against each other, of which a function takes the elements pair by pair. Raises ShapeError
    where they are known to be others; where that is open, the source checks it."""
    dims, others = _dims(x), _dims(other)
    what = f"{call}: tensors of one shape"
    if None not in (dims, others) and len(dims) != len(others):
        raise ShapeError(f"{what}, not of {dims} and {others}")
    if x is not other and not (None not in (dims, others) and _equal(what, dims, others)):
        alike_in(what, slice(None), x, other)


def of_one_size(call: str, x: Any, axis: int, other: Any, place: int) -> None:
    """Hold the size of an axis against that of another tensor's, as `of_one_shape` does."""
    _of_sizes(f"{call}: axes of one size", x, axis, "==", other, place)


def no_larger(call: str, x: Any, other: Any, axis: int) -> None:
    """Hold the size of an axis against that of another tensor's, of which a function takes no more, as `of_one_shape` does
    where their dims are not known at all."""
    _of_sizes(f"{call}: no more elements along an axis", x, axis, "<=", other, axis)


def _of_sizes(what: str, x: Any, axis: int, sign: str, other: Any, place: int) -> None:
    given = list(zip((x, other), (axis, place), map(_dims, (x, other))))
    for _, at, dims in given:
        if dims is not None and not -len(dims) <= at < len(dims):
            raise ShapeError(f"{what}, and there is no axis {at} in {dims}")
    a, b = (None if dims is None else dims[at] for _, at, dims in given)
    found = None if a is None or b is None else compared(sign, a, b)
    if found is False:
        raise ShapeError(f"{what}, not {a} and {b}")
    if found is None and assumptions() is not None and (sign == "==" or None in (a, b)):
        sizes = [size if isinstance(size, int) else ops.size(v, at) for (v, at, _), size in zip(given, (a, b))]
        ops.check(host(sign, *sizes), what, "ValueError")


def spread(call: str, x: Any, other: Any) -> Any:
    """`other`, which a function takes element by element beside x, and which is spread over it, not x over it. Raises ShapeError
    where it is known to be larger; where that is open, the source spreads it."""
    dims, others = _dims(x), _dims(other)
    if dims is not None and others is not None:
        what = f"{call}: an array that is spread over another one of shape {dims}"
        if len(others) > len(dims):
            raise ShapeError(f"{what}, not one of {others}")
        fits = [(size, own) for size, own in zip(others[::-1], dims[::-1]) if size != 1]
        if not fits or _equal(what, *zip(*fits)):
            return other
    return ops.broadcast_to(other, lookup("shape")(x)) if assumptions() is not None else other


def _dims(x: Any) -> Any:
    """The dims of a tensor where the capture knows them; those of a parameter are known by its data."""
    found = _seen.type_of(x).dims
    return getattr(parameter_data(x), "shape", None) if found is None else found


def _equal(what: str, sizes: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether sizes are known to be equal, pair by pair. Raises ShapeError where two are known not to be."""
    found = [None if None in pair else same(*pair) for pair in zip(sizes, others)]
    if False in found:
        raise ShapeError(f"{what}, not of {sizes} and {others}")
    return None not in found


def alike_in(what: str, part: slice, x: Any, other: Any) -> None:
    """Let the source hold a part of two open shapes against each other."""
    if assumptions() is not None:
        shapes = [
            host("getitem", lookup("shape")(v), part) if part != slice(None) else lookup("shape")(v) for v in (x, other)
        ]
        ops.check(host("==", *shapes), what, "ValueError")


def reaches(call: str, x: Any, axis: int, positions: Iterable[int]) -> None:
    """Hold positions against the size of an axis. Raises ShapeError where one is known to lie beyond it; else the source checks it."""
    needed = max((at + 1 if at >= 0 else -at for at in positions), default=0)
    size = _seen.size_of(x, axis)
    if isinstance(size, int):
        if size < needed:
            raise ShapeError(
                f"{call} takes positions within the axis, of size {size}, and gets one that needs {needed}"
            )
    elif needed and assumptions() is not None:
        ops.check(host(">=", ops.size(x, axis), needed), f"{call}: positions beyond the axis", "IndexError")


def not_one(call: str, x: Any, axis: int) -> None:
    """Let it be known whether the size of an axis but the last is 1, of which a function makes something of fewer axes. Raises
    OpenShape where that is open, and tells from which size on it is not."""
    size = _seen.size_of(x, axis)
    if (rank(x) or 0) <= axis + 1 or isinstance(size, int):
        return
    least = None if size is None else bounds(size)[0]
    if least is None or least < 2:
        why = f"{call} needs to know whether axis {axis} has the size 1"
        raise OpenShape(why, within=None if size is None else reaching(size, 2))


def is_one_size(call: str, a: Any, b: Any) -> bool:
    """Whether two sizes are one, which tells a stack of vectors from a matrix. Raises OpenShape where that hangs on the call."""
    if a is not None and a == b:
        return True
    if not (isinstance(a, int) and isinstance(b, int)):
        raise OpenShape(f"{call} needs the sizes of its arguments, which tell vectors from a matrix")
    return False


def fills(call: str, src: Any, op: OpDef, *args: Any) -> None:
    """Raises ShapeError where a tensor is known to have another shape than the part that an op takes of another one, in whose place
    a function puts it."""
    dims = getattr(src.type, "dims", None) if type(src) is Value else None
    if dims is None or any(type(leaf) is Value and (leaf.type is None or not leaf.is_tensor) for leaf in leaves(args)):
        return
    try:
        part = infer(op, tree_map(lambda leaf: leaf.type if type(leaf) is Value else leaf, args), "torch")[0].dims
    except RAISED:
        return
    if part is not None and never_meet(part, dims):
        raise ShapeError(f"{call} puts {dims} in a place of shape {part}", hint="expand it first")
