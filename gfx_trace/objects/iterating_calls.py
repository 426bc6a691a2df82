"""Python's builtins that go over iterables: what is lazy, and what takes all items."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any

from gfx_ir.probing import own_attribute

from ..heap.aliases import mutable
from ..heap.reads import content_of
from ..interfaces import Capturing
from ..python.checks import checked
from ..python.iteration import is_iterator, runs_code
from ..python.listed import ListedItems
from ..python.open_iterables import Combined, OpenRange, Stepped, at_its_turn, each_of, is_open_iterable, whole_list
from ..python.rows import Lazy, RowIterator, StackedRows, holds_rows, rows_of, turns_of
from ..python.sequences import OpenList, is_shape, open_tuple
from ..values.access import NOTHING, Access, Stop
from ..values.gated import Gated, usable
from ..values.number_rows import rows_kind
from ..values.proxy import HostProxy, Proxy, is_open
from .overloaded import operate


# ---------------------------------------------------------------- lazy
def next_item(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """next(iterator[, default])."""
    if not args or not is_iterator(args[0]):
        usable(*args)
        return f(*args, **kwargs)
    if isinstance(args[0], Lazy) and len(args) == 1:
        return args[0].first()
    try:
        return tracer.iteration.next(args[0])
    except StopIteration:
        if len(args) == 1:
            raise
        return args[1]


def iterator(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """iter(x), iter(function, last)."""
    if len(args) == 2:
        return tracer.iteration.made(_until(tracer, *args))
    x = rows_of(args[0]) if type(args[0]) in (list, tuple) else tracer.arrays.in_graph(args[0])
    if is_iterator(x) or not args:
        return x
    if type(x) is ListedItems or (type(x) is Proxy and type(tracer.host_values.length(x)) is not int):
        return tracer.iteration.made(RowIterator(x, None if x is args[0] else args[0]))
    if not (is_open(x) or hasattr(type(x), "__iter__")):  # it gives its items by their positions, or has none
        x = tracer.overloading.iterable(x)
    return tracer.iteration.made(tracer.host_values.iterate(x) if is_open(x) else iter(x))


def lazily(
    tracer: Capturing,
    kind: type,
    function: Callable[[Any], Any],
    source: Any,
    target: Any = "item",
    access: Access = NOTHING,
) -> Any:
    """What gives function(item) for each item of `source` when it is asked for: an iterator of Python's where Python can go over
    it, else a Lazy; `kind`: what it is in Python; `target`, `access`: as in `Tracer.map_`."""
    stands = type(source) in (list, tuple) and holds_rows(source)
    if not (stands or is_open_iterable(source) or type(source) is Gated):
        return tracer.iteration.made(_each(kind, function, tracer.iteration.steps(source, later=True)))
    whole = lambda: open_tuple(tracer.loops.map_(function, turns_of(source), target, access))
    steps = lambda: _each(kind, function, tracer.iteration.steps(source))
    return tracer.iteration.made(Lazy(kind, whole, steps, lambda: each_of(function, turns_of(source))))


def _each(kind: type, function: Callable[[Any], Any], items: Iterator[Any]) -> Iterator[Any]:
    """function(item) for each item: what stops inside of a generator is an error, and ends any other iterator."""
    return (function(item) for item in items) if kind is GeneratorType else map(function, items)


def _until(tracer: Capturing, function: Any, last: Any) -> Iterator[Any]:
    while True:
        try:
            found = tracer.calls.call(function, (), {})
        except StopIteration:
            return
        if fixed(tracer, operate(tracer, "eq", found, last), "iterator: its last item"):
            return
        yield found


def fixed(tracer: Capturing, test: Any, what: str) -> bool:
    """The truth of a test that decides a length. Raises where it is open."""
    found = tracer.truths.truth(test)
    if isinstance(found, bool):
        return found
    raise tracer.error(
        f"GFX cannot convert this {what} hangs on traced data, so its length would be open", "use where, or a mask"
    )


def combine(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """zip, enumerate, reversed."""
    if f is reversed and (backwards := tracer.overloading.backwards(args[0])) is not None:
        return backwards
    if f is enumerate:
        args, kwargs = (
            (*args[:1], *map(tracer.overloading.position, args[1:])),
            {name: tracer.overloading.position(x) if name == "start" else x for name, x in kwargs.items()},
        )
    first = args[:1] if f is enumerate else args
    parts: tuple[Any, ...] = tuple([part if isinstance(part, Lazy) else _counted(tracer, part) for part in first])
    if f is reversed and rows_kind(parts[0]) and isinstance(tracer.host_values.length(parts[0]), int):
        parts = (list(tracer.host_values.iterate(parts[0])),)  # its items are numbers
    if not any(map(is_open_iterable, parts)) or any(map(runs_code, parts)):
        steps = [tracer.iteration.steps(part, later=True) if is_iterator(part) else part for part in parts]
        return tracer.iteration.made(f(*steps, *args[len(parts) :], **kwargs))
    asked = tuple(
        [x if type(x) is list else part for x, part in zip(first, parts)]
    )  # which may grow before its items are
    if f is enumerate:
        start = kwargs.get("start", args[1] if len(args) > 1 else 0)
        return tracer.iteration.made(Combination(tracer, f, asked, start))
    if f is reversed and type(parts[0]) is ListedItems:
        return parts[0].cut(tracer, slice(None, None, -1))
    if f is reversed and type(args[0]) in (list, tuple) and type(parts[0]) is Proxy and mutable(parts[0]):
        rows, last = parts[0], tracer.host_values.length(parts[0]) - 1  # a list has views, a tensor is copied
        return lazily(tracer, f, lambda at: tracer.views.getitem(rows, at), _downwards(last))
    if f is reversed and is_shape(parts[0]):
        return parts[0][::-1]
    if f is reversed and isinstance(parts[0], OpenRange) and type(step := parts[0].step) is int and abs(step) == 1:
        return OpenRange(parts[0].stop - step, parts[0].start - step, -step)
    if kwargs.get("strict"):
        parts = asked = tuple(map(rows_of, parts))
        _of_one_length(tracer, parts)
    return tracer.iteration.made(Combination(tracer, f, parts if f is reversed else asked, 0))


def _downwards(last: Any) -> Any:
    return range(last, -1, -1) if type(last) is int else OpenRange(last, -1, -1)


def _counted(tracer: Capturing, part: Any) -> Any:
    """What is iterated: the sizes of a shape of known length are its items."""
    part = rows_of(tracer.overloading.iterable(part))
    return (
        tuple(tracer.host_values.iterate(part))
        if is_shape(part) and type(tracer.host_values.length(part)) is int
        else part
    )


class Combination(Lazy):
    """zip, enumerate or reversed of parts of which some are open."""

    __slots__ = ("parts", "start", "tracer")

    def __init__(self, tracer: Capturing, f: Any, parts: tuple, start: Any) -> None:
        self.tracer, self.parts, self.start = tracer, parts, start
        whole, turns = lambda: self._combined(tracer.iteration.drained), lambda: self._combined(tracer.iteration.turns)
        super().__init__(f, whole, self._each, turns)

    def _each(self) -> Iterator[Any]:
        f, steps = self.kind, self.tracer.iteration.steps
        more = () if f is not enumerate else (self.start,)
        return f(*(part if f is reversed else steps(part) for part in self.parts), *more)

    def _combined(self, taken: Callable[[Any], Any]) -> Any:
        tracer, made = self.tracer, list[Any]()
        for part in self.parts:
            made.append(taken(part))
            if self.kind is zip and is_iterator(
                part
            ):  # the shortest tells how far it moves, also where it stands twice
                tracer.iteration.doubt(part)
        if self.kind is enumerate and type(made[0]) is Stepped:
            return _numbered(tracer, made[0], self.start)
        return Combined(self.kind.__name__, tuple(made), self.start)

    def opens(self) -> bool:
        if self.whole is None or self.kind is reversed:
            return False
        self.parts = tuple([iterator(self.tracer, iter, (part,), {}) for part in self.parts])
        return any(isinstance(part, Lazy) and part.opens() for part in self.parts)

    def first(self) -> Any:
        if not self.opens():
            return super().first()
        tracer = self.tracer
        item = tuple([next_item(tracer, next, (part,), {}) for part in self.parts])
        if self.kind is not enumerate:
            return item
        at, self.start = self.start, operate(tracer, "add", self.start, 1)
        return at, *item


def _numbered(tracer: Capturing, source: Stepped, start: Any) -> Stepped:
    """enumerate(source, start), of which the items that there are count."""
    count = tracer.journal.made.note([start])

    def take(item: Any, body: Callable[[Any], None], access: Access, stop: Stop | None) -> None:
        def counted(given: Any) -> None:
            at = tracer.objects.item(count, 0)
            tracer.objects.set_item(count, 0, operate(tracer, "add", at, 1))
            body((at, given))

        source.take(item, counted, access, stop)

    return Stepped(source.source, take)


def _of_one_length(tracer: Capturing, parts: tuple) -> None:
    """What `zip(..., strict=True)` asks for. Raises Python's error where lengths differ, and NeedsPython where one is open."""
    lengths: list[Any] = [
        tracer.host_values.length(part)
        if type(part) is Proxy
        else len(part)
        if isinstance(part, (list, tuple, range))
        else None
        for part in parts
    ]
    if not all(type(length) is int for length in lengths):
        raise tracer.error(
            "GFX cannot convert this zip: it is strict, and how long its parts are is open",
            "give the argument's shape at capture",
        )
    list(zip(*map(range, lengths), strict=True))


