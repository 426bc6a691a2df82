"""Iterables whose length is only known when the emitted code runs: ranges with open ends, and what combines several."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from gfx_ir import ops
from gfx_ir.op import active

from ..values.access import NOTHING, Access, Stop
from ..values.number_rows import wide
from ..values.proxy import Proxy, is_open
from .listed import ListedItems
from .number_lists import not_negative
from .rows import Lazy, StackedRows
from .sequences import is_shape


class OpenRange:
    """A range whose ends are only known when the emitted code runs."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step

    def __iter__(self) -> Iterator[Any]:
        tracer = active.builder
        trips = tracer.decided.trips(*map(tracer.unwrap, (self.start, self.stop, self.step)))
        if trips is not None:
            return self._numbers(trips)
        from_any = next(x for x in (self.stop, self.start, self.step) if is_open(x))
        operator.index(from_any)
        raise AssertionError("an open number is no index")

    def _numbers(self, trips: int) -> Iterator[Any]:
        """Its numbers, of which there are so many."""
        yield from [self.start][:trips]
        for at in range(1, trips):
            ahead = at * self.step
            yield self.start - -ahead if type(ahead) is int and ahead < 0 else self.start + ahead

    def _refuse(self, *args: Any) -> Any:
        what = "GFX cannot convert this use of a range: its ends are only known when the emitted code runs"
        raise active.builder.error(what, "compute with its ends, or loop over it with `for`")

    __len__ = __getitem__ = __eq__ = __reversed__ = index = count = _refuse
    __hash__ = object.__hash__


class Endless:
    """What is left of itertools.count, or of itertools.repeat where the step is None."""

    def __init__(self, start: Any, step: Any) -> None:
        self.start, self.step = start, step

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(self.start) if self.step is None else itertools.count(self.start, self.step)


class Mapped:
    """map or a generator expression over something whose length is open: a loop over it makes each item at its turn."""

    def __init__(self, function: Callable[[Any], Any], source: Any) -> None:
        self.function, self.source = function, source

    def __iter__(self) -> Iterator[Any]:
        return map(self.function, active.builder.iteration.steps(self.source))


class Stepped:
    """What gives the body of a loop none, one or several items for each item of a source, each at its turn: `take(item, body, access,
    stop)` calls body for each that it gives; `access`: to what the body assigns, `stop`: what ends the loop."""

    def __init__(self, source: Any, take: Callable[[Any, Callable[[Any], None], Access, Stop | None], None]) -> None:
        self.source, self.take = source, take

    def __iter__(self) -> Iterator[Any]:
        tracer = active.builder
        for item in tracer.iteration.steps(self.source):
            given: list[Any] = []
            self.take(item, functools.partial(self._given, given, tracer.graph), NOTHING, None)
            yield from given

    @staticmethod
    def _given(found: list[Any], graph: Any, item: Any) -> None:
        """Python itself takes an item: whether there is one is no open test."""
        if active.builder.graph is not graph:
            what = "GFX cannot convert this iteration: a test on captured data decides which items there are"
            raise active.builder.error(what, "make a list of them first: list(…)")
        found.append(item)


def each_of(function: Callable[[Any], Any], source: Any) -> Mapped | Stepped:
    """function(item) for each item of a source, made at its turn."""
    if type(source) is not Stepped:
        return Mapped(function, source)
    made = lambda body: lambda item: body(function(item))
    return Stepped(source.source, lambda item, body, access, stop: source.take(item, made(body), access, stop))


class Combined:
    """zip, enumerate or reversed over something whose length is open: taken apart by the loop that runs over it."""

    def __init__(self, kind: str, parts: tuple, start: Any = 0) -> None:
        self.kind, self.parts, self.start = kind, parts, start

    def __iter__(self) -> Any:
        if self.kind == "reversed":
            return _backwards(self.parts[0])
        return zip(*self.parts) if self.kind == "zip" else enumerate(self.parts[0], self.start)


def _backwards(x: Any) -> Iterator[Any]:
    """The items of x from the last to the first: of NumPy's arrays each when it is asked for, of tensors those of a copy."""
    if type(x) is not Proxy:
        return reversed(list(x))
    if x.backend is not None and not x.backend.numbers:
        return iter(active.builder.wrap(ops.flip(x.read(), 0), x.backend))
    return (x[i] for i in reversed(range(len(x))))


def whole_list(x: Any) -> list[Any]:
    """A list of all that a range, zip or enumerate gives whose length is open, or of open sizes."""
    tracer = active.builder
    counts = type(x) is OpenRange and type(x.start) is type(x.step) is int and (x.start, x.step) == (0, 1)
    stop = tracer.unwrap(x.stop) if counts else None
    if stop is None or stop.is_tensor:
        found: list[Any] = tracer.loops.kept(lambda item: item, lambda item: True, x)
        return found
    made = ops.arange(not_negative(tracer, stop), dtype=wide("int"))
    return [StackedRows(tracer.wrap(made, tracer.backend), "int")]


def is_open_iterable(x: Any) -> bool:
    """Whether a loop over x is staged, or hangs on whether it can be."""
    return isinstance(x, (Proxy, OpenRange, Combined, Stepped, Lazy, ListedItems)) or is_shape(x)


def at_its_turn(x: Any) -> bool:
    """Whether what a loop goes over makes items at their turns."""
    return type(x) in (Mapped, Stepped) or (type(x) is Combined and any(map(at_its_turn, x.parts)))
