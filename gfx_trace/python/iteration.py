"""Iterators: what moves on once only. Whoever takes items takes them here, where it is known which part of the code takes them.

Capture runs both sides of a test, and a loop's body as often as it needs: an iterator is only moved on by the part of the code
that made it. One from outside of the captured code would be moved on at capture, and stay there.
"""

from __future__ import annotations

import collections
import gc
import itertools
import operator
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType
from typing import Any

from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.graph import Graph
from gfx_ir.probing import own_attribute
from gfx_ir.source import Scope, Span

from ..heap.contents import row_of
from ..heap.reached import reaches
from ..interfaces import Capturing
from ..rewrite.packages import OURS, enterable, users
from ..values.proxy import NeedsPython, is_open
from ..values.raised import gfx_handlers
from .listed import ListedItems
from .open_iterables import Endless
from .rows import Lazy, called, holds_rows, rows_of

_KEEPS = frozenset(
    "append appendleft insert setdefault add remove discard count index get pop put push id callable hash __setitem__ __eq__ __ne__".split()
)
"""What takes an iterator as an object, and no items of it."""
_TAKES = frozenset(
    "extend extendleft join update union intersection difference symmetric_difference intersection_update difference_update "
    "symmetric_difference_update issubset issuperset isdisjoint writelines fromkeys from_iterable".split()
)
"""Methods in C that take items of what they are given."""
_CALLING = frozenset(("itertools", "re", "heapq", "_heapq", "bisect", "_bisect", "_functools"))
"""Modules whose functions call what they are given, and do nothing else with it."""
_TAKING = (set, frozenset, collections.deque, collections.Counter, bytes, bytearray)


def is_iterator(x: Any) -> bool:
    """Whether items of x are there once only."""
    return hasattr(type(x), "__next__")


def runs_code(x: Any) -> bool:
    """Whether taking an item of an iterator runs the author's code, or a function: nothing does so before the item's turn."""
    if isinstance(x, GeneratorType):
        home = x.gi_frame.f_globals.get("__name__", "") if x.gi_frame is not None else "builtins"
        return users({"__name__": home}) or home.partition(".")[0] in OURS
    if not is_iterator(x) or isinstance(x, Lazy):
        return False
    entered = isinstance(type(x).__next__, FunctionType)
    return entered or isinstance(x, (map, filter, itertools.cycle)) or any(map(runs_code, gc.get_referents(x)))


