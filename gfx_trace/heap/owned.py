"""Which containers a region made for itself: nothing outside of it refers to them, so writes to them need not be undone."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any

from ..values.proxy import Proxy
from .contents import children, has_attributes, row_of

WRITABLE = ("attribute", "item", "contents")
_OWNED = (*WRITABLE, "cell")


def owned(slots: Iterable[Any], *roots: Iterable[Any]) -> dict[int, Any]:
    """The written and left objects that are referred to by their slots and by what the region leaves (`roots`) alone, by id; each
    item of a root counts for one reference.

    Called when the code of the region has returned, and its variables are what they were before.
    """
    written: dict[int, Any] = {}
    held: Counter[int] = Counter()
    for slot in slots:
        if slot.kind in _OWNED:
            written[id(slot.object)] = slot.object
            held[id(slot.object)] += 1
    for root in roots:
        _count(root, written, held)
    slot = root = None  # type: ignore[assignment]  # no name holds one while references are counted
    found: set[int] = set()
    while fresh := {i for i in written if i not in found and sys.getrefcount(written[i]) - 2 <= held[i]}:
        found |= fresh
        for i in fresh:
            _count(_children(written[i]), written, held)
    return {i: written[i] for i in found}


def _count(items: Iterable[Any], written: dict[int, Any], held: Counter[int]) -> None:
    """Note what is referred to by something of the region's own."""
    for item in items:
        held[id(item)] += 1
        kind = type(item)
        if (
            issubclass(kind, tuple)
            or row_of(kind) is not None
            or (has_attributes(item) and not issubclass(kind, _SHARED))
        ):
            written[id(item)] = item


_SHARED = (type, FunctionType, ModuleType, Proxy)
"""What has attributes, and holds no variables of the region's."""


def _children(item: Any) -> list[Any]:
    return [item.cell_contents] if isinstance(item, CellType) else children(item)
