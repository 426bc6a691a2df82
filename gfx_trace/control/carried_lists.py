"""Lists that a loop carries: one value of kind "list", where a trip leaves a list or tuple of another length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.graph import Value

from ..heap.aliases import memory
from ..heap.journal import Slot
from ..interfaces import Capturing
from ..python.listed import ListedItems, is_list
from ..python.rows import Growing, StackedRows, both_ways, kind_of_items, listed_items
from ..values.gated import Gated, GatedItems
from ..values.proxy import Proxy
from .carried import Carried


class CarriedList(Carried):
    """A list or tuple, by its items. `numbers`: the kind of the numbers of Python's that these are, if they are."""

    __slots__ = ("numbers",)

    def __init__(self, name: str, items: list | tuple, numbers: str, backend: Any, slot: Slot | None = None) -> None:
        super().__init__(name, None, "list", backend, slot)
        self.init, self.what, self.numbers = items, None, numbers

    def wrapped(self, tracer: Capturing, value: Any) -> Any:
        return type(self.init)((ListedItems(Proxy(value, self.backend), self.numbers),))

    def type(self, tracer: Capturing, kind: str = "tensor") -> None:
        return None

    def tell(self, tracer: Capturing, value: Value) -> None:
        """Nothing is known of all items alike."""

    def first(self, tracer: Capturing) -> Any:
        return listed_items(self.init).rows.read()

    def left(self, read: Callable[[Any], Any]) -> Any:
        items = [Proxy(read(x), x.backend, x.weak) if type(x) is Proxy else x for x in self.out]
        return listed_items(items).rows.read()

    @property
    def is_left(self) -> bool:
        """Whether a trip leaves the list that it began with."""
        return len(self.out) == 1 and self.out[0] is self.entered[0]

    @property
    def held(self) -> list[Proxy]:
        """The tensors that it holds before the loop, and those that a trip puts into it."""
        items = [x for x in (*self.init, *self.out) if type(x) is not GatedItems]
        items += [x for item in self.init if type(item) is GatedItems for x in both_ways(item.gated)]
        rows = [x.rows if type(x) in (ListedItems, StackedRows) else x for x in items]
        return [x for item in rows if type(item) is Proxy for x in memory(item) if not is_list(x)]


def numbers_of(before: Any, after: Any) -> str | None:
    """The kind of the numbers of Python's that a list or tuple holds before a trip and behind it, "" for tensors; None: no one value
    stands for it."""
    if type(after) is Gated:
        found = {numbers_of(before, side) for side in after.sides}
        return found.pop() if len(found) == 1 else None
    if type(before) is not type(after) or type(before) not in (list, tuple):
        return None
    if any(type(x) is Growing for x in (*before, *after)):
        return None
    return kind_of_items([*before, *after])


def has_open(items: Any) -> bool:
    """Whether data, or a number that is open, decides how many items a list or tuple has, and not just how many rows a loop gives."""
    return type(items) is Gated or any(type(x) is ListedItems for x in items)
