"""Iterators that have begun to go over a list: Python counts its items, and what stands for items of which it is open how many there are
is one."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

from gfx_ir.errors import UnsupportedConstruct

from ..interfaces import Capturing
from .rows import Lazy, called, holds_rows

_FORWARD: type = type(iter([]))
_BACKWARD: type = type(reversed([]))


def items_of(tracer: Capturing, items: list) -> Iterator[Any]:
    """The items of a list one by one, as Python's loops take them: also those that are appended on the way."""
    begun = iter(items)
    for item in begun:
        yield item
        check_begun(tracer, begun)


def check_begun(tracer: Capturing, iterator: Any) -> None:
    """Raises where a list that an iterator has begun to go over was made longer or shorter, and a test on captured data decides by
    how much."""
    waiting, met = [iterator] if tracer.record.filled else [], set[int]()
    while waiting:
        item = waiting.pop()
        if id(item) in met:
            continue
        met.add(id(item))
        if type(item) in (_FORWARD, _BACKWARD):
            _check_list(tracer, item)
        elif type(item) is Lazy:
            waiting.append(item.rest)
        elif hasattr(type(item), "__next__"):
            inner = gc.get_referents(item)
            waiting += [*inner, *(x for group in inner if type(group) is tuple for x in group)]


def _check_list(tracer: Capturing, iterator: Any) -> None:
    held = next((x for x in gc.get_referents(iterator) if type(x) is list), None)  # None: it is at its end
    if held is None or not holds_rows(held) or (type(iterator) is _FORWARD and not iterator.__reduce__()[2]):
        return
    raise refusal(tracer, held)


def refusal(tracer: Capturing, items: list) -> UnsupportedConstruct:
    """The error of going on over a list that has changed."""
    what = f"GFX cannot convert this loop or iterator: {called(items, tracer.site)!r}, which it goes over, has changed on the way"
    return tracer.error(what, "go over a copy of it: list(…)")
