"""Settling what a loop carries: what a pass over the body shows is compared with what the pass assumed."""

from __future__ import annotations

from typing import Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.trees import leaves

from ..frameworks.grad_mode import alike as alike_modes
from ..heap.aliases import mutable
from ..heap.slots import MISSING, Slot
from ..python.attempts import Mark, attempt
from ..values.access import said
from ..values.gated import Gated, defined_by, is_total, lacks, usable
from ..values.joined_types import joined_kind
from ..values.lost import Lost
from ..values.nest import alike, branches
from ..values.proxy import (
    NeedsPython,
    Proxy,
    Undefined,
    Unusable,
    is_open,
    number_kinds,
    of_two_frameworks,
    weak_kind,
    widest,
)
from .carried import Carried, Unsettled, carryable, kind_of, poison, same
from .carried_aliases import CarriedAliases
from .carried_lists import CarriedList
from .carries import Carries
from .nouns import noun, nouns
from .settling_lists import SettlingLists
from .sides import Side
from .slot_parts import settle_parts
from .stand_ins import stand_in


class Settling:
    """What one pass over the body tells."""

    def __init__(self, carries: Carries, side: Side) -> None:
        """`side`: the body, as this pass traced it. `defined`: the variables that the loop defines, what they were and are."""
        self.carries, self.side = carries, side
        self.lists = SettlingLists(carries, side)
        self.defined: list[tuple[int, Any, Any]] = []

    def settle(self, tensor: bool) -> bool:
        """Whether the assumptions of this pass hold; if not, better ones are made for the next. Raises Unsettled where a trip before
        the loop may settle what it carries."""
        try:
            return self._settle_all(tensor)
        except Unsettled as found:
            if self.carries.peels or self.carries.may_peel:
                raise
            raise found.error from None

    def _settle_all(self, tensor: bool) -> bool:
        stable, side = True, self.side
        if tensor and self.carries.host:
            self.carries.host, stable = False, False
        for at, name in enumerate(self.carries.names):
            stable &= self._settle(
                at, (name,), name, self.carries.entry[at], self.carries.entered[at], self.carries.after[at]
            )
        for path, carried in list(self.carries.leaves.items()):
            if carried.slot is not None:
                stable &= self._settle_leaf(path, carried)
        self.carries.containers.settle(self.carries.names, self.carries.after, side.links, side.since)
        whole = {id(slot.object) for slot, _ in side.written if slot.kind == "contents" and type(slot.object) is list}
        for slot, value in side.written:
            if slot.kind != "item" or id(slot.object) not in whole:
                stable &= self._settle_slot(slot, value)
        self.carries.containers.check(side.written)
        self.carries.containers.check_apart()
        stable &= self._settle_aliases(side) & self._settle_shapes()
        settled = [self._define(*defined, stable) for defined in self.defined]
        return stable and all(settled)

    def _settle_aliases(self, side: Side) -> bool:
        """What the carried tensors may be besides tensors of their own; in the body that matters once it writes to any."""
        before = self.carries.aliases
        carried = [c for c in self.carries.slots if c.slot is None or c.slot.kind != "proxy"]
        unread = {id(c) for path, c in self.carries.leaves.items() if path[0] in self.carries.returned}
        refs = self.carries.refs
        found = CarriedAliases(carried, side.graph, self.carries.loop, unread, self.carries.runs, refs)
        self.carries.aliases = found
        steady = refs.settle(found)
        for c, tensors in refs.found(found) if self.carries.tracer.functions.share.refs else ():
            self.carries.tell(c, tensors)
            steady = False
        if not steady:
            return False
        key = self.carries.tracer.key
        writes = any(slot.kind == "proxy" and slot.object is not key for slot, _ in side.written)
        assumed = before.shared if before is not None else {}
        return not (writes or found.written) or found.shared == assumed

    def _settle_shapes(self) -> bool:
        """Whether the shapes of what is carried are what the body took them for: that may take more of them for what they are."""
        shapes, begun, known = self.carries.tracer.record.shape_parts, self.carries.begun, set[tuple[Value, int]]()
        while asked := {(phi, axes) for phi in begun for axes in shapes.asked.get(phi, ())} - known:
            known |= asked
            for carried, phi in [(begun[phi], phi) for phi, _ in asked]:
                carried.other_axes = carried.other_axes or not shapes.stays(phi, self.carries.read(carried.out))
        begun.clear()
        return not any(carried.other_axes and carried.inner not in shapes.apart for carried in self.carries.slots)

    def _settle(self, at: int, path: tuple, name: str, before: Any, entered: Any, after: Any) -> bool:
        """Compare what stood at a path before the body and after it."""
        carried = self.carries.leaves.get(path)
        if (
            path[0] in self.carries.returned
            and path not in self.carries.kept
            and mutable(after)
            and self.carries.tracer.gates.stays(after.value)
        ):
            self.carries.through[path] = after
            if carried is not None:
                self.carries.drop(path)
            return carried is None
        if carried is not None and not of_two_frameworks(before, after):
            of_list = type(carried) is CarriedList and type(after) is list
            carried.out = [item for _, item in self.carries.containers.parts(after)] if of_list else after
            return self._settle_leaf(path, carried)
        if after is entered:
            return self._drop_below(path)
        if path in self.carries.dropped and not same(before, after):
            self.carries.dropped.discard(path)
            self.carries.kept.add(path)
            self.carries.plan(name, before, path)
            return False
        if self.lists.becomes(path, name, before, after):
            return False
        if is_total(before) and not lacks(after):
            after = defined_by(True, after, before.name)
        if alike(before, after):
            if path not in self.carries.flat and not (isinstance(before, tuple) or is_total(before)):
                self.carries.flat.add(path)
                self.carries.take_apart(path, before)
                self.carries.plan(name, before, path)
                return False
            parts = zip(branches(before) or (), branches(entered) or (), self.carries.containers.parts(after))
            return all([self._settle(at, (*path, k), f"{name}_{k}", b, e, a) for (k, b), (_, e), (_, a) in parts])  # noqa: C419 - every part settles
        if same(before, after) or type(entered) is Unusable:  # a pass before found that it cannot be carried
            return True
        return self._unusable(at, path, before, after)

    def _drop_below(self, path: tuple) -> bool:
        """A container that is left as it was carries nothing."""
        below = [
            p
            for p in self.carries.leaves
            if p[: len(path)] == path and self.carries.leaves[p].slot is None and p not in self.carries.kept
        ]
        for inner in below:
            self.carries.drop(inner)
        return not below

    def _define(self, at: int, before: Any, after: Any, steady: bool) -> bool:
        """Carry a variable that the loop defines from a placeholder value on, or let nothing behind the loop read it; whether this
        pass tells what it needs, and carries nothing more. What makes a tensor of no known type is computed once more as a pass has
        it whose kinds are those of the loop: one that is `steady`."""
        name = self.carries.names[at]
        untyped: list[Proxy] = []

        def made(like: Proxy) -> Any:
            untyped.append(like)
            return stand_in(self.carries, self.side, like) if steady else None

        unread = name in self.carries.inner  # each trip assigns it before it reads it
        zero = None if unread else poison(self.carries.tracer, after, made)
        if untyped and not steady:
            return False
        if zero is not None:
            returned = name in self.carries.returned  # which a flag of its own guards
            sure = returned or (self.carries.runs and not lacks(after))
            gated = type(before) is Gated
            try:
                self.carries.entry[at] = zero if sure and not gated else self._defined_before(before, zero, name)
            except UnsupportedConstruct as error:  # it was made in a region that was left, and hands nothing on
                self.carries.behind[name] = Unusable(error)
                return True
            if returned:
                self.carries.tracer.unread |= {leaf.value for leaf in leaves(zero) if type(leaf) is Proxy}
            self.carries.plan(name, self.carries.entry[at], (name,))
            return False
        if not isinstance(after, Undefined):
            what = f"GFX cannot convert this read: {said(name)} is only defined if the loop runs, and its kind is not known before"
            hint = (
                f"define {name!r} before the loop"
                if name.isidentifier()
                else "set a variable in the loop, return it behind"
            )
            error = UnsupportedConstruct(what, self.carries.span, hint)
            self.carries.behind[name] = Unusable(error)
        return True

    def _unusable(self, at: int, path: tuple, before: Any, after: Any) -> bool:
        """A variable that cannot be carried: one that the loop defines is dealt with when all else has settled, others may not be
        read."""
        name = self.carries.names[at]
        if len(path) == 1 and (isinstance(before, Undefined) or (type(before) is Gated and not before.whole)):
            self.defined.append((at, before, after))
            return True
        was, becomes = nouns(before, after)
        told = "is None before the loop" if before is None else f"becomes {becomes} in the loop, and was {was} before"
        self._drop_below((name,))
        hint = (
            "begin with zeros of the kind it gets and a counter of trips"
            if before is None
            else "keep its kind, length and keys"
        )
        what = f"GFX cannot convert this loop: {said(name)} {told}, which no graph can carry from trip to trip"
        error = UnsupportedConstruct(what, self.carries.span, hint)
        if self.carries.peels:
            raise Unsettled(error)
        self.carries.entry[at] = Unusable(error)
        return False

    def _defined_before(self, before: Any, zero: Any, name: str) -> Gated:
        """A variable that is not defined before the loop, or only on one side of a test: its value, and the flag that tells whether it
        is."""
        if_there = self.carries.tracer.gates.if_there

        def found(_: Mark) -> Gated:
            value = if_there(before, lambda held: held, lambda: zero)
            return defined_by(if_there(before, lambda held: True, lambda: False), value, name)

        return attempt(self.carries.tracer, found)

    def _settle_leaf(self, path: tuple, carried: Carried) -> bool:
        if isinstance(carried, CarriedList):
            return self.lists.settle(path, carried)
        out = carried.out
        if not carryable(out):
            self._refuse(carried, out)
        if (
            out is carried.entered
            and mutable(out)
            and out.value is not carried.inner
            and type(carried.init) is Proxy
            and path not in self.carries.kept
        ):
            self.carries.drop(path)  # written in place, and the same tensor still: what was there before is carried
            return False
        value = self.carries.read(out)
        if path not in self.carries.kept:
            constant = not isinstance(value, Value) and not is_open(carried.init) and same(value, carried.init)
            if value is carried.inner or constant:
                self.carries.drop(path)
                return False
        even = self.carries.even and carried.slot is None
        kept = carried.stays_type(
            self.carries.tracer, value, self.carries.span, self.carries.host, self.carries.trips, even
        )
        steady = (
            kept
            & carried.stays(value)
            & carried.stays_tensor(self.carries.tracer, value)
            & carried.stays_truth(self.carries.tracer, value)
        )
        weak, kinds = widest(carried.weak, weak_kind(out)), carried.kinds | number_kinds(out)
        kinds = kinds if weak else frozenset()
        widened, carried.weak, carried.kinds = kinds != carried.kinds, weak, kinds
        known = weak or not carried.number
        if not known:
            known = carried.becomes(
                getattr(value, "type", None), self.carries.runs, self.carries.tracer, self.carries.span
            )
        if widened or not known or not steady:
            return False
        kind = value.kind if isinstance(value, Value) else kind_of(out)
        both = {kind, carried.kind}
        wider = "tensor" if both == {"key", "tensor"} else joined_kind(both)  # the same array
        if wider == "any" and not self.carries.host:
            raise self._of_two_kinds(carried)
        if wider != carried.kind and (self.carries.host or wider in ("tensor", "optional")):
            carried.kind = wider
            return not self.carries.host and carried.inner is not None and carried.inner.kind == wider
        return True

    def _of_two_kinds(self, carried: Carried) -> UnsupportedConstruct:
        what = f"{carried.called(self.carries.tracer)} is a tensor on one way to a trip, and something else on another"
        return UnsupportedConstruct(
            f"GFX cannot convert this loop: {what}, which no graph can carry where data ends the loop",
            self.carries.span,
            "give it the same kind before the loop and in it",
        )

    def _refuse(self, carried: Carried, out: Any) -> None:
        usable(out)
        what = "is undefined" if isinstance(out, Undefined) else f"becomes {noun(out)}"
        raise UnsupportedConstruct(
            f"GFX cannot convert this loop: {carried.called(self.carries.tracer)} {what} in the loop's body",
            self.carries.span,
        )

    def _settle_slot(self, slot: Slot, value: Any) -> bool:
        path = ("slot", slot.id)
        if slot.kind == "base":  # undecided in a later part of the body is undecided in the next trip
            undecided = type(slot.old) is Lost  # which a part of the body may have taken back, for the rest of the trip
            if slot.get() is slot.old and value is not slot.old and not undecided:
                self.carries.tracer.journal.commit([(slot, value)])
                return False
            return True
        if slot.kind == "mode" and alike_modes(slot.old, value):
            return True
        own = self.carries.containers.own(slot.object)
        if own is not None:
            return self._written_in_place(own, slot, value)
        if path in self.carries.leaves:
            return True
        if slot.kind == "contents":
            shifts = type(slot.object) is not list and type(slot.old) is list and alike(slot.old, value)  # a deque
            return (
                settle_parts(self.carries, slot, slot.old, value) if shifts else self.lists.settle_contents(slot, value)
            )
        old = (
            Proxy(slot.old, slot.object.backend)
            if slot.kind == "proxy"
            else self.carries.tracer.arrays.held_in(slot, slot.old)
        )
        held = Proxy(value, slot.object.backend) if slot.kind == "proxy" else value
        if same(old, held) or (slot.kind == "proxy" and slot.old is value):
            return True
        if isinstance(old, tuple) and slot.kind in ("item", "attribute", "cell"):
            return settle_parts(self.carries, slot, old, held)
        if not carryable(old):
            what = f"the loop writes {slot.name!r}, which no graph can carry from trip to trip"
            raise Unsettled(NeedsPython("loop", what, self.carries.span))
        if not carryable(held):
            raise NeedsPython("loop", f"the loop writes {slot.name!r}", self.carries.span)
        if path in self.carries.dropped:
            self.carries.dropped.discard(path)
            self.carries.kept.add(path)
        if not self.carries.runs:
            self.carries.tracer.consulted.add(slot.place)  # where the loop does not run it holds what it held
        self.carries.add(
            path, Carried(slot.name, old, kind_of(old), getattr(old, "backend", self.carries.tracer.backend), slot)
        )
        return False

    def _written_in_place(self, path: tuple, slot: Slot, value: Any) -> bool:
        """Whether this pass knew that a trip writes what a variable holds when it begins, and in whose place it puts another one."""
        containers = self.carries.containers
        items = slot.kind in ("item", "attribute") and slot.old is not MISSING and value is not MISSING
        if path not in self.carries.leaves and (containers.stays(path) or not items):
            what = "the loop changes a container in place and puts another one in its place"
            raise NeedsPython("loop", what, self.carries.span, "make a new one in each trip: [*items, x]")
        known = path in containers.written
        containers.written.add(path)
        return known
