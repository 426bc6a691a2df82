"""`sum`, `any` and `all` of a generator expression, and `next` of one that filters: folds. Neither a filter on data nor an open number
of items hinders them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gfx_ir.graph import Value

from ..interfaces import Capturing
from ..objects.deciding_items import Writes, ahead, first_that, left, unwritten
from ..python.attempts import attempt
from ..python.open_iterables import Combined, Stepped
from ..values.access import Access, Stop
from ..values.proxy import Undefined
from .builtin_calls import total_of

_FOUND, _FIRST = ".found", ".first"
_NAMES = {sum: "total", any: "found", all: "holds"}


class Fold:
    """f(each(item) for item in iterable if keeps(item)); `access`: to the variables that its parts assign."""

    def __init__(
        self,
        tracer: Capturing,
        f: Any,
        each: Callable[[Any], Any],
        keeps: Callable[[Any], Any] | None,
        access: Access,
    ) -> None:
        self.tracer, self.f, self.each, self.keeps, self.access = tracer, f, each, keeps, access

    def __call__(self, iterable: Any, target: Any, start: tuple) -> Any:
        """The rows of a tensor at once where none is left out, else a loop."""
        tracer = self.tracer
        iterable = ahead(tracer, iterable) if self.f in (any, all) else iterable
        source = None if isinstance(iterable, range) else tracer.loop_sources.loop_source(iterable)
        rows = source is None or any(isinstance(item, Value) for item in source.items)
        open_ = source is not None or isinstance(iterable, (Combined, Stepped))
        if self.f is next:
            first = partial(self._first_open, target, source is None) if open_ else self._first
            return first(iterable, *start)
        if not open_ and self.f is not sum:
            return first_that(tracer, self.f, iterable, self._value)
        if self.keeps is None and rows:
            of_rows = lambda: tracer.calls.call(self.f, (self._each(iterable, target), *start), {})
            before = self.access.get()
            try:
                return of_rows() if self.f is sum else attempt(tracer, lambda mark: unwritten(tracer, mark, of_rows()))
            except Writes:  # which no item does behind the one that decides
                self.access.set(before)
        step = {sum: self._added, any: self._any, all: self._all}[self.f]
        return tracer.loops.fold(iterable, step, start[0] if start else self.f(()), _NAMES[self.f], target, self.access)

    def _first(self, source: Any, *default: Any) -> Any:
        """The first item that the filter keeps: the others are left where they are."""
        tracer = self.tracer
        items = tracer.iteration.steps(source)
        for item in items:
            test = tracer.truths.truth(self._kept(item))
            if isinstance(test, Value):
                behind = partial(self._first, left(tracer, source, items), *default)
                return tracer.regions.branch(test, partial(self.each, item), behind, self.access)
            if test:
                return self.each(item)
        return self._none_kept(*default)

    def _first_open(self, target: Any, bounded: bool, iterable: Any, *default: Any) -> Any:
        """The same of an open number of items: a loop that ends where one is kept. `bounded`: it runs trip by trip, and a test in each
        tells what there is behind it."""
        tracer, access = self.tracer, self.access
        if bounded and not default:
            what = "GFX cannot convert this call of next(): data decide whether there is an item, beside a list that bounds how many there are"
            raise tracer.error(what, "give what it is where there is none: next(…, default)")
        found = [False, default[0] if bounded else Undefined("the first item")]

        def take(item: Any) -> None:
            found[:] = True, self.each(item)

        def body(item: Any) -> None:
            tracer.truths.ifexp(self._kept(item), lambda: take(item), lambda: None, access, "")

        for at, name in enumerate((_FOUND, _FIRST)):
            access = access.beside(name, partial(found.__getitem__, at), partial(found.__setitem__, at))
        tracer.loops.for_(iterable, body, access, Stop(lambda: found[0], (_FOUND,), (_FIRST,)), target)
        if bounded:
            return found[1]
        return tracer.truths.ifexp(found[0], lambda: found[1], lambda: self._none_kept(*default), self.access)

    def _none_kept(self, *default: Any) -> Any:
        if not default:
            raise self.tracer.raising.error(StopIteration(), None)
        return default[0]

    def _kept(self, item: Any) -> Any:
        assert self.keeps is not None
        return self.keeps(item)

    def _each(self, iterable: Any, target: Any) -> Any:
        """What each item adds; of any (all) its truth, so that none is none where the code knows no type of an item."""
        each = self.each if self.f is sum else lambda item: self.tracer.truths.bool_(self.each(item))
        return self.tracer.loops.map_(each, iterable, target, self.access)

    def _value(self, item: Any) -> Any:
        """What one item adds to any (all)."""
        if self.keeps is None:
            return self.each(item)
        if self.f is any:
            return self._holds(item, self.tracer.truths.and_, self.keeps)
        return self._holds(item, self.tracer.truths.or_, self._left_out)

    def _left_out(self, item: Any) -> Any:
        return self.tracer.truths.not_(self._kept(item))

    def _added(self, total: Any, item: Any) -> Any:
        more = lambda: total_of(self.tracer, total, [self.each(item)])
        return (
            more()
            if self.keeps is None
            else self.tracer.truths.ifexp(self.keeps(item), more, lambda: total, self.access)
        )

    def _any(self, found: Any, item: Any) -> Any:
        return self.tracer.truths.or_(
            found, [lambda: self._holds(item, self.tracer.truths.and_, self.keeps)], self.access
        )

    def _all(self, holds: Any, item: Any) -> Any:
        left_out = None if self.keeps is None else self._left_out
        return self.tracer.truths.and_(
            holds, [lambda: self._holds(item, self.tracer.truths.or_, left_out)], self.access
        )

    def _holds(self, item: Any, joined: Callable[..., Any], first: Callable[[Any], Any] | None) -> Any:
        """The truth of one item, with that of the filter before it."""
        if first is None:
            return self.tracer.truths.bool_(self.each(item))
        return self.tracer.truths.bool_(joined(first(item), [lambda: self.each(item)], self.access))
