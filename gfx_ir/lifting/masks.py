"""Masks of attention that say what it has a word for: that nothing is hidden, or what comes later."""

from __future__ import annotations

from typing import Any

from .. import host
from ..build import told_content, told_dims
from ..graph import Value
from ..infer.comparisons import everywhere, is_causal


def told_mask(q: Any, k: Any, mask: Any) -> tuple[Any, bool]:
    """A mask of booleans over (..., L, S), or None in its place; and whether query i sees the keys up to i instead."""
    held = told_content(mask)
    if everywhere(held):
        return None, False
    if not is_causal(held):
        return mask, False
    found, queries, keys = (told_dims(x) if type(x) is Value else None for x in (mask, q, k))
    if found is None or not _same(found[-1], keys):
        return mask, False
    # one row of a square, which may be spread over all queries, hides nothing
    fits = _same(found[-2], queries) or host.same(found[-2], found[-1]) is True
    return (None, True) if fits else (mask, False)


def _same(size: Any, dims: tuple | None) -> bool:
    """Whether an axis of a mask is surely as long as the places are that it tells of, so that it is not spread."""
    return dims is not None and len(dims) > 1 and host.same(size, dims[-2]) is True