def chained(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """itertools.chain.from_iterable(iterables)."""
    sources = map(tracer.iteration.steps, tracer.iteration.steps(args[0], later=True))
    return tracer.iteration.made(itertools.chain.from_iterable(sources))


def mapped(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """map(function, *iterables)."""
    function, *iterables = args
    if len(iterables) == 1:
        return lazily(
            tracer, f, lambda item: tracer.calls.call(function, (item,), {}), tracer.overloading.iterable(iterables[0])
        )
    return lazily(
        tracer,
        f,
        lambda items: tracer.calls.call(function, tuple(items), {}),
        combine(tracer, zip, tuple(iterables), {}),
    )


def filtered(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """filter(function, iterable): what a list comprehension gives; of an iterator of Python's what is left out has to be fixed."""
    (keeps, source), site = args, tracer.site
    asked = lambda item: item if keeps is None else tracer.calls.call(keeps, (item,), {})

    def kept(item: Any) -> bool:
        test = asked(item)
        tracer.site = site  # what asks a tensor for its items leaves its own
        return fixed(tracer, test, "filter: it")

    steps = lambda: filter(kept, tracer.iteration.steps(source, later=True))
    source = tracer.overloading.iterable(source)
    if not can_sift(keeps, source):
        return tracer.iteration.made(steps())
    whole = lambda: open_tuple(tracer.loops.kept(lambda item: item, asked, turns_of(source)))
    return tracer.iteration.made(Lazy(f, whole, steps, lambda: sifted(tracer, asked, turns_of(source))))


def sifted(tracer: Capturing, keeps: Callable[[Any], Any], source: Any) -> Stepped:
    """The items that a test keeps, which is asked of each at its turn."""

    def take(item: Any, body: Callable[[Any], None], access: Access, stop: Stop | None) -> None:
        tracer.truths.ifexp(keeps(item), lambda: body(item), lambda: None, access, "")

    return Stepped(source, take)


def can_sift(keeps: Any, x: Any) -> bool:
    """Whether what a test keeps of x is found in a loop: it has an end, nothing else takes items of it, and the test may be open, as
    captured values are among the items or in what its function closes over."""
    if isinstance(x, (list, tuple, range)):
        closed_over = map(content_of, own_attribute(keeps, "__closure__") or ())
        items = () if isinstance(x, range) else x
        return any(is_open(item) or type(item) is Gated for item in (*items, *closed_over)) or holds_rows(x)
    return is_open_iterable(x) or type(x) is Gated


# ---------------------------------------------------------------- what takes all items
def container(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """tuple(x), list(x)."""
    args = tuple(map(tracer.arrays.in_graph, args))
    if args and f is tuple and tracer.record.is_shape(args[0]):
        return (*args[0],)  # another object
    if args and is_shape(args[0]):
        return HostProxy(args[0].value, args[0].backend, taken=True) if f is tuple else OpenList(args[0])
    if args and isinstance(args[0], Proxy) and not isinstance(tracer.host_values.length(args[0]), int):
        return f((StackedRows(args[0], rows_kind(args[0])),))
    if args and type(args[0]) is ListedItems:
        return f(args)
    if args and type(args[0]) in (Combined, OpenRange):
        return f(whole_list(args[0]))
    return f(*args, **kwargs)


def reduced(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """functools.reduce(function, items[, initial]): a loop, staged where the number of items is open."""
    function, items, *initial = args
    items = turns_of(tracer.overloading.iterable(tracer.arrays.in_graph(items)))
    if isinstance(items, OpenRange) and not initial:
        initial, items = [items.start], OpenRange(items.start + items.step, items.stop, items.step)
    elif isinstance(items, Proxy) and not initial:
        initial, items = [items[0]], items[1:]
    elif type(items) is ListedItems and not initial:
        checked(tracer, items.length(tracer) > 0, "reduce() of empty iterable with no initial value", "TypeError")
        initial, items = [items.item(tracer, 0)], items.cut(tracer, slice(1, None))
    if not is_open_iterable(items) and not at_its_turn(items):
        items = tracer.iteration.steps(items)
        for first in items if not initial else ():
            initial = [first]
            break
        if not initial:
            return f(function, ())  # an error of Python's
        tracer.iteration.made(items)
    elif not initial:
        raise tracer.error("GFX cannot convert this call of reduce(): its first item is open", "give an initial value")
    return tracer.loops.fold(
        items, lambda total, item: tracer.calls.call(function, (total, item), {}), initial[0], "total"
    )
