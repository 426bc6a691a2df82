"""Which containers a region made for itself: nothing outside of it refers to them, so writes to them need not be undone."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from types import CellType
from typing import Any

from .contents import children

WRITABLE = ("attribute", "item", "contents")
_OWNED = (*WRITABLE, "cell")


def owned(slots: Iterable[Any], *roots: tuple) -> set[int]:
    """Ids of the written and left objects that are referred to by their slots and by what the region leaves (`roots`) alone.

    Called when the code of the region has returned, and its variables are what they were before.
    """
    written: dict[int, Any] = {}
    held: Counter[int] = Counter()
    for slot in slots:
        if slot.kind in _OWNED:
            written[id(slot.object)] = slot.object
            held[id(slot.object)] += 1
    for root in roots:
        held.update(id(item) for item in root)
        written.update((id(item), item) for item in root if type(item) in (list, dict))
    if not written:
        return set()
    stack = [item for root in roots for item in root if isinstance(item, tuple)]
    while stack:  # tuples cannot be written: what they hold is left by the region as well
        item = stack.pop()
        held.update(id(inner) for inner in item)
        stack += [inner for inner in item if isinstance(inner, tuple)]
        written.update((id(inner), inner) for inner in item if type(inner) in (list, dict))
    item = root = slot = None  # type: ignore[assignment]  # no name holds one while references are counted
    found: set[int] = set()
    for _ in range(len(written)):
        fresh = {i for i in written if i not in found and sys.getrefcount(written[i]) - 2 <= held[i]}
        if not fresh:
            break
        found |= fresh
        for i in fresh:
            held.update(_children(written[i]))
    return found


def _children(item: Any) -> list[int]:
    if isinstance(item, CellType):
        return [id(item.cell_contents)]
    return [id(inner) for inner in children(item)]
