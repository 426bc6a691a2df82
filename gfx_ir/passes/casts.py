"""Casts: one to the dtype that a value has goes, and of two in a row the first, where it loses nothing."""

from __future__ import annotations

import numpy as np

from ..dtypes import DType
from ..graph import Node, Value
from ..op import Trait
from .sweep import LocalPass, known_type


class Casts(LocalPass):
    """Eliminates casts that change no value. It needs types: bind and infer the program first."""

    name = "casts"

    def rule(self, kept: set[Value], node: Node) -> tuple | None:
        return _needless(kept, node)

    def after(self, kept: set[Value], node: Node) -> bool:
        return _past_a_wider_one(kept, node)


def _needless(kept: set[Value], node: Node) -> tuple | None:
    if not _is_cast(node) or node.args[0] in kept or node.value in kept:
        return None
    for x in (node.args[0], _below_a_wider_one(kept, node)):
        found = known_type(x)
        if found is not None and found.dtype == node.args[1]:
            return (x,)
    return None


def _past_a_wider_one(kept: set[Value], node: Node) -> bool:
    """astype(astype(x, wider), d) is astype(x, d); where x has that dtype, it is memory of its own, which x is not."""
    x = _below_a_wider_one(kept, node) if _is_cast(node) else None
    found = known_type(x)
    if found is None or found.dtype == node.args[1]:
        return False
    node.set_args((x, *node.args[1:]))
    return True


def _below_a_wider_one(kept: set[Value], node: Node) -> Value | None:
    """What a cast of a cast is of, where the first one loses nothing."""
    inner = node.args[0].node
    if not _is_cast(inner) or inner.args[0] in kept:
        return None
    found = known_type(inner.args[0])
    keeps = found is not None and found.dtype is not None and _keeps(found.dtype, inner.args[1])
    return inner.args[0] if keeps else None


def _is_cast(node: Node) -> bool:
    good = bool(node.op.traits & Trait.CASTS) and not node.in_place
    return good and type(node.args[0]) is Value and type(node.args[1]) is DType


def _keeps(narrow: DType, wide: DType) -> bool:
    """Whether every value of one dtype is one of the other, of the same kind: a float must not become an integer on the way."""
    same_kind = narrow.kind == wide.kind or (narrow.kind, wide.kind) in (("u", "i"), ("b", "i"), ("b", "u"))
    return same_kind and narrow.bits <= wide.bits and bool(np.can_cast(narrow.numpy, wide.numpy))
