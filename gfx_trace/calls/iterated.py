"""Functions of itertools over what is of open length: loops, as their documentation writes them. Over anything else they stay Python's."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

from gfx_ir.probing import own_attribute

from ..interfaces import Capturing
from ..objects.iterating_calls import can_sift, combine, sifted
from ..python.open_iterables import Combined, Mapped, Stepped, at_its_turn, is_open_iterable
from ..python.rows import Lazy, append_item, holds_rows, rows_of, turns_of
from ..values.access import Access, Stop


def iterated(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """What a function of itertools gives, made when it is asked for; None: f is none of these, or Python goes over its arguments."""
    written = _WRITTEN.get(f) if own_attribute(f, "__module__") == "itertools" else None
    if written is None or not (can_sift(*args) if f in _SIFTING and len(args) == 2 else any(map(_is_open, args))):
        return None
    if f in _AT_ONCE:
        found = written(tracer, *[_taken(tracer, x, rows_of) for x in args], **kwargs)
        return tracer.iteration.made(Lazy(f, lambda: found, lambda: tracer.iteration.steps(found)))

    def turns(calls: bool = True) -> Any:
        sources = [_taken(tracer, x, turns_of) for x in args]
        one_by_one = any(map(at_its_turn, sources)) or (calls and any(map(callable, (*args, *kwargs.values()))))
        return (_AT_TURNS[f] if one_by_one else written)(tracer, *sources, **kwargs)

    def whole() -> Any:
        found = turns(calls=False)
        return tracer.loops.map_(lambda item: item, found) if at_its_turn(found) else found

    return tracer.iteration.made(Lazy(f, whole, lambda: tracer.iteration.steps(whole()), turns))


def _taken(tracer: Capturing, x: Any, how: Callable[[Any], Any]) -> Any:
    return how(tracer.overloading.iterable(x)) if isinstance(x, (list, tuple, Lazy)) else x


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


# ---------------------------------------------------------------- each item at its turn
def _accumulated_in_turn(tracer: Capturing, source: Any, func: Any = None, *, initial: Any = None) -> Any:
    function, totals = operator.add if func is None else func, tracer.journal.made.note([initial])

    def step(item: Any) -> Any:
        total = tracer.objects.item(totals, 0)
        found = item if total is None else tracer.calls.call(function, (total, item), {})
        tracer.objects.set_item(totals, 0, found)
        return found

    later = Mapped(step, source)
    return later if initial is None else _chained_in_turn(tracer, [initial], later)


def _chained_in_turn(tracer: Capturing, *sources: Any) -> Stepped:
    def take(source: Any, body: Callable[[Any], None], access: Access, stop: Stop | None) -> None:
        tracer.loops.for_(source, body, access, stop, "item")

    return Stepped(sources, take)


def _sliced_in_turn(tracer: Capturing, source: Any, *ends: Any) -> Any:
    itertools.islice((), *ends)  # Python's errors
    start, stop, step = (getattr(slice(*ends), name) for name in ("start", "stop", "step"))
    numbered = Combined("enumerate", (source,)) if stop is None else Combined("zip", (range(stop), source))
    if not start and step in (None, 1):
        return Mapped(lambda pair: pair[1], numbered) if stop is not None else source

    def take(pair: tuple, body: Callable[[Any], None], access: Access, stop: Stop | None) -> None:
        behind = pair[0] - (start or 0)
        kept = tracer.truths.and_(behind >= 0, [lambda: behind % (step or 1) == 0])
        tracer.truths.ifexp(kept, lambda: body(pair[1]), lambda: None, access, "")

    return Stepped(numbered, take)


def _paired_in_turn(tracer: Capturing, source: Any) -> Stepped:
    before = tracer.journal.made.note([None])

    def take(item: Any, body: Callable[[Any], None], access: Access, stop: Stop | None) -> None:
        first = tracer.objects.item(before, 0)
        tracer.objects.set_item(before, 0, item)
        if first is not None:
            body((first, item))

    return Stepped(source, take)


def _refused(tracer: Capturing, test: Any, source: Any) -> Stepped:
    return sifted(tracer, lambda item: tracer.truths.not_(_asked(tracer, test, item)), source)


def _asked(tracer: Capturing, test: Any, item: Any) -> Any:
    return item if test is None else tracer.calls.call(test, (item,), {})


def _while_held(tracer: Capturing, test: Any, source: Any) -> Stepped:
    return sifted(tracer, _so_far(tracer, test), source)


def _behind(tracer: Capturing, test: Any, source: Any) -> Stepped:
    held = _so_far(tracer, test)
    return sifted(tracer, lambda item: tracer.truths.not_(held(item)), source)


def _so_far(tracer: Capturing, test: Any) -> Callable[[Any], Any]:
    """Whether a test holds of an item and of all before it; it is not asked behind the first of which it does not."""
    held = tracer.journal.made.note([True])

    def asked(item: Any) -> Any:
        truth = lambda: tracer.calls.call(bool, (_asked(tracer, test, item),), {})
        found = tracer.truths.and_(tracer.objects.item(held, 0), [truth])
        tracer.objects.set_item(held, 0, found)
        return found

    return asked


_WRITTEN: dict[Any, Callable[..., Any]] = {
    itertools.accumulate: _accumulated,
    itertools.chain: _chained,
    itertools.islice: _sliced,
    itertools.pairwise: _paired,
    itertools.product: _multiplied,
    itertools.takewhile: _while_held,
    itertools.dropwhile: _behind,
    itertools.filterfalse: _refused,
}
"""What gives all items, of the arguments."""
_AT_TURNS: dict[Any, Callable[..., Any]] = {
    itertools.accumulate: _accumulated_in_turn,
    itertools.chain: _chained_in_turn,
    itertools.islice: _sliced_in_turn,
    itertools.pairwise: _paired_in_turn,
    itertools.takewhile: _while_held,
    itertools.dropwhile: _behind,
    itertools.filterfalse: _refused,
}
"""The same where code runs between the items, or makes them."""
_AT_ONCE = frozenset((itertools.product,))
"""Those that take all items where they are called."""
_SIFTING = frozenset((itertools.takewhile, itertools.dropwhile, itertools.filterfalse))
"""Those that ask a test of each item."""
