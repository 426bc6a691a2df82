"""The stacked outputs of a loop: what its trips append to lists, as rows of one tensor each, or as a list of tensors of several shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gfx_ir.graph import Graph, Value
from gfx_ir.source import Span
from gfx_ir.types import LogicalTensor

from ..heap.aliases import doubt, memory, mutable, reached, share
from ..heap.slots import Slot
from ..interfaces import Capturing
from ..python.listed import Fixed, ListedItems
from ..python.rows import Growing, StackedRows, called, grown, kind_of_item
from ..values.lost import Lost
from ..values.number_rows import as_row, row_type
from ..values.proxy import NeedsPython, Proxy
from .carried import Carried


class Appended:
    """The lists to which the trips of a loop append."""

    def __init__(self, tracer: Capturing) -> None:
        self._tracer = tracer
        self.growing: dict[tuple, tuple[Slot, list[Growing]]] = {}  # these lists, and what stands for them inside
        self.items: dict[tuple, tuple[Slot, list[Any]]] = {}  # what a trip appends to each
        self.listed: set[tuple] = set()  # of these, the lists whose items may have several shapes

    def enter(self) -> None:
        """A trip begins: what stands for a list that grows is in its place."""
        for slot, contents in self.growing.values():
            self._tracer.journal.record(slot.object, slot.key, slot.kind, slot.name, slot.span, everywhere=True)
            slot.set(list(contents))

    def drop(self, container: Any) -> bool:
        """Whether a list was one of these, which it is no more."""
        grown = [slot.id for slot, _ in self.growing.values() if slot.object is container]
        for key in grown:
            self.growing.pop(key)
            self.items.pop(key, None)
        return bool(grown)

    def all(self) -> list[tuple[Slot, Any]]:
        """What a trip appends, each with where, in order."""
        return [
            (slot, item.rows if type(item) is StackedRows else item)
            for slot, items in self.items.values()
            for item in items
        ]

    def kinds(self) -> tuple[str, ...]:
        """The kinds of what the loop gives for these: tensors of rows, or lists where these may have several shapes."""
        return tuple(
            "list" if key in self.listed else "tensor" for key, (_, items) in self.items.items() for _ in items
        )

    def outputs(self) -> list[Any]:
        """What the body gives for these."""
        return [self._tracer._local(as_row(item)) for _, item in self.all()]

    def leave(self, ys: Sequence[Value], trips: int | None, slots: Sequence[Carried], body: Graph | None) -> None:
        """Behind the loop: the lists hold what all trips appended, `ys`."""
        tracer = self._tracer
        rows_of_all = (self._rows(item, y, trips) for (_, item), y in zip(self.all(), ys))
        for slot, added in self.items.values() if ys else ():
            rows = [next(rows_of_all) for _ in added]
            if slot.id in self.listed:
                name = called(slot.object, tracer.site)
                rows[0].value.name = name if name.isidentifier() else None
                contents = [*slot.old, ListedItems(rows[0], kind_of_item(added[0]), Fixed(trips, _sizes(added[0])))]
            else:
                contents = grown(tracer, slot.old, added, rows)
            may_hold(contents[-1].rows, [item for item in added if type(item) is Proxy], slots, body)
            tracer.journal.commit([(slot, contents)])

    def _rows(self, item: Proxy, y: Value, trips: int | None) -> Proxy:
        """What all trips appended as one tensor."""
        y.name = None
        row = row_type(item)
        if not y.is_tensor:
            y.type = LogicalTensor(row.dtype) if isinstance(row, LogicalTensor) else None
            return Proxy(y, item.backend)
        if isinstance(row, LogicalTensor) and row.dims is not None:
            y.type = LogicalTensor(row.dtype, (trips, *row.dims))
        return self._tracer.wrap(y, item.backend)


def _sizes(item: Any) -> tuple | None:
    """What holds of the sizes of what each trip appends."""
    row = row_type(item) if type(item) is Proxy else None
    dims = row.dims if isinstance(row, LogicalTensor) else None
    return None if dims is None else tuple([size if type(size) is int else None for size in dims])


def check_held(name: str, span: Span | None, item: Any, slots: Iterable[Carried]) -> None:
    """A list holds tensors, not what they held: raises where a later trip writes one in place, which changes in the list too."""
    held = memory(item)
    for carried in slots:
        phi = carried.entered
        handed = type(carried.out) is Proxy and share(memory(carried.out), held)
        written = handed and type(phi) is Proxy and (phi.value is not carried.inner or type(phi.base) is Lost)
        if written or (carried.slot is not None and share((carried.slot.object,), held)):
            what = f"the loop writes {carried.name!r} in place, which {name!r} holds"
            raise NeedsPython("loop", what, span, "append a copy: `.clone()`, `.copy()`")


def may_hold(rows: Proxy, items: Iterable[Proxy], slots: Sequence[Carried], body: Graph | None) -> None:
    """Note that the list whose rows these are may hold the tensors behind the loop that one of the items may be."""
    others: list[Proxy] = []
    for item in items:
        others += reached(item, body)
        for carried in slots:
            ends = (carried.entered, carried.out)
            if any(type(end) is Proxy and share(memory(end), memory(item)) for end in ends):
                others += [end for end in (carried.init, carried.result) if type(end) is Proxy]
    doubt(rows, [x for x in others if mutable(x)], "a list that a loop filled may hold it", add=True)
