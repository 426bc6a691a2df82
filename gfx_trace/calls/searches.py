"""Searches of lists and tuples for data: how often an item is there, and where first. Python's own compare in C, by truths at hand."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from gfx_ir.probing import own_attribute
from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..objects.iterating_calls import combine
from ..objects.overloaded import operate
from ..python.checks import checked
from ..python.rows import holds_rows, rows_of
from ..values.access import NOTHING
from ..values.proxy import is_open
from .folds import Fold

_METHODS_IN_C = (types.BuiltinFunctionType, types.MethodDescriptorType)


def searched(f: Any, args: tuple) -> Callable[[Capturing], Any] | None:
    """What `count` or `index` of a list or tuple gives where data decide it; None: f is none of them."""
    if not isinstance(f, _METHODS_IN_C) or f.__name__ not in _SEARCHES:
        return None
    owner = own_attribute(f, "__self__")
    items, *sought = args if owner is None else (owner, *args)
    if type(items) not in (list, tuple) or len(sought) != 1:
        return None
    if not holds_rows(items) and not any(map(is_open, leaves((items, *sought)))):
        return None
    search = _SEARCHES[f.__name__]
    return lambda tracer: search(tracer, items, sought[0])


def _same(tracer: Capturing, item: Any, sought: Any) -> Any:
    return item is sought or tracer.truths.bool_(operate(tracer, "eq", item, sought))


def _count(tracer: Capturing, items: Any, sought: Any) -> Any:
    return tracer.loops.fold(rows_of(items), lambda count, item: count + _same(tracer, item, sought), 0, "count")


def _index(tracer: Capturing, items: Any, sought: Any) -> Any:
    first = Fold(tracer, next, lambda pair: pair[0], lambda pair: _same(tracer, pair[1], sought), NOTHING)
    found = first(rows_of(combine(tracer, enumerate, (items,), {})), ("at", "item"), (-1,))
    checked(tracer, found >= 0, f"{type(items).__name__}.index(x): x not in {type(items).__name__}", "ValueError")
    return found


_SEARCHES = {"count": _count, "index": _index}
