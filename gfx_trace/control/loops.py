"""Loops: run by Python while their test is fixed, staged as `while`/`for` nodes once it is not.

The carried values are found by tracing the body until nothing changes: what the body leaves different from what it met is carried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir.errors import OpenShape, UnsupportedConstruct
from gfx_ir.graph import Value

from ..heap.aliases import WrittenRows, share
from ..interfaces import Capturing
from ..python.attempts import Mark, attempt
from ..python.open_iterables import Combined, Stepped
from ..values.access import NOTHING, Access, Stop
from ..values.gated import Gated
from ..values.proxy import NeedsPython, Proxy
from ..values.raised import Raised
from .beside import run_beside
from .carried import Unsettled
from .carries import Carries
from .endless import loop_without_end
from .hints import loop_key, recall, remember
from .loop_nodes import make_for, make_while
from .mapped import flat, kept, mapped
from .peeling import divides, ended, peel, peel_if_any, rotated, stops_open
from .settling import Settling
from .settling_lists import reads_grown
from .sides import Side
from .sources import Source, labels

_PASSES = 12


class Loops:
    """The part of the Tracer that knows loops."""

    fixed_loops = 0  # how many loops are being staged that Python could run instead

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def while_(self, test: Any, body: Any, access: Access, stop: Stop | None, inner: Sequence[str] = ()) -> None:
        """while not stop() and test(): body(); `inner` are variables that the test assigns and nothing behind the loop reads."""
        tried = False
        rest = lambda runs=False: self._stage_while(test, body, access, stop, inner, runs)
        while not ended(self.tracer, stop, rest, access):
            before = access.get()
            found, written = self._probe(test, access)
            if isinstance(found, Value):
                rest()
                return
            if not found:
                return
            if stop is not None and not tried:
                tried = True
                if stops_open(self.tracer, body, access, stop):
                    if written:
                        raise self.tracer.error(
                            "GFX cannot convert this while: its test writes to what was there before, and data ends it from within"
                        )
                    access.set(before)  # the node's own test assigns what this one did
                    try:
                        self._tried(lambda: rest(runs=True), access)
                        return
                    except Unsettled:  # the first trip has to run before it
                        pass
                    self.tracer.truths.truth(test())
            body()

    def _tried(self, stage: Callable[[], None], access: Access, unrolls: bool = False) -> None:
        """Stage a loop. Where that comes to nothing, the variables and all that was recorded are as they were before it. `unrolls`: what
        Python raises in a trip of which nothing is known, as outs[-2] of a list of one item, it may not raise in any."""
        before, site = access.get(), self.tracer.site
        try:
            attempt(self.tracer, lambda mark: stage())
        except Exception as error:
            refused = isinstance(error, (NeedsPython, OpenShape, UnsupportedConstruct, Unsettled))
            if not refused and not (unrolls and type(error).__module__ == "builtins"):
                raise
            self.tracer.site = site
            access.set(before)
            self.tracer.regions.escaped = None  # it is dealt with
            if refused:
                raise
            why = f"a trip may fail ({type(error).__name__}: {error})"
            raise NeedsPython("loop", why, self.tracer.span()) from error

    def _probe(self, test: Any, access: Access) -> Any:
        """The truth of a loop's test here, and what it wrote; what an open one recorded is taken back."""
        before, mark = access.get(), Mark(self.tracer)
        self.tracer.journal.open()
        with self.tracer.decided.kept():
            found = self.tracer.truths.truth(test())
        written = self.tracer.journal.close()
        if isinstance(found, Value):
            access.set(before)
            mark.back()
        else:
            self.tracer.journal.commit(written)
        return found, written

    def _fixpoint(self, carries: Carries, trace: Callable[[], Any]) -> Any:
        """What trace() gives in the pass over a loop's body that leaves what it began with: the body, whether data decides how often it
        runs, and what else the node is made of. None, of any pass: it is no such loop."""
        site, key = self.tracer.site, loop_key(carries)
        recall(carries, self.tracer.loop_hints.get(key))
        for _ in range(_PASSES):
            self.tracer.site = site
            try:
                traced = trace()
            except NeedsPython as error:
                if not reads_grown(carries, error):
                    raise
                continue
            self.tracer.site = site
            if traced is None:
                return None
            body, tensor, *_ = traced
            carries.body = body.graph
            if Settling(carries, body).settle(tensor):
                self.tracer.loop_hints[key] = remember(carries)
                return traced
        raise self.tracer.error("GFX cannot convert this loop: the kinds of what it carries do not settle")

    # ------------------------------------------------------------------ while
    def _stage_while(
        self, test: Any, body: Any, access: Access, stop: Stop | None, inner: Sequence[str] = (), runs: bool = False
    ) -> None:
        """`runs`: there is a first trip, which may run before the loop."""
        carries = Carries(self.tracer, access, stop, inner)
        carries.runs = carries.peels = runs
        site = self.tracer.site

        def trace() -> Any:
            try:
                test_side, found = self._trace_test(carries, test)
            except Raised as raised:  # the test is reached whatever follows
                carries.leave()
                raise raised if self.tracer.stack else raised.error from None
            self.tracer.site = site
            if carries.left_by_test(test_side):
                return None
            body_side, flag = self.trace_body(carries, body, stop, before=test if carries.test_assigns else None)
            carries.open_length = True
            tensor = any(isinstance(x, Value) and x.is_tensor for x in (found, flag))
            return body_side, tensor, test_side, found, flag

        traced = self._fixpoint(carries, trace)
        if traced is None:
            self._stage_while(*rotated(self.tracer, test, body, access, stop), stop)
        else:
            body_side, _, test_side, found, flag = traced
            make_while(self.tracer, carries, test_side, found, body_side, flag)

    def _trace_test(self, carries: Carries, test: Any) -> tuple[Side, Any]:
        with self.tracer.regions.opened("test") as side:
            carries.enter(side.graph)
            with self.tracer.decided.kept():
                found = self.tracer.truths.truth(test())
            carries.test_assigns = carries.changed_names()
            side.graph.result = self.tracer._local(found)
            carries.leave()
            self.tracer.journal.pass_on(carries.get)
        return side, found

    def trace_body(
        self, carries: Carries, body: Any, stop: Stop | None, item: Any = None, before: Any = None
    ) -> tuple[Side, Any]:
        """`before`: the test, where the body reads what it assigns."""
        site = self.tracer.site
        with self.tracer.regions.opened("body") as side:
            carries.enter(side.graph)
            if before is not None:
                self.tracer.facts.assume(self.tracer.truths.truth(before()), True)
            try:
                body() if item is None else body(item(side.graph))
                flag = self.tracer.truths.truth(stop()) if stop is not None else False
            except Raised as raised:
                flag = self._always_raises(raised)
                self.tracer.site = site
            carries.collect()
            carries.leave()
            self.tracer.site = site
            self.tracer.journal.pass_on(carries.get)
        return side, flag

    def _always_raises(self, raised: Raised) -> bool:
        """A body that ends with a raise: it is checked that the body is not reached."""
        if self.tracer.raising.catches(raised.error, around=raised.around):
            raise self.tracer.regions.caught(raised)
        self.tracer.regions.checked(False, raised)
        return True

    # ------------------------------------------------------------------ for
    def for_(
        self, iterable: Any, body: Any, access: Access, stop: Stop | None, target: Any, peels: bool = True
    ) -> None:
        """for item in iterable: body(item), until stop(). `peels`: the first trip may run before the loop."""
        if type(iterable) is Gated:
            again = lambda side: self.for_(side, body, access, stop, target)
            self.tracer.gates.resolve(iterable, again, access, False)
            return
        if type(iterable) is Stepped:
            take = lambda item: iterable.take(item, body, access, stop)
            self.for_(iterable.source, take, access, stop, target, peels)
            return
        if stop is not None and id(iterable) in self.tracer.iteration.endless:
            loop_without_end(self.tracer, iterable, body, access, stop)
            return
        source = self.tracer.loop_sources.loop_source(iterable)
        staged = source is not None and source.length != 0
        if staged and self._try_stage_for(source, iterable, body, access, stop, target, peels):
            return
        if source is None and run_beside(self.tracer, iterable, body, access, stop):
            return
        self._run_for(self.tracer.iteration.steps(iterable, later=True), body, access, stop)

    def _run_for(self, items: Any, body: Any, access: Access, stop: Stop | None) -> None:
        """Python runs the loop; once its break flag is open, the trips that are left hang on it."""
        for item in items:
            body(item)
            if ended(self.tracer, stop, lambda: self._run_for(items, body, access, stop), access):
                return

    def _try_stage_for(
        self, source: Source, iterable: Any, body: Any, access: Access, stop: Stop | None, target: Any, peels: bool,
        written: tuple[Proxy, ...] = (),
    ) -> bool:  # fmt: skip
        """Stage a loop; where its body needs a Python number, take everything back and let Python run it. `written`: of what it goes
        over, the tensors that it writes."""
        fixed = source.length is not None
        unrolls = fixed and not self.tracer.options["strict"]
        self.fixed_loops += unrolls
        try:
            self._tried(
                lambda: self._stage_for(source, body, access, stop, target, peels and divides(iterable)),
                access,
                unrolls,
            )
        except (NeedsPython, OpenShape, UnsupportedConstruct) as error:
            if isinstance(error, WrittenRows) and share(error.rows, source.rows):
                written = (*written, *error.rows)
                placed = self.tracer.loop_sources.loop_source(iterable, written)
                if placed is not None:
                    return self._try_stage_for(placed, iterable, body, access, stop, target, peels, written)
            asked = error if isinstance(error, (NeedsPython, OpenShape)) else None
            if not (unrolls if asked else fixed and not isinstance(iterable, Proxy)):
                raise
            if asked:
                self.tracer.notes.append(f"a loop was unrolled: {asked.why}")
            return False
        except Unsettled as unsettled:
            loop = lambda others: self.for_(others, body, access, stop, target, False)
            peeled = (iterable, body, loop, stop, access)
            if fixed:
                peel(self.tracer, *peeled)
            else:
                peel_if_any(self.tracer, source, unsettled.error, *peeled)
        finally:
            self.fixed_loops -= unrolls
        return True

    def _stage_for(
        self, source: Source, body: Any, access: Access, stop: Stop | None, target: Any, peels: bool
    ) -> None:
        carries = Carries(self.tracer, access, stop)
        carries.peels, carries.may_peel = peels and source.length is not None, peels
        named, told = labels(target, source)
        host = all(kind == "int" for kind in source.kinds)

        def trace() -> Any:
            items: list[Value] = []

            def item(graph: Any) -> Any:
                for at, kind in enumerate(source.kinds):
                    known = source.item_type(at, self.tracer.promotion) if self.tracer.static_types else None
                    items.append(graph.add_placeholder(named[at], kind, known))
                    if not told:  # the body's variables do
                        items[-1].name = None
                return source.make([self.tracer.loop_sources._loop_item(v, source, at) for at, v in enumerate(items)])

            with carries.peeled_if_unusable():
                body_side, flag = self.trace_body(carries, body, stop, item)
            carries.append_items, carries.source = items, source
            carries.trips, carries.runs = source.length, bool(source.length)
            if flag is True and source.length is not None:
                raise NeedsPython("loop", "the loop ends in its first trip", self.tracer.span())
            carries.open_length = isinstance(flag, Value) or flag is True or source.open_range
            self.tracer.loop_sources._check_rows(source, body_side)
            return body_side, not host or (isinstance(flag, Value) and flag.is_tensor), flag, items

        body_side, _, flag, items = self._fixpoint(carries, trace)
        doubtful = carries.aliases is not None and carries.aliases.doubtful
        if doubtful and carries.runs and self.tracer.functions.share.trips:
            raise NeedsPython("loop", "it writes to views of what it wrote before", self.tracer.span())
        self.tracer.loop_sources._check_rows(source, body_side, carries.aliases)
        make_for(self.tracer, source, carries, body_side, flag, items)

    def map_(
        self, function: Callable[[Any], Any], iterable: Any, target: Any = "item", access: Access = NOTHING
    ) -> Any:
        """[function(item) for item in iterable], where the iterable's length is open; `access`: to the variables that
        the function assigns."""

        def work(iterable: Any, source: Any) -> Any:
            if source is None and not isinstance(iterable, (Combined, Stepped)):
                return [function(item) for item in self.tracer.iteration.steps(iterable)]
            return mapped(self.tracer, function, iterable, source, target, access)

        return self._over(iterable, access, work)

    def kept(
        self, function: Callable[[Any], Any], keeps: Callable[[Any], Any], iterable: Any,
        target: Any = "item", access: Access = NOTHING,
    ) -> Any:  # fmt: skip
        """[function(item) for item in iterable if keeps(item)]; `access` as in `map_`."""
        work = lambda iterable, source: kept(self.tracer, function, keeps, iterable, source, target, access)
        return self._over(iterable, access, work)

    def flat(
        self, function: Callable[[Any], Any], keeps: Callable[[Any], Any] | None, iterable: Any,
        target: Any = "item", access: Access = NOTHING,
    ) -> Any:  # fmt: skip
        """[x for item in iterable if keeps(item) for x in function(item)]; `access` as in `map_`."""
        work = lambda iterable, source: flat(self.tracer, function, keeps, iterable, source, target, access)
        return self._over(iterable, access, work)

    def _over(self, iterable: Any, access: Access, work: Callable[[Any, Any], Any]) -> Any:
        """work(iterable, its source: None where Python goes over it), on each side of the test that decides what is gone over."""
        if type(iterable) is Gated:
            return self.tracer.gates.resolve(iterable, lambda side: self._over(side, access, work), access)
        source = None if isinstance(iterable, range) else self.tracer.loop_sources.loop_source(iterable)
        return work(iterable, source)

    def fold(
        self, iterable: Any, step: Callable[[Any, Any], Any], found: Any, name: str,
        target: Any = "item", access: Access = NOTHING,
    ) -> Any:  # fmt: skip
        """What `found` becomes when each item takes its turn: found = step(found, item); `access` as in `map_`."""

        def put(value: Any) -> None:
            nonlocal found
            found = value

        every = access.beside(name, lambda: found, put)
        self.for_(iterable, lambda item: put(step(found, item)), every, None, target)
        return found
