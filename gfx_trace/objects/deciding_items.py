"""What goes over items until one decides, any, all and `in`: those behind it are left where they are, unless what they are writes nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import GeneratorType
from typing import Any

from gfx_ir import ops
from gfx_ir.graph import Value

from ..interfaces import Capturing
from ..python.attempts import Mark, attempt
from ..python.best import of_one_axis
from ..python.iteration import is_iterator
from ..python.listed import ListedItems
from ..python.open_iterables import Mapped, at_its_turn, is_open_iterable
from ..python.rows import rows_of, turns_of
from ..python.sequences import folded, is_shape
from ..values.proxy import Proxy, is_open
from .overloaded import operate

_MOST = 1000
"""How many items of an iterator stand under tests, each within that of the one before: one without an end is none for that."""


class Writes(Exception):
    """What was computed ahead of its turn wrote something."""


def any_all(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """any(x), all(x)."""
    source = args[0] if type(args[0]) is GeneratorType else turns_of(tracer.overloading.iterable(args[0]))
    if type(source) is Mapped:
        return _of_mapped(tracer, f, source)
    source = ahead(tracer, source)
    if is_shape(source):
        return folded(tracer, f.__name__, source)
    if isinstance(source, Proxy):
        of_one_axis(tracer, source, f.__name__)
        return tracer.wrap(ops.to_bool(getattr(ops, f.__name__)(source.read(), 0)), source.backend)
    if type(source) is ListedItems:
        joined = tracer.truths.and_ if f is all else tracer.truths.or_
        return tracer.loops.fold(
            source, lambda found, item: joined(found, [lambda: tracer.truths.bool_(item)]), f is all, "found"
        )
    return first_that(tracer, f, source, None)


def _of_mapped(tracer: Capturing, f: Any, source: Mapped) -> Any:
    """any (all) of what a function makes of items: of all at once, unless it writes, as it does for none behind the one that decides."""
    items = ahead(tracer, source.source)
    of_all = lambda: any_all(tracer, f, (tracer.loops.map_(source.function, items),), {})
    try:
        return attempt(tracer, lambda mark: unwritten(tracer, mark, of_all()))
    except Writes:
        joined = tracer.truths.and_ if f is all else tracer.truths.or_
        holds = lambda item: tracer.truths.bool_(source.function(item))
        return tracer.loops.fold(items, lambda found, item: joined(found, [lambda: holds(item)]), f is all, "found")


def ahead(tracer: Capturing, source: Any) -> Any:
    """What is gone over until an item decides: where it makes items at their turns, all of them. Raises where that writes, as it does
    for none behind the one that decides."""
    if not at_its_turn(source):
        return source
    site = tracer.site
    try:
        return rows_of(attempt(tracer, lambda mark: unwritten(tracer, mark, tracer.loops.map_(lambda x: x, source))))
    except Writes:
        tracer.site = site
        what = "it goes over what writes as it makes items, and data decides how far"
        raise tracer.error(f"GFX cannot convert this test: {what}", "make a list of its items first") from None


def first_that(tracer: Capturing, f: Any, source: Any, each: Callable[[Any], Any] | None) -> Any:
    """any (all) of each(item) for the items of a source: those behind the one that decides are left where they are."""
    items = tracer.iteration.steps(source)
    for item in items:
        value = item if each is None else each(item)
        if any(tracer.overloading.own_method(value, name) for name in ("__bool__", "__len__")):
            value = tracer.truths.bool_(value)  # asked once
        test = tracer.truths.truth(value)
        if isinstance(test, Value):
            rest = _ahead(tracer, source, items, each)
            joined = (tracer.truths.and_ if f is all else tracer.truths.or_)(_asked(tracer, value), rest)
            return tracer.truths.not_(tracer.truths.not_(joined))
        if test is (f is any):
            return test
    return f is all


def _ahead(
    tracer: Capturing, source: Any, items: Iterator[Any], each: Callable[[Any], Any] | None
) -> list[Callable[[], Any]]:
    """The values of the items that are left, as functions: whether they are asked for hangs on data. What writes nothing is computed
    now, other values where they are asked for."""
    others = left(tracer, source, items)
    if each is None:
        return [lambda item=item: _asked(tracer, item) for item in others]
    try:
        values = attempt(tracer, lambda mark: unwritten(tracer, mark, [each(item) for item in others]))
    except Exception:  # one that is not asked for may raise
        return [lambda item=item: _asked(tracer, each(item)) for item in others]
    return [lambda value=value: _asked(tracer, value) for value in values]


def left(tracer: Capturing, source: Any, items: Iterator[Any]) -> list[Any]:
    """The items of a source that are left, of which data decide how many are taken."""
    if not is_iterator(source):
        return list(items)
    found: list[Any] | None = None
    with suppress(Writes):
        found = attempt(tracer, lambda mark: unwritten(tracer, mark, list(itertools.islice(items, _MOST + 1))))
    tracer.iteration.doubt(source)
    if found is not None and len(found) > _MOST:
        what = f"data decides how far it goes over an iterator, of which more than {_MOST} items are left"
        raise tracer.error(f"GFX cannot convert this test: {what}", "go over a list or a range")
    if found is None:
        what = f"it goes over a {type(source).__name__} that writes, and data decides how far"
        raise tracer.error(f"GFX cannot convert this test: {what}", "make a list of its items first")
    return found


def _asked(tracer: Capturing, value: Any) -> Any:
    """What stands for a value of which the truth alone is asked: two sides of a test have truths in common, whatever they hold."""
    return value if is_open(value) else tracer.truths.bool_(value)


def unwritten(tracer: Capturing, mark: Mark, found: Any) -> Any:
    """What was computed since the mark. Raises Writes where that wrote to anything, or has an effect."""
    if tracer.journal.frames[-1] or any(map(tracer.raising.acts, mark.nodes())):
        raise Writes
    return found


def found_in(tracer: Capturing, source: Any, item: Any) -> Any:
    """item in source, an iterator or what is of open length."""
    same = lambda other: other is item or tracer.truths.bool_(operate(tracer, "eq", other, item))
    if is_open_iterable(source):
        return tracer.loops.fold(
            source, lambda found, other: tracer.truths.or_(found, [lambda: same(other)]), False, "found"
        )
    return first_that(tracer, any, source, same)
