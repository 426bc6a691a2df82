"""Loops: run by Python while their test is fixed, staged as `while`/`for` nodes once it is not.

The carried values are found by tracing the body until nothing changes: what the body leaves different from what it met is carried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from gfx_ir import dtypes, ops
from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.graph import Node, Value
from gfx_ir.op import lookup
from gfx_ir.source import Scope, Span
from gfx_ir.types import LogicalTensor

from .aliases import Row, mutable, root_of
from .builtin_calls import Combined, OpenRange
from .carries import Carries
from .proxy import NeedsPython, Proxy
from .regions import Raised, Side

if TYPE_CHECKING:
    from .tracer import Tracer

_PASSES = 12


class Restage(Exception):
    """An assumption about the carried values did not hold: trace the body again."""


class Loops:
    """The part of the Tracer that knows loops."""

    def while_(self: Tracer, test: Any, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any) -> None:
        """while not stop() and test(): body()."""
        tried = False
        while True:
            flag = False if stop is None else self.truth(stop())
            if isinstance(flag, Value):
                self._stage_while(lambda: True, body, get, set_, names, stop, test)
                return
            if flag:
                return
            found = self._probe(test, get, set_)
            if isinstance(found, Value):
                self._stage_while(test, body, get, set_, names, stop)
                return
            if not found:
                return
            if stop is not None and not tried:
                tried = True
                if self._stops_open(body, get, set_, stop):
                    self._stage_while(test, body, get, set_, names, stop)
                    return
            body()

    def _probe(self: Tracer, test: Any, get: Any, set_: Any) -> Any:
        """The truth of a loop's test here; what an open one recorded is taken back."""
        before, last = get(), self.graph.last
        self.journal.open()
        found = self.truth(test())
        written = self.journal.close()
        if isinstance(found, Value):
            set_(before)
            self.truncate(last)
        else:
            self.journal.commit(written)
        return found

    def truncate(self: Tracer, last: Node | None) -> None:
        """Erase the nodes behind `last`."""
        while self.graph.last is not last:
            node = self.graph.last
            assert node is not None
            self.graph.detach(node)

    def _stops_open(self: Tracer, body: Any, get: Any, set_: Any, stop: Any) -> bool:
        """Whether a trip of the body leaves its break flag open."""
        before = get()
        with self.opened("trial"):
            try:
                body()
                found = isinstance(self.truth(stop()), Value)
            except Raised:
                found = True
        set_(before)
        return found

    # ------------------------------------------------------------------ while
    def _stage_while(
        self: Tracer, test: Any, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any, full: Any = None
    ) -> None:
        test = full or test
        carries = Carries(self, get, set_, names, stop)
        site = self.site
        for _ in range(_PASSES):
            self.site = site
            try:
                test_side, found = self._trace_test(carries, test)
            except Raised as raised:  # the test is reached whatever follows
                carries.leave()
                raise raised if self.stack else raised.error from None
            self.site = site
            body_side, flag = self._trace_body(carries, body, stop, test if carries.test_assigns else None)
            tensor = found.is_tensor if isinstance(found, Value) else False
            tensor = tensor or (isinstance(flag, Value) and flag.is_tensor)
            carries.open_length = True
            if carries.settle(body_side, tensor):
                break
        else:
            raise self.error("GFX cannot convert this loop: the kinds of what it carries do not settle")
        self.site = site
        self._make_while(carries, test_side, found, body_side, flag)

    def _trace_test(self: Tracer, carries: Carries, test: Any) -> tuple[Side, Any]:
        with self.opened("test") as side:
            carries.enter(side.graph)
            found = self.truth(test())
            carries.test_assigns = carries.changed_names()
            side.graph.result = self._local(found)
        carries.leave()
        return side, found

    def _trace_body(
        self: Tracer, carries: Carries, body: Any, stop: Any, test: Any, item: Any = None
    ) -> tuple[Side, Any]:
        site = self.site
        with self.opened("body") as side:
            carries.enter(side.graph)
            if test is not None:
                test()
            try:
                body() if item is None else body(item(side.graph))
                flag = self.truth(stop()) if stop is not None else False
            except Raised as raised:
                flag = self._always_raises(raised)
                self.site = site
            carries.collect()
            carries.leave()
            self.site = site  # no frame of the body is left alive
            self.journal.forget_owned(carries.after)
        carries.written = side.written
        return side, flag

    def _always_raises(self: Tracer, raised: Raised) -> bool:
        """A body that ends with a raise: it is checked that the body is not reached."""
        if self.handlers_depth:
            raise self.caught(raised)
        text = self.unwrap(raised.error.args[0]) if raised.error.args else ""
        ops.check(False, text, type(raised.error).__name__)
        return True

    def _make_while(self: Tracer, carries: Carries, test_side: Side, found: Any, body_side: Side, flag: Any) -> None:
        exit_ = carries.exit_position(flag)
        sides = [test_side, body_side]
        carries.close_body(body_side, flag, exit_)
        host = carries.host
        operands = self.outer_operands([(s.graph, s.captures) for s in sides])
        if exit_ == len(carries.slots):  # a flag of its own behind the carried values
            for side in sides:
                at = len(carries.slots)
                kind = "bool" if host else "tensor"
                extra = side.graph.add_placeholder("done", kind)
                side.graph.placeholders.pop()
                side.graph.placeholders.insert(at, extra)
        init = carries.initial() + ((False,) if exit_ == len(carries.slots) else ())
        kinds = carries.kinds() + (("bool" if host else "tensor",) if exit_ == len(carries.slots) else ())
        op = lookup("host_while" if host else "while")
        node = Node(op, (init, operands, exit_), kinds, self.span(), tuple(s.graph for s in sides))
        self.append(node)
        carries.finish(node.values)

    # ------------------------------------------------------------------ for
    def for_(
        self: Tracer, iterable: Any, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any, target: Any
    ) -> None:
        """for item in iterable: body(item), until stop()."""
        source = self.loop_source(iterable)
        if source is not None and self._try_stage_for(source, body, get, set_, names, stop, target, iterable):
            return
        items = self.stepped(iterable) if isinstance(iterable, GeneratorType) else iter(iterable)
        self._run_for(items, body, get, set_, names, stop)

    def stepped(self: Tracer, generator: GeneratorType) -> Any:
        """The items of a generator; an error inside of it tells which loop asked."""
        site = self.span()
        while True:
            try:
                item = next(generator)
            except StopIteration:
                return
            except CaptureError as error:
                inner = error.span
                if inner is not None and site is not None and inner.scope is site.scope:
                    error.span = Span(
                        inner.file, inner.line, inner.name, Scope(inner.name, "function", parent=site.scope, site=site)
                    )
                raise
            yield item

    def _run_for(self: Tracer, items: Any, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any) -> None:
        """Python runs the loop; once its break flag is open, the trips that are left hang on it."""
        for item in items:
            body(item)
            if stop is None:
                continue
            flag = self.truth(stop())
            if isinstance(flag, Value):
                rest = lambda: self._run_for(items, body, get, set_, names, stop)
                self.branch(flag, None, rest, get, set_, names, False)
                return
            if flag:
                return

    def loop_source(self: Tracer, iterable: Any) -> Source | None:
        """The iterables of a loop that can be staged, and how an item is made from one value of each; None: run it."""
        if self.options["unroll"] is True and isinstance(iterable, range):
            return None
        if isinstance(iterable, range):
            return Source([("range", iterable.start, iterable.stop, iterable.step)], _first, ["int"], len(iterable))
        if isinstance(iterable, OpenRange):
            ends = tuple(self.unwrap(x) for x in (iterable.start, iterable.stop, iterable.step))
            tensor = any(isinstance(x, Value) and x.is_tensor for x in ends)
            return Source([("range", *ends)], _first, ["tensor" if tensor else "int"], None)
        if isinstance(iterable, Proxy):
            value = iterable.read()
            dims = getattr(getattr(value, "type", None), "dims", None)
            return Source(
                [value], _first, ["tensor"], dims[0] if dims and isinstance(dims[0], int) else None, [iterable]
            )
        if isinstance(iterable, Combined):
            return self._combined_source(iterable)
        return None

    def _combined_source(self: Tracer, iterable: Combined) -> Source | None:
        parts = [self.loop_source(part) for part in iterable.parts]
        if any(part is None for part in parts):
            return None
        found: list[Source] = [p for p in parts if p is not None]
        if iterable.kind == "reversed":
            return self._reversed_source(found[0])
        if iterable.kind == "enumerate":
            counter = ("range", iterable.start, _length_end(self, iterable.start, found[0]), 1)
            found.insert(0, Source([counter], _first, ["int"], None))
        return _zipped(found)

    def _reversed_source(self: Tracer, source: Source) -> Source | None:
        (only,) = source.items
        if isinstance(only, Value):
            return Source([ops.flip(only, 0)], source.make, source.kinds, source.length, source.owners)
        return None

    def _try_stage_for(
        self: Tracer,
        source: Source,
        body: Any,
        get: Any,
        set_: Any,
        names: Sequence[str],
        stop: Any,
        target: Any,
        iterable: Any,
    ) -> bool:
        """Stage a loop; where its body needs a Python number, take everything back and let Python run it."""
        before, last, site = get(), self.graph.last, self.site
        fixed = source.length is not None
        if fixed and source.length == 0:
            return False
        self.journal.open()
        try:
            self._stage_for(source, body, get, set_, names, stop, target)
        except NeedsPython as error:
            self.journal.close()
            self.site = site
            if not fixed or self.options["strict"]:
                raise
            set_(before)
            self.truncate(last)
            self.notes.append(f"a loop was unrolled: {error.what}")
            return False
        except UnsupportedConstruct:
            self.journal.close()
            self.site = site
            if not fixed or isinstance(iterable, Proxy):
                raise
            set_(before)
            self.truncate(last)
            return False
        self.journal.commit(self.journal.close())
        return True

    def _stage_for(
        self: Tracer, source: Source, body: Any, get: Any, set_: Any, names: Sequence[str], stop: Any, target: Any
    ) -> None:
        carries = Carries(self, get, set_, names, stop)
        site = self.site
        labels = _labels(target, len(source.items))
        host = all(kind == "int" for kind in source.kinds)
        for _ in range(_PASSES):
            self.site = site
            items: list[Value] = []

            def item(graph: Any, items: list[Value] = items) -> Any:
                for at, kind in enumerate(source.kinds):
                    items.append(
                        graph.add_placeholder(
                            labels[at], kind, source.item_type(at, self.promotion) if self.static_types else None
                        )
                    )
                return source.make([self._loop_item(v, source, at) for at, v in enumerate(items)])

            body_side, flag = self._trace_body(carries, body, stop, None, item)
            carries.append_items = items
            carries.runs = bool(source.length)
            if flag is True and source.length is not None:
                raise NeedsPython("the loop ends in its first trip", self.span())
            carries.open_length = isinstance(flag, Value) or flag is True or source.open_range
            self._check_rows(source, body_side)
            if carries.settle(body_side, not host or (isinstance(flag, Value) and flag.is_tensor)):
                break
        else:
            raise self.error("GFX cannot convert this loop: the kinds of what it carries do not settle")
        self.site = site
        self._make_for(source, carries, body_side, flag, items)

    def _loop_item(self: Tracer, value: Value, source: Source, at: int) -> Any:
        """An item as the body sees it: a number of a range is a Python number, a row may not be written as long as it is a row."""
        made = self.wrap(value, self.backend)
        if isinstance(made, Proxy) and isinstance(source.items[at], tuple):
            made.weak = "int"
        elif mutable(made) and source.owners[at] is not None:
            made.base = Row(source.owners[at], source.length is not None)
        return made

    def _check_rows(self: Tracer, source: Source, side: Side) -> None:
        """A loop may not write the tensor over whose rows it runs: those to come would change."""
        written = {id(slot.object) for slot, _ in side.written if slot.kind == "proxy"}
        if any(owner is not None and id(root_of(owner)) in written for owner in source.owners):
            raise NeedsPython(
                "the loop writes the tensor over whose rows it runs",
                self.span(),
                "loop over range(len(x)), or give the argument's shape at capture",
            )

    def _make_for(self: Tracer, source: Source, carries: Carries, side: Side, flag: Any, items: list[Value]) -> None:
        exit_ = carries.exit_position(flag)
        stacked = carries.close_body(side, flag, exit_)
        operands = self.outer_operands([(side.graph, side.captures)])
        placeholders = [p for p in side.graph.placeholders if p not in items]
        extra_init: tuple = ()
        extra_kinds: tuple = ()
        if exit_ is not None and exit_ == len(carries.slots):
            done = side.graph.add_placeholder("done", "bool" if carries.host else "tensor")
            placeholders.insert(exit_, done)
            extra_init, extra_kinds = (False,), (done.kind,)
        side.graph.placeholders[:] = [*items, *placeholders]
        op = lookup("host_for" if carries.host and all(k == "int" for k in source.kinds) else "for")
        kinds = carries.kinds() + extra_kinds + ("tensor",) * len(stacked)
        init = carries.initial() + extra_init
        args = (tuple(self._local_tree(i) for i in source.items), init, operands, exit_)
        node = Node(op, args, kinds, self.span(), (side.graph,))
        self.append(node)
        carries.finish(node.values[: len(init)], stacked, node.values[len(init) :])

    def _local_tree(self: Tracer, item: Any) -> Any:
        return tuple(self._local(x) for x in item) if isinstance(item, tuple) else self._local(item)

    def map_(self: Tracer, function: Callable[[Any], Any], iterable: Any, target: Any = "item") -> list[Any]:
        """[function(item) for item in iterable], where the iterable's length is open."""
        outs: list[Any] = []
        if self.loop_source(iterable) is None or isinstance(iterable, range):
            return [function(item) for item in iterable]

        def body(item: Any) -> None:
            self.append_item(outs, function(item))

        self.for_(iterable, body, lambda: (), lambda values: None, (), None, target)
        return outs

    def append_item(self: Tracer, items: list[Any], item: Any) -> None:
        """items.append(item), recorded."""
        self.journal.record(items, None, "contents", "a container", self.span())
        items.append(item)


