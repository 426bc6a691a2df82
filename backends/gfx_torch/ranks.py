"""The shapes of the tensors that torch's functions take, where the ops that they become would compute something else of others."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gfx_ir import ops
from gfx_ir.build import assumptions
from gfx_ir.errors import ShapeError
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import never_meet
from gfx_ir.lifting.words import check_rank
from gfx_ir.op import OpDef
from gfx_ir.rules import RAISED, infer
from gfx_ir.trees import leaves

from .lifting import known_rank

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
    rank = known_rank(x)
    if rank is not None:
        if not _COMPARED[sign](rank, count):
            raise ShapeError(f"torch.{call} takes tensors of {_SAID[sign]} {count} axes, and gets one of {rank}")
        return
    given = assumptions()
    if type(x) is not Value or given is None:
        return
    if not (given.axes(x, count) if sign == ">=" else sign == "==" and given.rank(x, count)):
        check_rank(x, sign, count, f"torch.{call}: {_SAID[sign]} {count} axes")


def vector(call: str, x: Any) -> Any:
    """A tensor of one axis at most as a vector: one of no axes is one element. An argument of open rank is guarded to be one."""
    rank, given = known_rank(x), assumptions()
    if rank == 1 or (rank is None and given is not None and type(x) is Value and given.rank(x, 1)):
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
    ranks = known_rank(a), known_rank(b)
    if a is b:
        return
    if None not in ranks:
        if ranks[0] != ranks[1]:
            raise ShapeError(f"torch.{call} takes tensors of one rank, and gets {ranks[0]} and {ranks[1]} axes")
    elif assumptions() is not None and type(a) is type(b) is Value:
        check_rank(a, "==", ops.rank(b), f"torch.{call}: tensors of one rank")


def of_one_shape(call: str, x: Any, other: Any) -> None:
    """Raises ShapeError where two tensors are known to have other shapes, of which a function takes the elements pair by pair."""
    dims, others = (getattr(item.type, "dims", None) if type(item) is Value else None for item in (x, other))
    if dims is not None and others is not None and never_meet(dims, others):
        raise ShapeError(f"torch.{call} takes tensors of one shape, and gets {dims} and {others}")


def fills(call: str, src: Any, op: OpDef, *args: Any) -> None:
    """Raises ShapeError where a tensor is known to have another shape than the part that an op takes of another one, in whose place
    a function puts it."""
    types = [arg.type if type(arg) is Value else arg for arg in args]
    dims = getattr(src.type, "dims", None) if type(src) is Value else None
    if dims is None or any(type(leaf) is Value and not leaf.is_tensor for leaf in leaves(args)):
        return
    try:
        part = infer(op, tuple(types), "torch")[0].dims
    except RAISED:
        return
    if part is not None and never_meet(part, dims):
        raise ShapeError(f"torch.{call} puts {dims} in a place of shape {part}", hint="expand it first")
