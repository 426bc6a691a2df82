"""What a staged loop carries from trip to trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Graph, Value

from .aliases import mutable
from .carried import NUMBERS, ORDER, Carried, carryable, kind_of, poison, same
from .carried_aliases import CarriedAliases
from .hints import loop_key, recall, remember
from .journal import MISSING, Slot, held_values
from .nest import Maybe, alike, branches, rebuilt
from .proxy import HostProxy, NeedsPython, Proxy, Undefined, Unusable, widest
from .rows import StackedRows, length_error

if TYPE_CHECKING:
    from .regions import Side
    from .tracer import Tracer


class Carries:
    """The carried leaves of a loop under construction.

    Variables are compared with what the body met: what differs is carried. A list, dictionary or dataclass is taken apart only where
    the body puts another one in its place; one that is changed in place is carried by the slots that were written.
    """

    def __init__(self, tracer: Tracer, get: Any, set_: Any, names: Sequence[str], stop: Any = None) -> None:
        self.tracer, self.get, self.set, self.names = tracer, get, set_, names
        # A break flag is false wherever the loop still runs.
        self.flags = frozenset(stop.__code__.co_freevars) & frozenset(names) if stop is not None else frozenset()
        self.span = tracer.span()
        self.before: tuple = get()
        self.entry: list[Any] = list(self.before)  # `before`, with what the loop defines as Maybe
        self.slots: list[Carried] = []
        self.leaves: dict[tuple, Carried] = {}
        self.dropped: set[tuple] = set()
        self.kept: set[tuple] = set()  # leaves that were dropped once and proved to change after all
        self.flat: set[tuple] = set()  # containers that are taken apart
        self.copies: set[int] = set()
        self.written: list[tuple[Slot, Any]] = []
        self.after: tuple = ()
        self.held: dict[int, Any] = {}  # what tensors held at the end of the body, by id of the Proxy
        self.host = True
        self.test_assigns = False
        self.runs = False  # whether there is at least one trip
        self.appended: dict[tuple, tuple[Slot, list[Any]]] = {}
        self.append_items: list[Value] = []
        self.aliases: CarriedAliases | None = None
        self.open_length = False  # whether only data tells how many trips there are
        self.key = loop_key(self)
        self.replan()
        recall(self, tracer.loop_hints.get(self.key))

    def replan(self) -> None:
        """Plan what the variables hold as carried leaves."""
        for name, value in zip(self.names, self.entry):
            self._plan(name, value, (name,))

    def drop(self, path: tuple) -> None:
        """Do not carry a leaf."""
        self._drop(path, self.leaves[path])

    # ------------------------------------------------------------------ planning
    def _plan(self, name: str, value: Any, path: tuple) -> None:
        if carryable(value):
            self._add(path, Carried(name, value, kind_of(value), getattr(value, "backend", self.tracer.backend)))
        elif isinstance(value, (tuple, Maybe)) or path in self.flat:
            for key, item in branches(value) or ():
                label = (
                    name
                    if type(value) is Maybe and key == "value"
                    else f"{name}_{key}"
                    if str(key).isidentifier() or isinstance(key, int)
                    else name
                )
                self._plan(label, item, (*path, key))

    def _add(self, path: tuple, carried: Carried) -> None:
        if path not in self.dropped and path not in self.leaves:
            self.leaves[path] = carried
            self.slots.append(carried)

    # ------------------------------------------------------------------ tracing
    def enter(self, graph: Graph) -> None:
        """Begin a region: carried leaves stand as its placeholders, in the variables and slots that hold them."""
        tracer = self.tracer
        self.copies.clear()
        for carried in self.slots:
            kind = carried.kind if self.host or carried.kind in ("tensor", "optional", "key") else "tensor"
            value = carried.inner = graph.add_placeholder(carried.name, kind, carried.type(tracer, kind))
            value.name = carried.name if carried.name.isidentifier() else None
            if isinstance(carried.init, bool):
                tracer.booleans.add(value)
            if carried.slot is not None:
                proxy = carried.entered = carried.wrapped(tracer, value)
                tracer.journal.record(carried.slot.object, carried.slot.key, carried.slot.kind, carried.slot.name)
                carried.slot.set(value if carried.slot.kind == "proxy" else proxy)
        self.set(tuple(self._inside(value, (name,)) for name, value in zip(self.names, self.entry)))
        self.entered = self.get()
        if self.aliases is not None:
            self.aliases.apply(
                "entered", "a loop carries {!r}: in the first trip it is the tensor from before the loop"
            )

    def _inside(self, value: Any, path: tuple) -> Any:
        carried = self.leaves.get(path)
        if carried is not None:
            carried.entered = carried.wrapped(self.tracer, carried.inner)
            return False if path[0] in self.flags else carried.entered
        if isinstance(value, (tuple, Maybe)) or path in self.flat:
            parts = branches(value) or []
            items = [self._inside(item, (*path, key)) for key, item in parts]
            if path not in self.flat and all(new is old for new, (_, old) in zip(items, parts)):
                return value
            made = rebuilt(value, items)
            self.copies.add(id(made))
            return made
        return value

    def changed_names(self) -> bool:
        """Whether the loop's test assigned a variable."""
        return any(a is not b for a, b in zip(self.entered, self.get()))

    def collect(self) -> None:
        """At the end of the body: what the variables and slots hold now."""
        self.after = self.get()
        self.held = held_values(
            self.after, [c.slot.get() for c in self.slots if c.slot is not None and c.slot.kind != "proxy"]
        )
        for carried in self.slots:
            if carried.slot is not None:
                held = carried.slot.get()
                carried.out = Proxy(held, carried.backend) if carried.slot.kind == "proxy" else held

    def read(self, out: Any) -> Any:
        """What a leaf held at the end of the body."""
        if type(out) is Proxy and id(out) in self.held:
            return self.held[id(out)]
        return out.read() if isinstance(out, (Proxy, HostProxy)) else out

    def leave(self) -> None:
        """Behind a region: the variables as they were before the loop."""
        self.set(self.before)

    # ------------------------------------------------------------------ settling
    def settle(self, side: Side, tensor: bool) -> bool:
        """Whether the assumptions of this pass hold; if not, better ones are made for the next."""
        stable = True
        if tensor and self.host:
            self.host, stable = False, False
        for at, name in enumerate(self.names):
            stable &= self._settle(at, (name,), name, self.entry[at], self.entered[at], self.after[at])
        for path, carried in list(self.leaves.items()):
            if carried.slot is not None:
                stable &= self._settle_leaf(path, carried)
        for slot, value in side.written:
            stable &= self._settle_slot(slot, value)
        return self._settle_aliases(side) and stable

    def _settle_aliases(self, side: Side) -> bool:
        """What the carried tensors may be besides tensors of their own; in the body that matters once it writes to any."""
        first = self.aliases is None
        self.aliases = CarriedAliases([c for c in self.slots if c.slot is None or c.slot.kind != "proxy"], side.graph)
        key = self.tracer.key
        writes = any(slot.kind == "proxy" and slot.object is not key for slot, _ in side.written)
        return not (first and self.aliases.any and (writes or self.aliases.written))

    def _settle(self, at: int, path: tuple, name: str, before: Any, entered: Any, after: Any) -> bool:
        """Compare what stood at a path before the body and after it."""
        carried = self.leaves.get(path)
        if carried is not None:
            carried.out = after
            return self._settle_leaf(path, carried)
        if after is entered:
            return self._drop_below(path)
        if path in self.dropped and not same(before, after):
            self.dropped.discard(path)
            self.kept.add(path)
            self._plan(name, before, path)
            return False
        if type(before) is Maybe and type(after) is not Maybe and not isinstance(after, (Undefined, Unusable)):
            after = Maybe(after, True, before.name)
        if alike(before, after):
            if path not in self.flat and not isinstance(before, (tuple, Maybe)):
                self.flat.add(path)
                self._plan(name, before, path)
                return False
            parts = zip(branches(before) or (), branches(entered) or (), branches(after) or ())
            return all([self._settle(at, (*path, k), f"{name}_{k}", b, e, a) for (k, b), (_, e), (_, a) in parts])  # noqa: C419 - every part settles
        if same(before, after) or (isinstance(entered, Unusable) and not isinstance(entered, Maybe)):
            return True
        return self._unusable(at, path, before, after)

    def _drop_below(self, path: tuple) -> bool:
        """A container that is left as it was carries nothing."""
        below = [
            p for p in self.leaves if p[: len(path)] == path and self.leaves[p].slot is None and p not in self.kept
        ]
        for inner in below:
            self._drop(inner, self.leaves[inner])
        return not below

    def _unusable(self, at: int, path: tuple, before: Any, after: Any) -> bool:
        """A variable that cannot be carried: one that the loop defines gets a placeholder value, others may not be read."""
        name = self.names[at]
        if isinstance(before, Undefined) and len(path) == 1:
            zero = poison(self.tracer, after)
            if zero is not None:
                sure = (
                    self.runs and not isinstance(after, Unusable)
                ) or not before.name.isidentifier()  # a flag of its own guards what is returned
                self.entry[at] = zero if sure else Maybe(zero, False, name)
                self._plan(name, self.entry[at], path)
                return False
            if isinstance(after, Undefined):
                return True
            what = f"GFX cannot convert this read: {name!r} is only defined if the loop runs, and its kind is not known before"
            self.entry[at] = _Later(UnsupportedConstruct(what, self.span, f"define {name!r} before the loop"))
            return True
        said = (
            "is None before the loop"
            if before is None
            else f"becomes {_noun(after)} in the loop, and was {_noun(before)} before"
        )
        self._drop_below((name,))
        what = f"GFX cannot convert this loop: {name!r} {said}, which no graph can carry from trip to trip"
        self.entry[at] = Unusable(UnsupportedConstruct(what, self.span, "keep its kind, length and keys"))
        return False

    def _settle_leaf(self, path: tuple, carried: Carried) -> bool:
        out = carried.out
        if not carryable(out):
            self._refuse(carried, out)
        if (
            out is carried.entered
            and mutable(out)
            and out.value is not carried.inner
            and type(carried.init) is Proxy
            and path not in self.kept
        ):
            self._drop(
                path, carried
            )  # written in place, and the same tensor still: what was there before the loop is carried
            return False
        value = self.read(out)
        if path not in self.kept:
            constant = (
                not isinstance(value, Value)
                and not isinstance(carried.init, (Proxy, HostProxy))
                and same(value, carried.init)
            )
            if value is carried.inner or constant:
                self._drop(path, carried)
                return False
        carried.check_type(self.tracer, value, self.span)
        if carried.weak and isinstance(out, Proxy) and out.weak != carried.weak:
            carried.weak = widest(carried.weak, out.weak) if out.weak else ""
            return False
        if (
            not carried.weak
            and carried.number
            and not carried.becomes(getattr(value, "type", None), self.runs, self.tracer.promotion, self.span)
        ):
            return False
        kind = value.kind if isinstance(value, Value) else kind_of(out)
        wider = max(kind, carried.kind, key=ORDER.index) if {kind, carried.kind} <= set(ORDER) else kind
        if wider != carried.kind and (self.host or wider in ("tensor", "optional")):
            carried.kind = wider
            return not self.host and carried.inner is not None and carried.inner.kind == wider
        return True

    def _drop(self, path: tuple, carried: Carried) -> None:
        self.dropped.add(path)
        del self.leaves[path]
        self.slots.remove(carried)

    def _refuse(self, carried: Carried, out: Any) -> None:
        if isinstance(out, Unusable):
            raise out.error
        what = "is undefined" if isinstance(out, Undefined) else f"becomes {_noun(out)}"
        raise UnsupportedConstruct(
            f"GFX cannot convert this loop: {carried.name!r} {what} in the loop's body", self.span
        )

    def _settle_slot(self, slot: Slot, value: Any) -> bool:
        path = ("slot", slot.id)
        if slot.kind == "base":  # undecided in a later part of the body is undecided in the next trip
            if slot.get() is slot.old:
                self.tracer.journal.commit([(slot, value)])
                return False
            return True
        if id(slot.object) in self.copies:
            raise NeedsPython("the loop changes a container in place and puts another one in its place", self.span)
        if path in self.leaves:
            return True
        if slot.kind == "contents":
            return self._settle_contents(slot, value)
        old = Proxy(slot.old, slot.object.backend) if slot.kind == "proxy" else slot.old
        held = Proxy(value, slot.object.backend) if slot.kind == "proxy" else value
        if same(old, held) or (slot.kind == "proxy" and slot.old is value):
            return True
        if not carryable(old):
            raise NeedsPython(f"the loop writes {slot.name!r}, which no graph can carry from trip to trip", self.span)
        if not carryable(held):
            raise NeedsPython(f"the loop writes {slot.name!r}", self.span)
        if path in self.dropped:
            self.dropped.discard(path)
            self.kept.add(path)
        self._add(path, Carried(slot.name, old, kind_of(old), getattr(old, "backend", self.tracer.backend), slot))
        return False

    def _settle_contents(self, slot: Slot, value: Any) -> bool:
        old = slot.old
        if self.open_length and len(value) != len(old):
            raise length_error(slot, "in a loop whose number of trips hangs on data", self.tracer.site)
        if not isinstance(value, list) or len(value) < len(old) or any(a is not b for a, b in zip(old, value)):
            raise NeedsPython(f"the loop changes the contents of {slot.name!r}", self.span)
        added = value[len(old) :]
        if old or not added or not all(isinstance(x, Proxy) for x in added):
            raise NeedsPython(
                f"the loop appends to {slot.name!r}, which is not a list of tensors that starts empty", self.span
            )
        self.appended[slot.id] = (slot, added)
        return True

    # ------------------------------------------------------------------ making the node
    def exit_position(self, flag: Any) -> int | None:
        """Which carried value ends the loop; one behind the last where the flag is none of them."""
        if not isinstance(flag, Value):
            return len(self.slots) if flag is True else None
        for at, carried in enumerate(self.slots):
            if isinstance(carried.out, (Proxy, HostProxy)) and self.read(carried.out) is flag:
                return at
        return len(self.slots)

    def close_body(self, side: Side, flag: Any, exit_: int | None) -> list[Any]:
        """Set the body's result; gives the appended items, stacked results behind the carried ones."""
        tracer = self.tracer
        stacked = [(slot, item) for slot, items in self.appended.values() for item in items]
        with tracer._within(side):
            outs = [tracer._local(self.read(c.out)) for c in self.slots]
            if exit_ == len(self.slots):
                outs.append(flag)
            outs += [tracer._local(item.read()) for _, item in stacked]
            side.graph.result = tuple(outs)
        return stacked

    def initial(self) -> tuple:
        """The values before the first trip."""
        return tuple(self.tracer._local(c.first(self.tracer)) for c in self.slots)

    def kinds(self) -> tuple[str, ...]:
        """Kinds of the carried values."""
        return tuple(c.inner.kind if c.inner is not None else c.kind for c in self.slots)

    def finish(self, values: tuple, stacked: Sequence[Any] = (), ys: Sequence[Value] = ()) -> None:
        """Behind the node: variables and slots hold its outputs."""
        tracer = self.tracer
        tracer.loop_hints[self.key] = remember(self)
        results: dict[int, Any] = {}
        for carried, value in zip(self.slots, values):
            value.name = carried.name if carried.name.isidentifier() else None
            if value.type is None and carried.inner is not None and value.kind == carried.inner.kind == "tensor":
                value.type = carried.inner.type
            if isinstance(carried.init, bool) and tracer.is_boolean(self.read(carried.out)):
                tracer.booleans.add(value)
            results[id(carried)] = carried.result = carried.wrapped(tracer, value)
        self.set(tuple(self._outside(v, (n,), results) for n, v in zip(self.names, self.entry)))
        slots = [
            (c.slot, values[at] if c.slot.kind == "proxy" else results[id(c)])
            for at, c in enumerate(self.slots)
            if c.slot
        ]
        tracer.journal.commit(slots)
        if self.aliases is not None:
            self.aliases.apply("result", "a loop carries {!r}: if it does not run, it is the tensor from before")
        for (slot, item), y in zip(stacked, ys):
            y.name = None
            from_rows = StackedRows(tracer.wrap(y, item.backend))
            tracer.journal.commit([(slot, [from_rows])])

    def _outside(self, value: Any, path: tuple, results: dict[int, Any]) -> Any:
        carried = self.leaves.get(path)
        if carried is not None:
            return results[id(carried)]
        if isinstance(value, (tuple, Maybe)) or path in self.flat:
            parts = branches(value) or []
            items = [self._outside(item, (*path, key), results) for key, item in parts]
            if all(new is old for new, (_, old) in zip(items, parts)):
                return value
            made = rebuilt(value, items)
            if path in self.flat:
                self.tracer.journal.shared[id(made)] = made
            return made
        return Unusable(value.error) if type(value) is _Later else value


class _Later(Undefined):
    """A variable that a loop defines and that cannot be carried: undefined inside, and not to be read behind the loop."""

    __slots__ = ("error",)

    def __init__(self, error: UnsupportedConstruct) -> None:
        self.error = error
        super().__init__("")


def _noun(x: Any) -> str:
    inner = branches(x)
    return (
        f"a {type(x).__name__} of length {len(inner)}"
        if inner is not None
        else "None"
        if x is None
        else f"a {type(x).__name__}"
    )


__all__ = ["MISSING", "NUMBERS", "Carries"]