class Iteration:
    """What is known of the iterators of a capture."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self.home: dict[int, Graph] = {}  # the region that made an iterator, by its id
        self.endless: dict[
            int, tuple[Any, Any]
        ] = {}  # those without an end, and the step from item to item, by their ids
        self.doubtful: set[int] = set()  # those of which a test or loop on captured data decides how far they moved
        self.stepping: list[Any] = []  # the generators that run now
        self.cleaning: weakref.WeakSet[Any] = weakref.WeakSet()  # those that run code where they are closed

    # ------------------------------------------------------------------ what made them
    def made(self, iterator: Any) -> Any:
        """Note that the region that is open made an iterator."""
        self.home[id(iterator)] = self.tracer.graph
        self.doubtful.discard(id(iterator))
        return iterator

    def has_made(self, region: Graph) -> bool:
        """Whether a region has made an iterator."""
        return any(home is region for home in self.home.values())

    def of_call(self, found: Any, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """What a call gave that was not entered: an iterator that it did not find in its arguments is one that it made."""
        for item in found if type(found) is tuple else (found,):
            if is_iterator(item) and (isinstance(f, type) or not reaches((f, *args, *kwargs.values()), item)):
                self.made(item)
        return found

    # ------------------------------------------------------------------ taking items
    def check(self, iterator: Any) -> None:
        """Before an item is taken. Raises where that moves on what another part of the code sees."""
        tracer = self.tracer
        if id(iterator) in self.doubtful:
            raise NeedsPython(
                "use of an iterator", "a test or loop on captured data decides how far it has moved on before", tracer.span(),
                "make a list of its items first",
            )  # fmt: skip
        if self._own(iterator):
            return
        if row_of(type(iterator)) is not None:
            tracer.effects.writes(iterator)
        elif tracer.stack:
            raise NeedsPython(
                "use of an iterator", "an item is taken from an iterator that was made outside of this test or loop", tracer.span(),
                "count in a variable and index a list, or zip it with what the loop goes over",
            )  # fmt: skip
        else:
            raise UnsupportedConstruct(
                "GFX cannot convert this use of an iterator: an item is taken from one that was made outside of the captured code, "
                "and the next call would find it moved on", tracer.span(), "make it in the function, or go over a list",
            )  # fmt: skip

    def _own(self, iterator: Any) -> bool:
        home = self.home.get(id(iterator))
        if home is not None or isinstance(iterator, GeneratorType):
            return home is self.tracer.graph or getattr(iterator, "gi_frame", self) is None
        if isinstance(getattr(type(iterator), "__next__", None), FunctionType) and not isinstance(iterator, Lazy):
            return True  # its method is entered
        inner = [x for x in gc.get_referents(iterator) if is_iterator(x)]  # a group of itertools.groupby
        return bool(inner) and all(map(self._own, inner))

    def next(self, iterator: Any) -> Any:
        """The next item. Raises StopIteration where there is none."""
        self.check(iterator)
        return self._step(iterator)

    def _step(self, iterator: Any) -> Any:
        method = type(iterator).__next__
        if isinstance(method, FunctionType) and not isinstance(iterator, Lazy):
            with gfx_handlers(lambda: (StopIteration,)):
                return self.tracer.calls.call(method, (iterator,), {})
        check_begun(self.tracer, iterator)
        if type(iterator) is not GeneratorType:
            return self._in_c(iterator)
        self.stepping.append(iterator)
        try:
            return self.tracer.arrays.in_graph(next(iterator))
        finally:
            self.stepping.pop()

    def _in_c(self, iterator: Any) -> Any:
        """The next item of an iterator in C, which may ask the items that it goes over: for their truth, or to be added or compared."""
        asks = type(iterator).__module__ == itertools.__name__
        asked = self.tracer.native_methods.among(_items_in(iterator)) if asks else ()
        found = self.tracer.native_methods.run(asked, partial(next, iterator)) if asked else next(iterator)
        return self.tracer.arrays.in_graph(found)

    def steps(self, source: Any, later: bool = False) -> Iterator[Any]:
        """The items of a source one by one. `later`: one loop takes them, whose later trips may hang on tests, or an iterator that is made
        of them, whose takers are checked."""
        tracer = self.tracer
        tracer.effects.sure_of_keys(source)
        source = tracer.overloading.iterable(source)
        if not isinstance(source, Lazy):
            source = rows_of(source)
        if is_open(source):
            return tracer.host_values.iterate(source)
        if type(source) is ListedItems:
            return iter(source)
        if not is_iterator(source):
            items = source if type(source) in _WITHOUT_CHANGE else items_of(tracer, source)
            return map(tracer.arrays.in_graph, items) if tracer.arrays.has_in_graph() else iter(items)
        if later:
            self.check(source)
        return self._steps(source, tracer.graph if later else None)

    def _steps(self, iterator: Any, home: Graph | None) -> Iterator[Any]:
        site = self.tracer.span() if isinstance(iterator, GeneratorType) else None
        while True:
            try:
                if home is None or home is self.tracer.graph:
                    item = self.next(iterator)
                else:
                    self.doubt(iterator)
                    item = self._step(iterator)
                    self.doubt(iterator)  # which may have come to a block of that kind
            except StopIteration:
                return
            except CaptureError as error:
                _place(error, site)
                raise
            yield item

    def drained(self, source: Any) -> Any:
        """What is taken as a whole: a container or tensor as it is, the items of an iterator as a list, and nothing is left in it;
        what has no end as that."""
        self.tracer.effects.sure_of_keys(source)
        if id(source) in self.endless:
            return self.rest(source, self.next(source))
        iterable = self.tracer.overloading.iterable(source)
        found = rows_of(iterable)
        if isinstance(iterable, Lazy):
            self.doubtful.discard(id(iterable))
        return list(self.steps(found)) if is_iterator(found) else found

    def turns(self, source: Any) -> Any:
        """The same for a loop, in which what is lazy makes each item at its turn."""
        return source.for_loop() if isinstance(source, Lazy) and source.turns is not None else self.drained(source)

    def rest(self, iterator: Any, first: Any) -> Endless:
        """What is left of an iterator without an end, from its next item on, that data decides how far to go over."""
        self.doubt(iterator)
        return Endless(first, self.endless[id(iterator)][1])

    def some(self, source: Any, count: int) -> Any:
        """What is unpacked to `count` targets: of an iterator one item more, by which Python sees that there are too many."""
        return list(itertools.islice(self.steps(source), count + 1)) if is_iterator(source) else source

    def cleans_up(self) -> None:
        """The generator that runs has come to a block that runs code where it is closed."""
        if self.stepping:
            self.cleaning.add(self.stepping[-1])

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Where this part of a capture is given up, what its generators run where they are closed is run in it, and taken back with it."""
        begun = tuple(self.cleaning)
        try:
            yield
        except BaseException:
            for generator in [x for x in self.cleaning if x not in begun]:
                with suppress(Exception):
                    generator.close()
            raise

    def doubt(self, source: Any) -> None:
        """A test on captured data decides how far a source is read. Raises where a generator cleans up where that ends."""
        if not is_iterator(source):
            return
        self.doubtful.add(id(source))
        if type(source) is GeneratorType and source in self.cleaning:
            raise NeedsPython(
                "use of a generator", "a test on captured data decides where it is left, and a `with`, `finally` or `except` around its "
                "`yield` runs there", self.tracer.span(), "do that behind the loop, or go over a list of its items",
            )  # fmt: skip

    def given(self, f: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments of a call that is not entered: iterators are only given to it where it may take their items."""
        name = own_attribute(f, "__name__", "")
        if name in _KEEPS:
            return args, kwargs
        takes = name in _TAKES or (isinstance(f, type) and issubclass(f, _TAKING))
        owner = f.__self__ if isinstance(f, BuiltinFunctionType) else f
        module = own_attribute(owner, "__module__") or own_attribute(owner, "__name__")
        named = {key: self.entered(x) for key, x in kwargs.items()} if module in _CALLING else kwargs
        return tuple([self._given(arg, takes, module) for arg in args]), named

    def entered(self, x: Any) -> Any:
        """A function of the user's, for a callee that runs it as it stands: one that enters it."""
        f = own_attribute(x, "__func__", x)
        if not isinstance(f, FunctionType):
            f = self.tracer.overloading.own_method(x, "__call__")
        if f is None or not enterable(f):
            return x
        return lambda *args, **kwargs: self.tracer.calls.call(x, args, kwargs)

    def _goes_over(self, x: Any) -> bool:
        """Whether items of x are given by a method of the author's."""
        own = self.tracer.overloading.own_method
        return own(x, "__iter__") is not None or (
            not hasattr(type(x), "__iter__") and own(x, "__getitem__") is not None
        )

    def _given(self, x: Any, takes: bool, module: Any) -> Any:
        lazy = module == "itertools"
        if module in _CALLING and (entered := self.entered(x)) is not x:
            return entered if isinstance(x, (FunctionType, MethodType)) else _Standing(self, x, entered)
        if not is_iterator(x):
            self.tracer.effects.sure_within(x)
            if (takes or lazy) and self._goes_over(x):
                return self.steps(x, later=lazy)
            return self.tracer.overloading.position(x) if lazy else x
        if isinstance(x, Lazy) and not lazy:
            return self.drained(x)
        if lazy or self.tracer.overloading.own_method(x, "__next__") is not None:
            return self.steps(x, later=lazy)
        self.check(x)
        return x


def _items_in(iterator: Any) -> list[Any]:
    """What an iterator in C goes over, and keeps between items. It may hold a tuple that is not filled: Python's own code reads none."""
    level, found = [iterator], {id(iterator): iterator}
    while level:
        inner = gc.get_referents(*level)
        level = [x for x in inner if id(x) not in found and (is_iterator(x) or type(x) in (list, tuple))]
        found.update((id(x), x) for x in inner)
    return list(found.values())


class _Standing:
    """Stands for a callable object of the author's in a call of code in C, which may call it, go over it or take it for a number: all of
    that is entered."""

    def __init__(self, iteration: Iteration, x: Any, entered: Callable[..., Any]) -> None:
        self.iteration, self.x, self.entered = iteration, x, entered

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.entered(*args, **kwargs)

    def __iter__(self) -> Iterator[Any]:
        return self.iteration.steps(self.x, later=True)

    def __index__(self) -> int:
        return operator.index(self.iteration.tracer.overloading.position(self.x))


def _place(error: CaptureError, site: Span | None) -> None:
    """An error inside of a generator tells which loop asked."""
    inner = error.span
    if inner is not None and site is not None and inner.scope is site.scope:
        scope = Scope(inner.name, "function", parent=site.scope, site=site)
        error.span = Span(inner.file, inner.line, inner.name, scope)


_FORWARD: type = type(iter([]))
_BACKWARD: type = type(reversed([]))
_EMPTY: dict[Any, Any] = {}
_OF_KEYS: tuple[type, ...] = tuple(
    type(ends(view)) for view in (_EMPTY.keys(), _EMPTY.values(), _EMPTY.items()) for ends in (iter, reversed)
)
_WITHOUT_CHANGE = (tuple, range, str, bytes, map, filter)
"""What nothing is added to, or taken from, while code goes over it."""


def items_of(tracer: Capturing, items: Any) -> Iterator[Any]:
    """The items of a container one by one, as Python's loops take them: of a list also those that are appended on the way."""
    begun = iter(items)
    for item in begun:
        yield item
        check_begun(tracer, begun)


def check_begun(tracer: Capturing, iterator: Any) -> None:
    """Raises where a list or dictionary that an iterator has begun to go over was made longer or shorter, and a test on captured data
    decides by how much."""
    waiting, met = [iterator] if tracer.record.filled or tracer.effects.unsure else [], set[int]()
    while waiting:
        item = waiting.pop()
        if id(item) in met:
            continue
        met.add(id(item))
        if type(item) in (_FORWARD, _BACKWARD):
            _check_list(tracer, item)
        elif type(item) in _OF_KEYS:
            for held in gc.get_referents(item):
                tracer.effects.sure_of_keys(held)
        elif type(item) is Lazy:
            waiting.append(item.rest)
        elif hasattr(type(item), "__next__"):
            inner = gc.get_referents(item)
            waiting += [*inner, *gc.get_referents(*(group for group in inner if type(group) is tuple))]


def _check_list(tracer: Capturing, iterator: Any) -> None:
    held = next((x for x in gc.get_referents(iterator) if type(x) is list), None)  # None: it is at its end
    if held is None or not holds_rows(held) or (type(iterator) is _FORWARD and not iterator.__reduce__()[2]):
        return
    raise refusal(tracer, held)


def refusal(tracer: Capturing, items: list) -> UnsupportedConstruct:
    """The error of going on over a list that has changed."""
    what = f"GFX cannot convert this loop or iterator: {called(items, tracer.site)!r}, which it goes over, has changed on the way"
    return tracer.error(what, "go over a copy of it: list(…)")
