"""What a staged loop carries from trip to trip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.graph import Graph, Value
from gfx_ir.infer.abstract import NUMBERS

from ..heap.aliases import called as called_tensor
from ..heap.contents import unchanged
from ..heap.journal import held_value, held_values
from ..heap.made import WRITABLE
from ..interfaces import Capturing
from ..python.rows import called
from ..values.access import Access, Stop
from ..values.either import Source
from ..values.gated import is_total
from ..values.item_kinds import holds_containers
from ..values.nest import branches, part_name, rebuilt
from ..values.proxy import Proxy, Unusable, is_open
from .appended import Appended, check_held, may_hold
from .carried import Carried, Unsettled, carryable, kind_of, part_label
from .carried_aliases import CarriedAliases
from .carried_containers import CarriedContainers
from .carried_lists import CarriedList
from .carried_refs import CarriedRefs
from .sides import Side
from .sources import Source as LoopSource


class Carries:
    """The carried leaves of a loop under construction.

    Variables are compared with what the body met: what differs is carried. A list, dictionary or dataclass is taken apart only where
    the body puts another one in its place; one that is changed in place is carried by the slots that were written.
    """

    def __init__(self, tracer: Capturing, access: Access, stop: Stop | None = None, inner: Sequence[str] = ()) -> None:
        """`inner`: variables that the loop's test assigns and nothing behind the loop reads."""
        self.tracer, (self.get, self.set, self.names, self.even) = tracer, access
        self.inner = frozenset(inner)
        # A break flag is false wherever the loop still runs.
        self.flags = stop.flags if stop is not None else ()
        self.returned = stop.returned if stop is not None else ()  # a trip begins before any return
        self.span = tracer.span()
        self.loop = object()  # what stands for it where nothing of it may be kept alive
        self.before: tuple = tuple(map(tracer.arrays.as_joined, self.get()))
        self.entry: list[Any] = list(self.before)  # `before`, with what the loop defines as gated by whether it ran
        self.behind: dict[
            str, Unusable
        ] = {}  # variables that the loop defines and nothing carries: not to be read behind it
        self.slots: list[Carried] = []
        self.leaves: dict[tuple, Carried] = {}
        self.dropped: set[tuple] = set()
        self.through: dict[tuple, Any] = {}  # tensors from outside that the loop returns, if it returns
        self.kept: set[tuple] = set()  # leaves that were dropped once and proved to change after all
        self.flat: set[tuple] = set()  # containers that are taken apart
        self.containers = CarriedContainers(tracer.journal, self.returned)  # what each of these is
        self.after: tuple = ()
        self.begun: dict[Value, Carried] = {}  # what stood for each when a trip began, and when its test did
        self.held: dict[int, Any] = {}  # what tensors held at the end of the body, by id of the Proxy
        self.host = True
        self.test_assigns: frozenset[str] = frozenset()
        self.runs = False  # whether there is at least one trip
        self.may_peel = False  # the same where it may have none
        self.peels = False  # whether that may run before the loop, so that what it changes for good is settled
        self.trips: int | None = None  # how many there are, where that is fixed and none ends the loop early
        self.appended = Appended(tracer)
        self.append_items: list[Value] = []
        self.source: LoopSource | None = None  # what a `for` goes over
        self.aliases: CarriedAliases | None = None
        self.refs = CarriedRefs(tracer)
        self.wholes: dict[tuple, Any] = {}  # what slots of which parts are carried hold when a trip begins
        self.ran: Any = None  # what tells behind the loop whether there was a first trip
        self.open_length = False  # whether only data tells how many trips there are
        self.body: Graph | None = None  # the body, as the last pass traced it
        self.replan()

    @contextmanager
    def peeled_if_unusable(self) -> Iterator[None]:
        """Raises Unsettled where a trip uses what no graph can carry, and a trip before the loop may replace that."""
        try:
            yield
        except UnsupportedConstruct as error:
            if self.may_peel and any(isinstance(x, Unusable) and x.error is error for x in self.entry):
                raise Unsettled(error) from None
            raise

    def replan(self) -> None:
        """Plan what the variables hold as carried leaves."""
        for name, value in zip(self.names, self.entry):
            self.plan(name, value, (name,))

    def drop(self, path: tuple) -> None:
        """Do not carry a leaf."""
        self.dropped.add(path)
        self.slots.remove(self.leaves.pop(path))

    # ------------------------------------------------------------------ planning
    def plan(self, name: str, value: Any, path: tuple) -> None:
        if carryable(value):
            self.add(path, Carried(name, value, kind_of(value), getattr(value, "backend", self.tracer.backend)))
        elif self.takes_apart(path, value):
            for key, item in branches(value) or ():
                self.plan(part_label(name, part_name(value, key) or key, is_total(value)), item, (*path, key))

    def add(self, path: tuple, carried: Carried) -> None:
        if path not in self.dropped and path not in self.leaves:
            self.leaves[path], carried.path = carried, path
            self.slots.append(carried)

    def takes_apart(self, path: tuple, value: Any) -> bool:
        """Whether what a container holds is carried, not the container."""
        return isinstance(value, tuple) or is_total(value) or (path in self.flat and branches(value) is not None)

    def take_apart(self, path: tuple, container: Any) -> None:
        """Carry what a container holds that a variable has before the loop, instead of what is written to the container."""
        self.containers.before[path] = container
        if self.drop_slots(container, WRITABLE):
            self.containers.written.add(path)

    def drop_slots(self, container: Any, kinds: Sequence[str]) -> bool:
        """Do not carry what is written to a container; whether anything was."""
        grown = self.appended.drop(container)
        slots = [(path, leaf.slot) for path, leaf in self.leaves.items() if leaf.slot is not None]
        found = [path for path, slot in slots if slot.kind in kinds and slot.object is container]
        for path in found:
            self.drop(path)
        return grown or bool(found)

    def give_up(self) -> None:
        """What is written in place when a trip begins is not known by other names."""
        for path in sorted(self.containers.written & self.containers.before.keys(), key=str):
            self.containers.give_up(path, path in self.leaves, self.tracer.span())

    def tell(self, carried: Carried, told: list[Source]) -> None:
        """Carry beside a variable whether it is one of these tensors from before the loop, or a number."""
        for ref in self.refs.begin(carried, told):
            access = Access(self.get, self.set, self.names, self.even)
            other = called_tensor(ref.source) if type(ref.source) is Proxy else "number"
            label = f"{carried.name}_is_{other if other != carried.name and other.isidentifier() else 'given'}"
            self.get, self.set, self.names, _ = access.beside(label, lambda ref=ref: ref.now, ref.put)
            self.before, self.entry = (*self.before, ref.now), [*self.entry, ref.now]
            self.plan(self.names[-1], ref.now, (self.names[-1],))

    # ------------------------------------------------------------------ tracing
    def enter(self, graph: Graph) -> None:
        """Begin a region: carried leaves stand as its placeholders, in the variables and slots that hold them."""
        tracer = self.tracer
        self.containers.begin()
        unread = [c for path, c in self.leaves.items() if path[0] in self.returned]
        self.appended.enter()
        for carried in self.slots:
            kind = "tensor" if not self.host and carried.kind in NUMBERS else carried.kind
            value = carried.inner = graph.add_placeholder(carried.name, kind, carried.type(tracer, kind))
            value.name = carried.name if carried.name.isidentifier() else None
            carried.tell(tracer, value)
            self.begun[value] = carried
            if carried in unread:
                tracer.unread.add(value)
            if carried.slot is not None:
                proxy = carried.entered = carried.wrapped(tracer, value)
                slot = carried.slot
                tracer.journal.record(slot.object, slot.key, slot.kind, slot.name, everywhere=True)
                carried.slot.set(value if carried.slot.kind == "proxy" else proxy)
        apart = [c.slot.of for c in self.slots if c.slot is not None and c.slot.of is not None]
        self.wholes = {slot.id: slot.get() for slot in apart}
        self.set(tuple(self._inside(value, (name,)) for name, value in zip(self.names, self.entry)))
        self.entered = self.get()
        self.give_up()
        if self.aliases is not None:
            self.aliases.enter()

    def _inside(self, value: Any, path: tuple) -> Any:
        carried = self.leaves.get(path)
        if carried is not None:
            carried.entered = carried.wrapped(self.tracer, carried.inner)
            if type(carried.entered) is list:
                self.containers.enter(path, value, carried.entered)
            return False if path[0] in self.flags else carried.entered
        if self.takes_apart(path, value):
            parts = branches(value) or []
            items = [self._inside(item, (*path, key)) for key, item in parts]
            if path not in self.flat and all(new is old for new, (_, old) in zip(items, parts)):
                return value
            made = rebuilt(value, items)
            if path in self.flat:
                self.containers.enter(path, value, made)
            return made
        return value

    def changed_names(self) -> frozenset[str]:
        """The variables that the loop's test assigned."""
        return frozenset(name for name, a, b in zip(self.names, self.entered, self.get()) if a is not b)

    def left_by_test(self, side: Side) -> bool:
        """Whether the loop's test leaves more than an answer: a variable that is read behind the loop, or a write to what was
        there before. One that assigns and has an effect cannot be computed again by the body either."""
        entered = {
            c.slot.id: c.inner if c.slot.kind == "proxy" else c.entered for c in self.slots if c.slot is not None
        } | self.wholes
        again = not any(map(self.tracer.raising.acts, side.graph.walk()))
        return bool(self.test_assigns - (self.inner if again else frozenset())) or any(
            slot.kind != "base"
            and not self.containers.is_given_up(slot, value)
            and entered.get(slot.id) is not value
            and not (slot.kind == "contents" and slot.id in entered and unchanged(entered[slot.id], value))
            for slot, value in side.written
        )

    def collect(self) -> None:
        """At the end of the body: what the variables and slots hold now."""
        self.refs.end(self._left_at)
        self.after = tuple(map(self.tracer.arrays.as_joined, self.get()))
        self.held = held_values(
            self.after, [c.slot.get() for c in self.slots if c.slot is not None and c.slot.kind != "proxy"]
        )
        self.containers.collect()
        for carried in self.slots:
            if carried.slot is not None:
                held = carried.slot.get()
                carried.out = Proxy(held, carried.backend) if carried.slot.kind == "proxy" else held

    def _left_at(self, path: tuple) -> Any:
        """What stands at the place of a carried leaf now; None: it is there no more."""
        leaf = self.leaves.get(path)
        if leaf is not None and leaf.slot is not None:
            return leaf.slot.get()
        found = dict(zip(self.names, self.get())).get(path[0])
        for key in path[1:]:
            found = dict(branches(found) or ()).get(key) if key != "value" or is_total(found) else found
        return found

    def read(self, out: Any, final: bool = False) -> Any:
        """What a leaf held at the end of the body. What was undecided then is an error once the pass is the last."""
        if type(out) is Proxy and id(out) in self.held and (final or not isinstance(self.held[id(out)], CaptureError)):
            return held_value(self.held, out)
        return out.read() if is_open(out) else out

    def leave(self) -> None:
        """Behind a region: the variables as they were before the loop."""
        self.set(self.before)

    # ------------------------------------------------------------------ making the node
    def exit_position(self, flag: Any) -> int | None:
        """Which carried value ends the loop; one behind the last where the flag is none of them."""
        if not isinstance(flag, Value):
            return len(self.slots) if flag is True else None
        for at, carried in enumerate(self.slots):
            if is_open(carried.out) and self.read(carried.out) is flag:
                return at
        return len(self.slots)

    def close_body(self, side: Side, flag: Any, exit_: int | None) -> None:
        """Set the body's result: what is carried, then what is appended."""
        tracer = self.tracer
        for slot, item in self.appended.all():
            check_held(called(slot.object, tracer.site), slot.span, item, self.slots)
        for carried in self.slots:
            for item in carried.held if type(carried) is CarriedList else ():
                check_held(carried.name, self.span, item, self.slots)
        with tracer.regions._within(side):
            outs = [tracer._local(c.left(lambda out: self.read(out, True))) for c in self.slots]
            if exit_ == len(self.slots):
                outs.append(flag)
            side.graph.result = (*outs, *self.appended.outputs())

    def initial(self) -> tuple:
        """The values before the first trip."""
        return tuple(self.tracer._local(c.first(self.tracer)) for c in self.slots)

    def kinds(self) -> tuple[str, ...]:
        """Kinds of the carried values."""
        return tuple(c.inner.kind if c.inner is not None else c.kind for c in self.slots)

    def finish(self, values: tuple, ys: Sequence[Value] = ()) -> None:
        """Behind the node: variables and slots hold its outputs."""
        tracer = self.tracer
        results: dict[int, Any] = {}
        for carried, value in zip(self.slots, values):
            value.name = carried.name if carried.name.isidentifier() else None
            if value.type is None and carried.inner is not None and value.kind == carried.inner.kind == "tensor":
                value.type = carried.inner.type
            carried.tell(tracer, value)
            results[id(carried)] = carried.result = carried.wrapped(tracer, value, self.runs)
        for carried in self.slots:
            if type(carried) is CarriedList:
                may_hold(carried.result[0].rows, carried.held, self.slots, self.body)
        made: dict[tuple, Any] = {}
        self.set(tuple(self._outside(v, (n,), results, made) for n, v in zip(self.names, self.entry)))
        slots = [
            (c.slot, values[at] if c.slot.kind == "proxy" else results[id(c)])
            for at, c in enumerate(self.slots)
            if c.slot
        ]
        tracer.journal.commit(slots)
        if any(isinstance(c, CarriedList) and holds_containers(c.items) for c in self.slots):
            for container in made.values():  # a list may hold what a variable does
                tracer.journal.links.never_alone([id(container)], container)
        for container in made.values():
            tracer.journal.made.note(container)
        self.containers.leave(made, self.ran, self.runs)
        self.give_up()
        if self.aliases is not None:
            self.aliases.leave(self.ran)
        self.appended.leave(ys, self.trips, self.slots, self.body)

    def _outside(self, value: Any, path: tuple, results: dict[int, Any], made: dict[tuple, Any]) -> Any:
        carried = self.leaves.get(path)
        if carried is not None:
            if type(carried.result) is list:
                made[path] = carried.result
            return results[id(carried)]
        if path in self.through:
            return self.through[path]
        if self.takes_apart(path, value):
            parts = branches(value) or []
            items = [self._outside(item, (*path, key), results, made) for key, item in parts]
            flat = path in self.flat and not self.containers.stays(path)
            if not flat and all(new is old for new, (_, old) in zip(items, parts)):
                return value
            found = rebuilt(value, items)
            if flat:
                made[path] = found
            return found
        return self.behind.get(path[0], value) if len(path) == 1 else value