class Source:
    """What a staged loop runs over."""

    def __init__(
        self,
        items: list[Any],
        make: Callable[[list[Any]], Any],
        kinds: list[str],
        length: int | None,
        owners: list[Any] | None = None,
    ) -> None:
        self.items, self.make, self.kinds, self.length = items, make, kinds, length
        self.owners = owners or [None] * len(items)  # tensors whose rows the items are

    @property
    def open_range(self) -> bool:
        """Whether it is a range whose ends are data."""
        return any(isinstance(i, tuple) and any(isinstance(e, Value) and e.is_tensor for e in i) for i in self.items)

    def item_type(self, at: int, promotion: str) -> Any:
        """Type of one item, where known."""
        if self.kinds[at] == "tensor" and isinstance(self.items[at], tuple):
            return LogicalTensor(dtypes.default("i", promotion), (), weak=True)
        type_ = getattr(self.items[at], "type", None)
        if isinstance(type_, LogicalTensor) and type_.dims:
            return type_.with_(dims=type_.dims[1:])
        return None


def _first(values: list[Any]) -> Any:
    return values[0]


def _zipped(parts: list[Source]) -> Source:
    sizes = [len(part.items) for part in parts]

    def make(values: list[Any]) -> Any:
        out, at = [], 0
        for part, size in zip(parts, sizes):
            out.append(part.make(values[at : at + size]))
            at += size
        return tuple(out)

    lengths = [part.length for part in parts if part.length is not None]
    return Source(
        [i for p in parts for i in p.items], make, [k for p in parts for k in p.kinds], min(lengths) if lengths else None,
        [o for p in parts for o in p.owners],
    )  # fmt: skip


def _length_end(tracer: Any, start: Any, source: Source) -> Any:
    if source.length is not None and isinstance(start, int):
        return start + source.length
    item = source.items[0]
    size = ops.size(item, 0) if isinstance(item, Value) else item[2]
    return tracer.host("+", tracer.unwrap(start), size) if start != 0 else size


def _labels(target: Any, count: int) -> list[str]:
    names: list[str] = []

    def walk(item: Any) -> None:
        if isinstance(item, str):
            names.append("i" if item == "_" else item.lstrip("*"))
        else:
            for inner in item or ():
                walk(inner)

    walk(target)
    return (
        names
        if len(names) == count
        else [f"item_{at}" for at in range(count)]
        if count > 1
        else [names[0] if names else "item"]
    )
