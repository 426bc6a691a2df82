"""What a staged loop carries from trip to trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Graph, Value
from gfx_ir.types import LogicalTensor

from .journal import MISSING, Slot
from .proxy import HostProxy, NeedsPython, Proxy, Undefined, Unusable, weak_kind, widest

if TYPE_CHECKING:
    from .regions import Side
    from .tracer import Tracer

_NUMBERS = (bool, int, float, complex)
_ORDER = ("bool", "int", "float", "complex", "tensor")


class Carried:
    """A leaf that is carried: where it stands (a variable's name and the path in its tree, or a written slot) and its kind."""

    __slots__ = ("name", "init", "kind", "backend", "slot", "inner", "out", "weak")

    def __init__(self, name: str, init: Any, kind: str, backend: Any, slot: Slot | None = None) -> None:
        self.name, self.init, self.kind, self.backend, self.slot = name, init, kind, backend, slot
        self.inner: Value | None = None
        self.out: Any = None
        self.weak = weak_kind(init)


class Carries:
    """The carried leaves of a loop under construction."""

    def __init__(self, tracer: Tracer, get: Any, set_: Any, names: Sequence[str], stop: Any = None) -> None:
        self.tracer, self.get, self.set, self.names = tracer, get, set_, names
        # A break flag is false wherever the loop still runs.
        self.flags = frozenset(stop.__code__.co_freevars) & frozenset(names) if stop is not None else frozenset()
        self.span = tracer.span()
        self.before: tuple = get()
        self.slots: list[Carried] = []
        self.dropped: set[tuple] = set()
        self.leaves: dict[tuple, Carried] = {}
        self.written: list[tuple[Slot, Any]] = []
        self.after: tuple = ()
        self.host = True
        self.test_assigns = False
        self.appended: dict[tuple, tuple[Slot, list[Any]]] = {}
        self.append_items: list[Value] = []
        self.open_length = False  # whether only data tells how many trips there are
        for name, value in zip(names, self.before):
            self._plan(name, value, (name,))

    # ------------------------------------------------------------------ planning
    def _plan(self, name: str, value: Any, path: tuple) -> None:
        if isinstance(value, (tuple, list)) and type(value) is not list or type(value) is list and len(path) < 4:
            for at, item in enumerate(value):
                self._plan(f"{name}_{at}", item, (*path, at))
        elif isinstance(value, dict):
            for key, item in value.items():
                self._plan(f"{name}_{key}" if str(key).isidentifier() else name, item, (*path, key))
        elif isinstance(value, (Proxy, HostProxy, *_NUMBERS)):
            self._add(path, Carried(name, value, _kind_of(value), getattr(value, "backend", self.tracer.backend)))

    def _add(self, path: tuple, carried: Carried) -> None:
        if path not in self.dropped and path not in self.leaves:
            self.leaves[path] = carried
            self.slots.append(carried)

    # ------------------------------------------------------------------ tracing
    def enter(self, graph: Graph) -> None:
        """Begin a region: carried leaves stand as its placeholders, in the variables and slots that hold them."""
        tracer = self.tracer
        for carried in self.slots:
            kind = carried.kind if self.host or carried.kind in ("tensor", "optional", "key") else "tensor"
            value = carried.inner = graph.add_placeholder(carried.name, kind, self._type(carried))
            value.name = carried.name if carried.name.isidentifier() else None
            if isinstance(carried.init, bool):
                tracer.booleans.add(value)
            if carried.slot is not None:
                proxy = self._wrapped(carried, value)
                tracer.journal.record(carried.slot.object, carried.slot.key, carried.slot.kind, carried.slot.name)
                carried.slot.set(value if carried.slot.kind == "proxy" else proxy)
        self.set(tuple(self._inside(value, (name,)) for name, value in zip(self.names, self.before)))
        self.entered = self.get()

    def _inside(self, value: Any, path: tuple) -> Any:
        carried = self.leaves.get(path)
        if carried is not None:
            return False if path[0] in self.flags else self._wrapped(carried, carried.inner)
        if isinstance(value, tuple):
            items = [self._inside(item, (*path, at)) for at, item in enumerate(value)]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if type(value) is list and len(path) < 4 and any(key[: len(path)] == path for key in self.leaves):
            return [self._inside(item, (*path, at)) for at, item in enumerate(value)]
        if type(value) is dict and any(key[: len(path)] == path for key in self.leaves):
            return {key: self._inside(item, (*path, key)) for key, item in value.items()}
        return value

    def _wrapped(self, carried: Carried, value: Any) -> Any:
        made = self.tracer.wrap(value, carried.backend)
        if isinstance(made, Proxy):
            made.weak = carried.weak
        return made

    def _type(self, carried: Carried) -> Any:
        if not self.tracer.static_types:
            return None
        value = carried.init.read() if isinstance(carried.init, (Proxy, HostProxy)) else carried.init
        if isinstance(value, Value):
            return value.type
        if carried.kind == "tensor" and isinstance(value, _NUMBERS):
            return LogicalTensor(None, (), weak=True)
        return None

    def changed_names(self) -> bool:
        """Whether the loop's test assigned a variable."""
        return any(a is not b for a, b in zip(self.entered, self.get()))

    def collect(self) -> None:
        """At the end of the body: what the variables and slots hold now."""
        self.after = self.get()
        for path, carried in self.leaves.items():
            if carried.slot is None:
                carried.out = _at(self.after, self.names, path)
            else:
                held = carried.slot.get()
                carried.out = Proxy(held, carried.backend) if carried.slot.kind == "proxy" else held

    def leave(self) -> None:
        """Behind a region: the variables as they were before the loop."""
        self.set(self.before)

    # ------------------------------------------------------------------ settling
    def settle(self, side: Side, tensor: bool) -> bool:
        """Whether the assumptions of this pass hold; if not, better ones are made for the next."""
        stable = True
        if tensor and self.host:
            self.host, stable = False, False
        for path, carried in list(self.leaves.items()):
            stable &= self._settle_leaf(path, carried)
        for slot, value in side.written:
            stable &= self._settle_slot(slot, value)
        return stable

    def _settle_leaf(self, path: tuple, carried: Carried) -> bool:
        out = carried.out
        if out is _GONE or not isinstance(out, (Proxy, HostProxy, *_NUMBERS)):
            self._refuse(carried, out)
        kind = _kind_of(out)
        value = out.read() if isinstance(out, (Proxy, HostProxy)) else out
        if value is carried.inner or (not isinstance(value, Value) and not isinstance(carried.init, (Proxy, HostProxy)) and _same(value, carried.init)):
            self._drop(path, carried)
            return False
        self._check_type(carried, value)
        if carried.weak and isinstance(out, Proxy) and out.weak != carried.weak:
            carried.weak = widest(carried.weak, out.weak) if out.weak else ""
            return False
        wider = max(kind, carried.kind, key=_ORDER.index) if {kind, carried.kind} <= set(_ORDER) else kind
        if wider != carried.kind and (self.host or wider in ("tensor", "optional")):
            carried.kind = wider
            return not self.host and carried.inner is not None and carried.inner.kind == wider
        return True

    def _drop(self, path: tuple, carried: Carried) -> None:
        self.dropped.add(path)
        del self.leaves[path]
        self.slots.remove(carried)

    def _refuse(self, carried: Carried, out: Any) -> None:
        what = "is undefined" if out is _GONE or isinstance(out, Undefined) else f"becomes {type(out).__name__}"
        if isinstance(out, Unusable):
            raise out.error
        raise UnsupportedConstruct(f"GFX cannot convert this loop: {carried.name!r} {what} in the loop's body", self.span)

    def _check_type(self, carried: Carried, value: Any) -> None:
        before, after = self._type(carried), getattr(value, "type", None)
        if not (isinstance(before, LogicalTensor) and isinstance(after, LogicalTensor)):
            return
        if not before.weak and before.dtype and after.dtype and before.dtype != after.dtype:
            raise UnsupportedConstruct(
                f"GFX cannot convert this loop: {carried.name!r} changes its dtype from {before.dtype} to {after.dtype} in the loop",
                self.span, "cast it before the loop",
            )  # fmt: skip
        if not before.weak and before.dims is not None and after.dims is not None and before.dims != after.dims:
            raise UnsupportedConstruct(
                f"GFX cannot convert this loop: {carried.name!r} changes its shape from {before.dims} to {after.dims} in the loop",
                self.span, "keep the shape of what a loop on tensor data carries",
            )  # fmt: skip

    def _settle_slot(self, slot: Slot, value: Any) -> bool:
        path = ("slot", slot.id)
        if path in self.leaves or path in self.dropped:
            return True
        if slot.kind == "contents":
            return self._settle_contents(slot, value)
        old = Proxy(slot.old, slot.object.backend) if slot.kind == "proxy" else slot.old
        if old is MISSING or not isinstance(old, (Proxy, HostProxy, *_NUMBERS)):
            if _same(old, value):
                return True
            raise NeedsPython(f"the loop writes {slot.name!r}, which no graph can carry from trip to trip", self.span)
        if isinstance(value, list):
            raise NeedsPython(f"the loop writes {slot.name!r}", self.span)
        self._add(path, Carried(slot.name, old, _kind_of(old), getattr(old, "backend", self.tracer.backend), slot))
        return False

    def _settle_contents(self, slot: Slot, value: Any) -> bool:
        old = slot.old
        if self.open_length and len(value) != len(old):
            raise length_error(slot, "in a loop whose number of trips hangs on data")
        if not isinstance(value, list) or value[: len(old)] != old or any(a is not b for a, b in zip(old, value)):
            raise NeedsPython(f"the loop changes the contents of {slot.name!r}", self.span)
        added = value[len(old) :]
        if old or not added or not all(isinstance(x, Proxy) for x in added):
            raise NeedsPython(f"the loop appends to {slot.name!r}, which is not a list of tensors that starts empty", self.span)
        self.appended[slot.id] = (slot, added)
        return True

    # ------------------------------------------------------------------ making the node
    def exit_position(self, flag: Any) -> int | None:
        """Which carried value ends the loop; one behind the last where the flag is none of them."""
        if not isinstance(flag, Value):
            return None
        for at, carried in enumerate(self.slots):
            if isinstance(carried.out, (Proxy, HostProxy)) and carried.out.read() is flag:
                return at
        return len(self.slots)

    def close_body(self, side: Side, flag: Any, exit_: int | None) -> list[Any]:
        """Set the body's result; gives the appended items, stacked results behind the carried ones."""
        tracer = self.tracer
        stacked = [(slot, item) for slot, items in self.appended.values() for item in items]
        with tracer._within(side):
            outs = [tracer._local(tracer.unwrap(c.out)) for c in self.slots]
            if exit_ == len(self.slots):
                outs.append(flag)
            outs += [tracer._local(item.read()) for _, item in stacked]
            side.graph.result = tuple(outs)
        return stacked

    def initial(self) -> tuple:
        """The values before the first trip."""
        return tuple(self.tracer._local(self.tracer.unwrap(c.init)) for c in self.slots)

    def kinds(self) -> tuple[str, ...]:
        """Kinds of the carried values."""
        return tuple(c.inner.kind if c.inner is not None else c.kind for c in self.slots)

    def finish(self, values: tuple, stacked: Sequence[Any] = (), ys: Sequence[Value] = ()) -> None:
        """Behind the node: variables and slots hold its outputs."""
        tracer = self.tracer
        results: dict[int, Any] = {}
        for carried, value in zip(self.slots, values):
            value.name = carried.name if carried.name.isidentifier() else None
            if isinstance(carried.init, bool) and tracer.is_boolean(carried.out.read()):
                tracer.booleans.add(value)
            results[id(carried)] = self._wrapped(carried, value)
        self.set(tuple(self._outside(v, a, (n,), results) for n, v, a in zip(self.names, self.before, self.after)))
        slots = [(c.slot, values[at] if c.slot.kind == "proxy" else results[id(c)]) for at, c in enumerate(self.slots) if c.slot]
        tracer.journal.commit(slots)
        for (slot, item), y in zip(stacked, ys):
            y.name = None
            from_rows = StackedRows(tracer.wrap(y, item.backend))
            tracer.journal.commit([(slot, [from_rows])])

    def _outside(self, value: Any, after: Any, path: tuple, results: dict[int, Any]) -> Any:
        carried = self.leaves.get(path)
        if carried is not None:
            return results[id(carried)]
        if path in self.dropped:
            return value
        if isinstance(value, tuple):
            items = [self._outside(i, None, (*path, at), results) for at, i in enumerate(value)]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if type(value) is list and any(key[: len(path)] == path for key in self.leaves):
            value[:] = [self._outside(i, None, (*path, at), results) for at, i in enumerate(value)]
        elif type(value) is dict and any(key[: len(path)] == path for key in self.leaves):
            value.update({k: self._outside(i, None, (*path, k), results) for k, i in value.items()})
        elif isinstance(value, Undefined) and not isinstance(after, Undefined):
            error = UnsupportedConstruct(f"GFX cannot convert this read: {path[0]!r} is only defined if the loop runs", self.span)
            return Unusable(error)
        elif after is not value and value is None:
            error = UnsupportedConstruct(f"GFX cannot convert this loop: {path[0]!r} is None before the loop", self.span)
            return Unusable(error)
        return value


class StackedRows(Unusable):
    """What stands in a list that a staged loop filled: one tensor of rows. Whatever does not know it is refused."""

    __slots__ = ("rows",)

    def __init__(self, rows: Proxy) -> None:
        self.rows = rows
        hint = "stack it first, or loop over it"
        super().__init__(UnsupportedConstruct("GFX cannot use a list that a loop on tensor data filled in this way", None, hint))


def rows_of(x: Any) -> Any:
    """The tensor of rows that stands for a list which a staged loop filled; anything else as it is."""
    return x[0].rows if type(x) is list and len(x) == 1 and type(x[0]) is StackedRows else x


def called(x: Any, frame: Any) -> str:
    """What the user calls an object: the variable that holds it, in the frame where it is used or in one that called it."""
    while frame is not None:
        found = next((name for name, held in frame.f_locals.items() if held is x and name.isidentifier()), None)
        if found is not None and not frame.f_globals.get("__name__", "").startswith("gfx_trace"):
            return found
        frame = frame.f_back
    return f"a {type(x).__name__}"


def length_error(slot: Slot, where: str) -> UnsupportedConstruct:
    """A list whose length would hang on data."""
    return UnsupportedConstruct(
        f"GFX cannot convert this append to {slot.name!r} {where}: its length would be open", slot.span,
        "write into a tensor of fixed length, or use where or a mask",
    )  # fmt: skip


_GONE = object()


def _at(values: tuple, names: Sequence[str], path: tuple) -> Any:
    found = values[list(names).index(path[0])]
    for key in path[1:]:
        try:
            found = found[key]
        except (KeyError, IndexError, TypeError):
            return _GONE
    return found


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, (*_NUMBERS, str)) and a == b)


def _kind_of(value: Any) -> str:
    if isinstance(value, Proxy):
        inner = value.read()
        return inner.kind if isinstance(inner, Value) else type(inner).__name__
    return value.value.kind if isinstance(value, HostProxy) else type(value).__name__
