"""Masks of attention that say what it has a word for: that nothing is hidden, or what comes later."""

from __future__ import annotations

import operator
from typing import Any

from .. import host
from ..build import told_content, told_dims
from ..graph import Value
from ..infer.comparisons import everywhere, is_causal


def told_mask(q: Any, k: Any, mask: Any) -> tuple[Any, bool]:
    """A mask of booleans over (..., L, S), or None in its place; and whether query i sees the keys up to i instead. A mask stays where it may
    not fit: what is raised for it is raised."""
    held = told_content(mask)
    hidden = is_causal(held)
    if not hidden and not everywhere(held):
        return mask, False
    found, queries, keys = (told_dims(x) if type(x) is Value else None for x in (mask, q, k))
    if found is None or queries is None or keys is None or not 1 < len(found) <= len(queries):
        return mask, False
    scores = (*queries[:-1], keys[-2])[-len(found) :]
    fits = [host.same(size, wanted) is True for size, wanted in zip(found, scores)]
    spread = [size == 1 for size in found]
    if hidden:  # a place of it is one of the scores
        spread[-2:] = False, False
    return (None, hidden) if all(map(operator.or_, fits, spread)) else (mask, False)
