"""Functions of itertools over what is of open length: loops, as their documentation writes them. Over anything else they stay Python's."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

from gfx_ir.probing import own_attribute

from ..interfaces import Capturing
from ..objects.iterating_calls import combine
from ..python.open_iterables import is_open_iterable
from ..python.rows import Lazy, append_item, holds_rows, rows_of


def iterated(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """What a function of itertools gives, made when it is asked for; None: f is none of these, or Python goes over its arguments."""
    written = _WRITTEN.get(f) if own_attribute(f, "__module__") == "itertools" else None
    if written is None or not any(_is_open(x) for x in args):
        return None

    def whole() -> Any:
        sources = [rows_of(tracer.overloading.iterable(x)) if isinstance(x, (list, tuple, Lazy)) else x for x in args]
        return written(tracer, *sources, **kwargs)

    found = whole() if f in _AT_ONCE else None
    made = whole if found is None else lambda: found
    return tracer.iteration.made(Lazy(f, made, lambda: tracer.iteration.steps(made())))


def _is_open(x: Any) -> bool:
    """Whether a loop over an argument is staged: lists are looked at again when the items are asked for, as they may grow before that."""
    return is_open_iterable(x) or (isinstance(x, (list, tuple)) and holds_rows(x))


def _accumulated(tracer: Capturing, source: Any, func: Any = None, *, initial: Any = None) -> list[Any]:
    function, outs = operator.add if func is None else func, tracer.journal.made.note([])
    outs += [] if initial is None else [initial]

    def step(total: Any, item: Any) -> Any:
        found = item if total is None else tracer.calls.call(function, (total, item), {})
        append_item(tracer, outs, found)
        return found

    tracer.loops.fold(source, step, initial, "total")
    return outs


def _chained(tracer: Capturing, *sources: Any) -> list[Any]:
    outs: list[Any] = tracer.journal.made.note([])
    for source in sources:
        tracer.calls.call(outs.extend, (tracer.calls.call(list, (source,), {}),), {})
    return outs


def _sliced(tracer: Capturing, source: Any, *ends: Any) -> Any:
    itertools.islice((), *ends)  # Python's errors
    return tracer.objects.item(tracer.calls.call(list, (source,), {}), slice(*ends))


def _paired(tracer: Capturing, source: Any) -> Any:
    items = tracer.calls.call(list, (source,), {})
    return rows_of(combine(tracer, zip, (items, tracer.objects.item(items, slice(1, None))), {}))


def _multiplied(tracer: Capturing, *sources: Any, repeat: int = 1) -> Any:
    def tuples(before: tuple, left: tuple) -> Any:
        first, *others = left
        if not others:
            return tracer.loops.map_(lambda item: (*before, item), first)
        return tracer.loops.flat(lambda item: tuples((*before, item), tuple(others)), None, first)

    return tuples((), sources * repeat) if repeat else [()]


_WRITTEN: dict[Any, Callable[..., Any]] = {
    itertools.accumulate: _accumulated,
    itertools.chain: _chained,
    itertools.islice: _sliced,
    itertools.pairwise: _paired,
    itertools.product: _multiplied,
}
"""What gives all items, of the arguments."""
_AT_ONCE = frozenset((itertools.product,))
"""Those that take all items where they are called."""
