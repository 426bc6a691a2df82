"""Arrangements that leave batch and channels alone: what their arguments are where channels lie last."""

from __future__ import annotations

from typing import Any

from .. import host
from ..graph import Node
from ..op import Trait
from .axes import rank_of, to_last


def in_last(node: Node) -> tuple | None:
    """The arguments behind the first one of an op that pads, cuts or shapes places anew, for its first argument with channels
    last; None where it does something else, too."""
    rank, traits = rank_of(node.args[0]), node.op.traits
    if rank is None or rank < 3:
        return None
    if traits & Trait.PADS:
        return _padded(node, rank)
    if traits & Trait.READS_AT:
        return _cut(node, rank)
    return _shaped(node, rank) if traits & Trait.IN_ORDER and _keeps_channels(node) else None


def _padded(node: Node, rank: int) -> tuple | None:
    widths = node.args[1]
    if type(widths) is not tuple or len(widths) > rank:
        return None
    lead = rank - len(widths)
    pairs = ((0, 0),) * lead + widths
    behind = to_last(rank) if lead == 0 else to_last(rank)[1:]  # PyTorch reflects no more axes than it must
    return (tuple([pairs[axis] for axis in behind]), *node.args[2:])


def _cut(node: Node, rank: int) -> tuple | None:
    index = node.args[1] if type(node.args[1]) is tuple else (node.args[1],)
    gaps = [at for at, item in enumerate(index) if item is ...]
    where = gaps[0] if gaps else len(index)
    index = (*index[:where], *(slice(None),) * (rank - len(index) + len(gaps)), *index[where + len(gaps) :])
    if len(index) != rank or not all(type(at) is slice for at in index):
        return None
    return (tuple([index[axis] for axis in to_last(rank)]),)


def _keeps_channels(node: Node) -> bool:
    """Whether the first two axes are what they were, and others stand behind them."""
    before, after = node.args[0].type.dims, getattr(node.value.type, "dims", None)
    return after is not None and len(after) >= 3 and all(host.same(a, b) is True for a, b in zip(before[:2], after))


def _shaped(node: Node, rank: int) -> tuple | None:
    named: dict[str, Any] = dict(zip(node.op.params, node.args))
    if node.op.traits & Trait.MERGES:
        start, end = named["start"], named["end"]
        return (start % rank - 1, end % rank - 1) if type(start) is int and type(end) is int else None
    shape = named.get("shape")
    return ((shape[0], *shape[2:], shape[1]),) if type(shape) is tuple and len(shape) >= 3 else None
