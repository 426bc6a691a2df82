"""Settling the lists that a loop fills: whether its trips leave rows of one tensor, or each another list, which is carried as one value."""

from __future__ import annotations

from operator import is_
from typing import Any

from gfx_ir.control import is_for, is_placeholder
from gfx_ir.graph import Value
from gfx_ir.python_numbers import OPEN
from gfx_ir.reach import reached
from gfx_ir.trees import leaves

from ..heap.contents import Content
from ..heap.slots import Slot
from ..python.rows import Growing, StackedRows, called, holds_rows, kind_of_item, length_error
from ..values.gated import Gated
from ..values.number_rows import one_kind
from ..values.proxy import NeedsPython, Proxy
from ..values.ragged import is_ragged
from .carried_lists import CarriedList, CarriedRows, has_open, items_of, of_rows
from .carries import Carries
from .sides import Side

_IN_ROWS = frozenset((Proxy, StackedRows))
_KNOWN = _IN_ROWS | {Growing}


class SettlingLists:
    """What one pass over the body tells of lists."""

    def __init__(self, carries: Carries, side: Side) -> None:
        """`side`: the body, as this pass traced it."""
        self.carries, self.side = carries, side

    def settle_contents(self, slot: Slot, value: Any) -> bool:
        growing = self.carries.appended.growing.get(slot.id)
        old = slot.old if growing is None else growing[1]
        refusal = self._not_rows(slot, old, value, growing is not None)
        if refusal is not None:
            if not self._carries_list(slot, value):
                raise refusal
            return False
        added = value[len(old) :]
        if growing is None:
            kind = one_kind(added, kind_of_item)
            kind = OPEN if kind is None else kind
            self.carries.appended.growing[slot.id] = (slot, [Growing(slot, self.carries.tracer.site, kind)])
            return False
        if any(map(self._differs, added)):
            self.carries.appended.listed.add(slot.id)
        self.carries.appended.items[slot.id] = (slot, added)
        return True

    def _not_rows(self, slot: Slot, old: Any, value: Any, known: bool) -> Exception | None:
        """The error for what a loop leaves in a container that is not the list from before with rows of tensors behind it; `known`:
        whether this pass knew that it appends."""
        site, name = self.carries.tracer.site, called(slot.object, self.carries.tracer.site)
        if self.carries.open_length and type(value) is not Content and len(value) != len(old):
            return length_error(slot, "in a loop whose number of trips hangs on data", site)
        written = any(s.kind == "item" and s.object is slot.object for s, _ in self.side.written)
        is_list = type(slot.object) is list
        grows = is_list and not written and len(value) >= len(old) and all(map(is_, old, value))
        if not grows:
            hint = "give the argument's shape, which tells the number of trips, or keep tensors instead"
            if is_list:
                hint = f"only append to it there, and put it in order behind the loop; or {hint}"
            if is_list and any(type(x) is StackedRows and x.kind for x in old):
                hint = "it holds Python's numbers, and is to hold others: make a tensor of it before the loop, with zeros or full"
            return NeedsPython("loop", f"the loop changes the contents of {name!r}", self.carries.span, hint)
        added = value[len(old) :]
        if not added or not all(type(x) in _IN_ROWS for x in added) or not all(type(x) in _KNOWN for x in old):
            what = f"the loop appends to {name!r}, which is no list of tensors alone"
            return NeedsPython(
                "loop", what, self.carries.span, "append tensors or numbers: of a list, what stack or sum makes"
            )
        of_open_kind = len(added) == 1 and kind_of_item(added[0]) == OPEN and all(type(x) is Growing for x in old)
        if not of_open_kind and one_kind([x for x in value if type(x) is not Growing], kind_of_item) is None:
            return NeedsPython(
                "loop", f"the loop appends to {name!r} numbers that no one tensor holds", slot.span,
                "take float(x) or int(x), and keep what is of another kind in a list of its own",
            )  # fmt: skip
        if any(type(x) is StackedRows and self._ragged(x.rows.read()) for x in added):
            return length_error(slot, "in a loop whose number of trips differs from trip to trip", site)
        beside = len(added) > 1 or any(type(x) is Growing for x in slot.old)
        if known and beside and any(map(self._differs, added)):
            return NeedsPython(
                "loop", f"the trips append tensors of several shapes to {name!r}, beside others", slot.span,
                "begin with an empty list, and append to it once a trip",
            )  # fmt: skip
        return None

    def _carries_list(self, slot: Slot, value: Any) -> bool:
        """Whether a list is carried as one value from now on: it is not where Python can run the loop, and knows all of its items."""
        if type(slot.object) is not list or type(value) is Content:
            return False
        items = [x for x in value if type(x) is not Growing]
        tracer, name = self.carries.tracer, called(slot.object, self.carries.tracer.site)
        if kind := of_rows(slot.get(), value):
            carry_list(self.carries, CarriedRows(name, slot, kind, tracer.backend), ("slot", slot.id))
            return True
        kind = items_of(slot.get(), items)
        if kind is None or self._python_runs(items):
            return False
        carry_list(self.carries, CarriedList(name, slot.get(), kind, tracer.backend, slot), ("slot", slot.id))
        return True

    def _python_runs(self, items: Any) -> bool:
        """Whether Python can run the loop, and knows how many items a list has that it leaves."""
        return bool(self.carries.tracer.loops.fixed_loops) and not self.carries.open_length and not has_open(items)

    def becomes(self, path: tuple, name: str, before: Any, after: Any) -> bool:
        """Whether a variable is carried as a list from now on: a trip leaves one of another length, or of open length."""
        several = type(after) is Gated  # a side of a test replaces it
        if not several and (type(before) is not type(after) or type(before) not in (list, tuple)):
            return False
        if not several and len(before) == len(after) and not (holds_rows(before) or holds_rows(after)):
            return False
        kind = items_of(before, after)
        if kind is None:
            return False
        if self._python_runs(after):
            raise NeedsPython("loop", f"{name!r} changes its length in the loop", self.carries.span)
        carry_list(self.carries, CarriedList(name, before, kind, self.carries.tracer.backend), path)
        return True

    def settle(self, path: tuple, carried: CarriedList) -> bool:
        """Whether a trip leaves the kind of list that it began with."""
        if type(carried) is CarriedRows and not carried.is_left:
            if of_rows(carried.init, carried.out):
                return True
            self.carries.drop(path)
            return carried.slot is not None and self._carries_list(carried.slot, carried.out) and False
        kind = items_of(carried.init, carried.out)
        if kind is None:
            what = (
                f"the loop puts what no one list of tensors or numbers holds into {carried.called(self.carries.tracer)}"
            )
            raise NeedsPython("loop", what, self.carries.span)
        before, carried.items = carried.items, kind
        if carried.is_left:
            self.carries.drop(path)
            return False
        return carried.takes_own() and bool(before == kind)

    def _differs(self, item: Any) -> bool:
        """Whether an appended item may have another shape in another trip, or be another kind of number."""
        if type(item) is not Proxy or kind_of_item(item) == OPEN:
            return type(item) is Proxy
        value = item.value  # as it was made: a view of a trip is not read behind it
        if type(value) is not Value:
            return False
        fixed = set(self.side.captures.values())
        changed = {
            carried.inner: frozenset(at for at, size in enumerate(carried.sizes) if size is None)
            for carried in self.carries.slots
            if carried.sizes is not None and carried.inner is not None
        }
        return is_ragged(self.carries.tracer.record, self.side.graph, value, fixed, changed)

    def _ragged(self, rows: Any) -> bool:
        """Whether how many rows a loop in the body gives hangs on a number that changes from trip to trip."""
        here = lambda tree: [x for x in leaves(tree) if type(x) is Value and x.node.graph is self.side.graph]
        counts = lambda node: node.args[0] if is_for(node) else node.args
        captured = set(self.side.captures.values())
        numbers = (x for x in reached(here(rows), lambda value: here(counts(value.node))) if x.kind == "int")
        return any(is_placeholder(x.node) and x not in captured for x in numbers)


def carry_list(carries: Carries, carried: CarriedList, path: tuple) -> None:
    """Carry a list as one value, of which each trip leaves another."""
    for below in [at for at in carries.leaves if at[: len(path)] == path]:
        carries.drop(below)
    if carried.slot is None:
        carries.take_apart(path, carried.init)
    else:
        carries.drop_slots(carried.slot.object, ("item",))
    carries.dropped.discard(path)
    carries.add(path, carried)


def reads_grown(carries: Carries, error: Exception) -> bool:
    """Whether a pass over the body ended where it read a list to which it appends, which is carried from then on."""
    tracer = carries.tracer
    read = next((grown for grown in carries.appended.growing.values() if grown[1][0].error is error), None)
    if read is None or (tracer.loops.fixed_loops and not carries.open_length):
        return False
    slot, (growing,) = read
    name = called(slot.object, tracer.site)
    carry_list(carries, CarriedList(name, slot.old, growing.kind, tracer.backend, slot), ("slot", slot.id))
    carries.leave()
    tracer.regions.escaped = None  # it is dealt with
    return True
