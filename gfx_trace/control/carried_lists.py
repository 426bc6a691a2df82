"""Lists that a loop carries: one value of kind "list", where a trip leaves a list or tuple of another length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.graph import Value
from gfx_ir.op import active

from ..heap.aliases import memory
from ..heap.slots import Slot
from ..interfaces import Capturing
from ..python.listed import ListedItems, is_list
from ..python.rows import FILLED, Growing, StackedRows, both_ways, kind_of_items, listed_items
from ..values.gated import Gated
from ..values.item_kinds import containers_in, each_tensor, tensors_in
from ..values.proxy import NeedsPython, Proxy
from .carried import Carried


class CarriedList(Carried):
    """A list or tuple, by its items. `items`: what each of them is, as `item_kind` says."""

    __slots__ = ("items", "containers")

    def __init__(self, name: str, before: list | tuple, items: Any, backend: Any, slot: Slot | None = None) -> None:
        super().__init__(name, None, "list", backend, slot)
        self.init, self.what, self.items = before, None, items
        self.containers: list[Any] | None = None  # those that the last pass put into it

    def called(self, tracer: Capturing) -> str:
        return repr(self.name)

    def wrapped(self, tracer: Capturing, value: Any, left: bool = False) -> Any:
        return type(self.init)((ListedItems(Proxy(value, self.backend), self.items),))

    def type(self, tracer: Capturing, kind: str = "tensor") -> None:
        return None

    def tell(self, tracer: Capturing, value: Value) -> None:
        """Nothing is known of all items alike."""

    def first(self, tracer: Capturing) -> Any:
        return listed_items(self.init).rows.read()

    def left(self, read: Callable[[Any], Any]) -> Any:
        items = [each_tensor(item, lambda x: Proxy(read(x), x.backend, x.weak)) for item in self.out]
        return listed_items(items).rows.read()

    @property
    def is_left(self) -> bool:
        """Whether a trip leaves the list that it began with."""
        return len(self.out) == 1 and self.out[0] is self.entered[0]

    def takes_own(self) -> bool:
        """Whether each trip puts containers of its own into it: another pass has others. Raises NeedsPython where it does not."""
        before, self.containers = self.containers, [x for item in self.out for x in containers_in(item)]
        if before and any(x is other for x in self.containers for other in before):
            what = f"the loop puts a list or dictionary into {self.name!r} that was there before the trip"
            raise NeedsPython("loop", what, active.builder.span(), "make one in each trip, or put a copy of it there")
        return before is not None or not self.containers

    @property
    def held(self) -> list[Proxy]:
        """The tensors that it holds before the loop, and those that a trip puts into it."""
        rows = [x.rows if type(x) in FILLED else x for x in both_ways((*self.init, *self.out))]
        return [x for item in rows for held in tensors_in(item) for x in memory(held) if not is_list(x)]


class CarriedRows(CarriedList):
    """A list that stands for the rows of one tensor before the loop and behind each trip: that tensor is carried."""

    __slots__ = ()

    def __init__(self, name: str, slot: Slot, items: str, backend: Any) -> None:
        super().__init__(name, slot.get(), items, backend, slot)
        self.kind = "tensor"

    def wrapped(self, tracer: Capturing, value: Any, left: bool = False) -> Any:
        return [StackedRows(Proxy(value, self.backend), self.items)]

    def first(self, tracer: Capturing) -> Any:
        return self.init[0].rows.read()

    def left(self, read: Callable[[Any], Any]) -> Any:
        return read(self.out[0].rows)


def of_rows(before: Any, after: Any) -> str:
    """The kind of the numbers in a list that stands for the rows of one tensor before a trip and behind it; else ""."""
    alone = all(type(x) is list and len(x) == 1 and type(x[0]) is StackedRows for x in (before, after))
    return before[0].kind if alone and before[0].kind == after[0].kind else ""


def items_of(before: Any, after: Any) -> Any:
    """What each item of a list or tuple is before a trip and behind it, as `item_kind` says; None: no one value stands for it."""
    if type(after) is Gated:
        found = {items_of(before, side) for side in after.sides}
        return found.pop() if len(found) == 1 else None
    if type(before) is not type(after) or type(before) not in (list, tuple):
        return None
    if any(type(x) is Growing for x in (*before, *after)):
        return None
    return kind_of_items([*before, *after])


def has_open(items: Any) -> bool:
    """Whether data, or a number that is open, decides how many items a list or tuple has, and not just how many rows a loop gives."""
    return type(items) is Gated or any(type(x) is ListedItems for x in items)
