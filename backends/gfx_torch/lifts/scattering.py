"""Calls that write, add up or read elements at positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops

from .. import kinds
from ..lifting import ask_rank, dtype_like, is_number, known_rank, names, refuse, shape_of


def put(input: Any, index: Any, source: Any, accumulate: Any = False) -> Any:
    """x.flatten()[index] = source, or += source."""
    values = ops.reshape(source, shape_of(index))
    return ops.reshape(ops.index_put(ops.flatten(input), (index,), values, accumulate), shape_of(input))


_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def _as_vectors(fn: Callable[..., Any]) -> Callable[..., Any]:
    """fn(input, indices, updates) for tensors of no axes too, as vectors of one element."""

    def call(input: Any, indices: Any, updates: Any) -> Any:
        whole = known_rank(input) == 0
        input, indices, updates = (
            ops.reshape(v, (1,)) if not is_number(v) and known_rank(v) == 0 else v for v in (input, indices, updates)
        )
        out = fn(input, indices, updates)
        return ops.reshape(out, ()) if whole else out

    return call


def scatter_reduce(input: Any, dim: Any, index: Any, src: Any, reduce: Any, *, include_self: Any = True) -> Any:
    """Updates combined at positions along an axis."""
    if reduce not in _REDUCTIONS:
        refuse(f"torch.scatter_reduce knows no reduction {reduce!r}", f"it knows {', '.join(_REDUCTIONS)}")
    if known_rank(input) and 0 in (getattr(index.type, "dims", None) or ()):
        return ops.copy(input)
    if reduce == "sum" and include_self is True:
        return _as_vectors(lambda x, i, u: ops.scatter(x, i, u, dim, "add"))(input, index, src)
    return _as_vectors(lambda x, i, u: ops.scatter_reduce(x, i, u, dim, reduce, include_self))(input, index, src)


_NAMED = {"add": "sum", "multiply": "prod"}


def scatter(input: Any, dim: Any, index: Any, src: Any = None, value: Any = None, *, reduce: Any = None) -> Any:
    """Updates written, added or multiplied at positions along an axis."""
    updates = src if value is None else value
    if reduce is not None:
        if reduce not in _NAMED:
            refuse(f"torch.scatter knows no reduction {reduce!r}", "it knows add and multiply")
        return scatter_reduce(input, dim, index, updates, _NAMED[reduce])
    if 0 in (getattr(index.type, "dims", None) or ()):
        return ops.copy(input)
    return _as_vectors(lambda x, i, u: ops.scatter(x, i, u, dim))(input, index, updates)


def scatter_add(input: Any, dim: Any, index: Any, src: Any) -> Any:
    """Updates added at positions along an axis."""
    return scatter_reduce(input, dim, index, src, "sum")


def gather(input: Any, dim: Any, index: Any, *, sparse_grad: Any = False) -> Any:
    """Elements at positions along an axis."""
    if 0 in (getattr(index.type, "dims", None) or ()):
        return ops.zeros(index.type.dims, dtype=dtype_like(input))
    if known_rank(input) == 0 or known_rank(index) == 0:
        vectors = (ops.reshape(v, (1,)) if known_rank(v) == 0 else v for v in (input, index))
        out = ops.gather(*vectors, dim)
        return ops.reshape(out, ()) if known_rank(index) == 0 else out
    return ops.gather(input, index, dim)


def index_reduce(input: Any, dim: Any, index: Any, source: Any, reduce: Any, *, include_self: Any = True) -> Any:
    """Slices of source combined at positions along an axis."""
    if known_rank(source) == 0:
        source = ops.reshape(source, (1,))
    rank = ask_rank(source, 1, "torch.index_reduce")
    if rank == 1:
        kinds.check("torch.index_reduce of one axis", [input], "uif")
    index = ops.reshape(index, (-1,)) if known_rank(index) == 0 else index
    others = tuple(a for a in range(rank) if a != dim % rank)
    rows = ops.broadcast_to(ops.expand_dims(index, others) if others else index, shape_of(source))
    if reduce not in _REDUCTIONS[1:]:
        refuse(f"torch.index_reduce knows no reduction {reduce!r}", f"it knows {', '.join(_REDUCTIONS[1:])}")
    return scatter_reduce(input, dim, rows, source, reduce, include_self=include_self)


LIFTS = {names("put"): put, names("index_reduce"): index_reduce}
