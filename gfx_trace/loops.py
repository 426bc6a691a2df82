"""Loops: run by Python while their test is fixed, staged as `while`/`for` nodes once it is not.

The carried values are found by tracing the body until nothing changes: what the body leaves different from what it met is carried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Node, Value

from .carries import Carries
from .gated import Gated
from .loop_nodes import make_for, make_while
from .mapped import mapped
from .peeling import divides, peel
from .proxy import NeedsPython, Proxy
from .raised import Raised
from .rotated import rotated
from .sides import Side
from .sources import Source, labels
from .unsettled import Unsettled

if TYPE_CHECKING:
    from .tracer import Tracer

_PASSES = 12
_NOTHING = (lambda: (), lambda values: None, ())
"""get, set and names of code that assigns no variables."""


class Loops:
    """The part of the Tracer that knows loops."""

    fixed_loops = 0  # how many loops are being staged that Python could run instead

    def while_(
        self: Tracer,
        test: Any,
        body: Any,
        get: Any,
        set_: Any,
        names: Sequence[str],
        stop: Any,
        inner: Sequence[str] = (),
    ) -> None:
        """while not stop() and test(): body(); `inner` are variables that the test assigns and nothing behind the loop reads."""
        tried = False
        while True:
            flag = False if stop is None else self.truth(stop())
            if isinstance(flag, Value):
                break
            if flag:
                return
            before = get()
            found, written = self._probe(test, get, set_)
            if isinstance(found, Value):
                break
            if not found:
                return
            if stop is not None and not tried:
                tried = True
                if self._stops_open(body, get, set_, stop):
                    if written:
                        raise self.error(
                            "GFX cannot convert this while: its test writes to what was there before, and data ends it from within"
                        )
                    set_(before)  # the node's own test assigns what this one did
                    if self._stage_running(test, body, get, set_, names, stop, inner):
                        return
                    self.truth(test())
            body()
        self._stage_while(test, body, get, set_, names, stop, inner)

    def _stage_running(self: Tracer, test: Any, body: Any, get: Any, set_: Any, *loop: Any) -> bool:
        """Stage a loop that has a first trip; False, and everything is taken back, where that has to run before it."""
        before, last, site = get(), self.graph.last, self.site
        self.journal.open()
        try:
            self._stage_while(test, body, get, set_, *loop, runs=True)
        except Unsettled:
            self.journal.close()
            self.site = site
            self._take_back(before, last, set_)
            return False
        self.journal.commit(self.journal.close())
        return True

    def _probe(self: Tracer, test: Any, get: Any, set_: Any) -> Any:
        """The truth of a loop's test here, and what it wrote; what an open one recorded is taken back."""
        before, last = get(), self.graph.last
        self.journal.open()
        with self.decided.kept():
            found = self.truth(test())
        written = self.journal.close()
        if isinstance(found, Value):
            set_(before)
            self.truncate(last)
        else:
            self.journal.commit(written)
        return found, written

    def truncate(self: Tracer, last: Node | None) -> None:
        """Erase the nodes behind `last`."""
        while self.graph.last is not last:
            node = self.graph.last
            assert node is not None
            self.graph.detach(node)

    def _stops_open(self: Tracer, body: Any, get: Any, set_: Any, stop: Any) -> bool:
        """Whether a trip of the body leaves its break flag open."""
        before = get()
        with self.opened("trial"), self.decided.kept():
            try:
                body()
                found = isinstance(self.truth(stop()), Value)
            except (Raised, UnsupportedConstruct):  # what cannot be converted here may be where the loop is staged
                found = True
        set_(before)
        return found

    # ------------------------------------------------------------------ while
    def _stage_while(
        self: Tracer,
        test: Any,
        body: Any,
        get: Any,
        set_: Any,
        names: Sequence[str],
        stop: Any,
        inner: Sequence[str] = (),
        runs: bool = False,
    ) -> None:
        """`runs`: there is a first trip, which may run before the loop."""
        carries = Carries(self, get, set_, names, stop, inner)
        carries.runs = carries.peels = runs
        site = self.site
        for _ in range(_PASSES):
            self.site = site
            try:
                test_side, found = self._trace_test(carries, test)
            except Raised as raised:  # the test is reached whatever follows
                carries.leave()
                raise raised if self.stack else raised.error from None
            self.site = site
            if carries.left_by_test(test_side):
                test, body, get, set_, names = rotated(self, test, body, get, set_, names, stop)
                self._stage_while(test, body, get, set_, names, stop)
                return
            body_side, flag = self._trace_body(carries, body, stop, before=test if carries.test_assigns else None)
            tensor = found.is_tensor if isinstance(found, Value) else False
            tensor = tensor or (isinstance(flag, Value) and flag.is_tensor)
            carries.open_length = True
            if carries.settle(body_side, tensor):
                break
        else:
            raise self.error("GFX cannot convert this loop: the kinds of what it carries do not settle")
        self.site = site
        make_while(self, carries, test_side, found, body_side, flag)

    def _trace_test(self: Tracer, carries: Carries, test: Any) -> tuple[Side, Any]:
        with self.opened("test") as side:
            carries.enter(side.graph)
            with self.decided.kept():
                found = self.truth(test())
            carries.test_assigns = carries.changed_names()
            side.graph.result = self._local(found)
            carries.leave()
            self.journal.pass_on(carries.get)
            self.journal.forget_owned()
        return side, found

    def _trace_body(
        self: Tracer, carries: Carries, body: Any, stop: Any, item: Any = None, before: Any = None
    ) -> tuple[Side, Any]:
        """`before`: the test, where the body reads what it assigns."""
        site = self.site
        with self.opened("body") as side:
            carries.enter(side.graph)
            if before is not None:
                self.facts.assume(self.truth(before()), True)
            try:
                body() if item is None else body(item(side.graph))
                flag = self.truth(stop()) if stop is not None else False
            except Raised as raised:
                flag = self._always_raises(raised)
                self.site = site
            carries.collect()
            carries.leave()
            self.site = site  # no frame of the body is left alive
            self.journal.pass_on(carries.get)
            carries.own = self.journal.forget_owned(carries.after)
        carries.written = side.written
        return side, flag

    def _always_raises(self: Tracer, raised: Raised) -> bool:
        """A body that ends with a raise: it is checked that the body is not reached."""
        if self.raising.catches(raised.error, around=raised.around):
            raise self.caught(raised)
        self.checked(False, raised)
        return True

    # ------------------------------------------------------------------ for
    def for_(
        self: Tracer, iterable: Any, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any, target: Any,
        peels: bool = True,
    ) -> None:  # fmt: skip
        """for item in iterable: body(item), until stop(). `peels`: the first trip may run before the loop."""
        if type(iterable) is Gated:
            again = lambda side: self.for_(side, body, get, set_, names, stop, target)
            self.resolve(iterable, again, (get, set_, names), False)
            return
        source = self.loop_source(iterable)
        loop = (body, get, set_, names, stop, target)
        if source is not None and source.length != 0 and self._try_stage_for(source, iterable, *loop, peels):
            return
        self._run_for(self.iteration.steps(iterable, loop=True), body, get, set_, names, stop)

    def _run_for(self: Tracer, items: Any, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any) -> None:
        """Python runs the loop; once its break flag is open, the trips that are left hang on it."""
        for item in items:
            body(item)
            if stop is None:
                continue
            flag = self.truth(stop())
            if isinstance(flag, Value):
                rest = lambda: self._run_for(items, body, get, set_, names, stop)
                self.branch(flag, None, rest, get, set_, names, "")
                return
            if flag:
                return

    def _try_stage_for(
        self: Tracer, source: Source, iterable: Any, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any,
        target: Any, peels: bool,
    ) -> bool:  # fmt: skip
        """Stage a loop; where its body needs a Python number, take everything back and let Python run it."""
        before, last, site = get(), self.graph.last, self.site
        fixed = source.length is not None
        self.journal.open()
        unrolls = fixed and not self.options["strict"]
        self.fixed_loops += unrolls
        try:
            self._stage_for(source, body, get, set_, names, stop, target, peels and fixed and divides(iterable))
        except (NeedsPython, UnsupportedConstruct) as error:
            self.journal.close()
            self.site = site
            asked = isinstance(error, NeedsPython)
            if not (unrolls if asked else fixed and not isinstance(iterable, Proxy)):
                raise
            self._take_back(before, last, set_)
            if isinstance(error, NeedsPython):
                self.notes.append(f"a loop was unrolled: {error.why}")
            return False
        except Unsettled:
            self.journal.close()
            self.site = site
            self._take_back(before, last, set_)
            loop = lambda others: self.for_(others, body, get, set_, names, stop, target, False)
            peel(self, iterable, body, loop, stop, (get, set_, names))
            return True
        finally:
            self.fixed_loops -= unrolls
        self.journal.commit(self.journal.close())
        return True

    def _take_back(self: Tracer, before: tuple, last: Node | None, set_: Any) -> None:
        """The variables and the graph are as they were before a loop."""
        set_(before)
        self.truncate(last)
        self.escaped = None  # no frame of the body is left alive

    def _stage_for(
        self: Tracer, source: Source, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any, target: Any,
        peels: bool,
    ) -> None:  # fmt: skip
        carries = Carries(self, get, set_, names, stop)
        carries.peels = peels
        site = self.site
        named = labels(target, len(source.items))
        host = all(kind == "int" for kind in source.kinds)
        for _ in range(_PASSES):
            self.site = site
            items: list[Value] = []

            def item(graph: Any, items: list[Value] = items) -> Any:
                for at, kind in enumerate(source.kinds):
                    items.append(
                        graph.add_placeholder(
                            named[at], kind, source.item_type(at, self.promotion) if self.static_types else None
                        )
                    )
                return source.make([self._loop_item(v, source, at) for at, v in enumerate(items)])

            body_side, flag = self._trace_body(carries, body, stop, item)
            carries.append_items, carries.source = items, source
            carries.trips, carries.runs = source.length, bool(source.length)
            if flag is True and source.length is not None:
                raise NeedsPython("loop", "the loop ends in its first trip", self.span())
            carries.open_length = isinstance(flag, Value) or flag is True or source.open_range
            self._check_rows(source, body_side)
            if carries.settle(body_side, not host or (isinstance(flag, Value) and flag.is_tensor)):
                break
        else:
            raise self.error("GFX cannot convert this loop: the kinds of what it carries do not settle")
        self.site = site
        self._check_rows(source, body_side, carries)
        make_for(self, source, carries, body_side, flag, items)

    def map_(
        self: Tracer, function: Callable[[Any], Any], iterable: Any, target: Any = "item", access: tuple | None = None
    ) -> Any:
        """[function(item) for item in iterable], where the iterable's length is open; `access`: get, set and names of the
        variables that the function assigns."""
        if type(iterable) is Gated:
            return self.resolve(iterable, lambda side: self.map_(function, side, target, access), access)
        source = None if isinstance(iterable, range) else self.loop_source(iterable)
        if source is None:
            return [function(item) for item in self.iteration.steps(iterable)]
        return mapped(self, function, iterable, source, target, access or _NOTHING)

    def fold(
        self: Tracer, iterable: Any, step: Callable[[Any, Any], Any], found: Any, name: str,
        target: Any = "item", access: tuple | None = None,
    ) -> Any:  # fmt: skip
        """What `found` becomes when each item takes its turn: found = step(found, item); `access` as in `map_`."""
        get, set_, names = access or _NOTHING

        def body(item: Any) -> None:
            nonlocal found
            found = step(found, item)

        @wraps(get)
        def get_all() -> tuple:
            return (found, *get())

        def put(values: tuple) -> None:
            nonlocal found
            found, *rest = values
            set_(tuple(rest))

        self.for_(iterable, body, get_all, put, (name, *names), None, target)
        return found

    def append_item(self: Tracer, items: list[Any], item: Any) -> None:
        """items.append(item), recorded."""
        self.journal.record(items, None, "contents", "a container", self.span())
        items.append(item)
