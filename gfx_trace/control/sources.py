"""What loops run over, and the item that a body sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from gfx_ir import dtypes, ops
from gfx_ir.graph import Value
from gfx_ir.types import LogicalTensor

from ..heap.aliases import Row, WrittenRows, mutable, share
from ..interfaces import Capturing
from ..python.listed import ListedItems
from ..python.open_iterables import Combined, Endless, Mapped, OpenRange
from ..python.sequences import is_shape
from ..values.either import roots
from ..values.number_rows import number, rows_kind
from ..values.proxy import Proxy, weak_kind
from .carried_aliases import CarriedAliases
from .sides import Side


class Sources:
    """The part of the Tracer that knows what loops run over."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def loop_source(self, iterable: Any, written: Sequence[Proxy] = ()) -> Source | None:
        """The iterables of a loop that can be staged, and how an item is made from one value of each; None: run it. `written`: the
        tensors that the loop writes, whose rows are read by their places."""
        if self.tracer.options["unroll"] is True and isinstance(iterable, range):
            return None
        if isinstance(iterable, range):
            return Source([("range", iterable.start, iterable.stop, iterable.step)], _first, ["int"], len(iterable))
        if isinstance(iterable, OpenRange):
            ends = tuple(self.tracer.unwrap(x) for x in (iterable.start, iterable.stop, iterable.step))
            tensor = any(isinstance(x, Value) and x.is_tensor for x in ends)
            return Source([("range", *ends)], _first, ["tensor" if tensor else "int"], self.tracer.decided.trips(*ends))
        if is_shape(iterable):
            at = lambda values: self.tracer.host_values.host_getitem(iterable, self.tracer.wrap(values[0].read()))
            return Source(
                [("range", 0, self.tracer.unwrap(self.tracer.host_values.length(iterable)), 1)], at, ["int"], None
            )
        if type(iterable) is ListedItems:
            count = ("range", 0, self.tracer.unwrap(iterable.length(self.tracer)), 1)
            return Source([count], lambda values: iterable.item(self.tracer, values[0]), ["int"], iterable.fixed.number)
        if isinstance(iterable, Proxy):
            value = iterable.read()
            dims = getattr(getattr(value, "type", None), "dims", None)
            length = dims[0] if dims and isinstance(dims[0], int) else None
            if share(written, roots(iterable)):
                places = ("range", 0, ops.size(value, 0) if length is None else length, 1)
                row = lambda values: self.tracer.views.getitem(iterable, values[0])
                return Source([places], row, ["int"], length)
            return Source([value], _first, ["tensor"], length, [iterable])
        if isinstance(iterable, Combined):
            return self._combined_source(iterable, written)
        if isinstance(iterable, Mapped):
            source = self.loop_source(iterable.source, written)
            return None if source is None else source.made_by(iterable.function)
        return None

    def _combined_source(self, iterable: Combined, written: Sequence[Proxy]) -> Source | None:
        ended = [self.loop_source(part, written) for part in iterable.parts if not isinstance(part, Endless)]
        found: list[Source] = [source for source in ended if source is not None]
        if len(found) < len(ended) or not found:
            return None
        if len(ended) < len(iterable.parts):
            return self._beside(iterable.parts, found)
        if iterable.kind == "reversed":
            return self._reversed_source(found[0])
        if iterable.kind == "enumerate":
            counter = ("range", iterable.start, _length_end(self.tracer, iterable.start, found[0]), 1)
            found.insert(0, Source([counter], _first, ["int"], found[0].length))
        return _zipped(found)

    def _beside(self, parts: tuple, ended: list[Source]) -> Source | None:
        """Of what is zipped, that without an end is as long as one that has an end."""
        size, others, found = _length_end(self.tracer, 0, ended[0]), iter(ended), []
        for part in parts:
            if not isinstance(part, Endless):
                found.append(next(others))
            elif part.step is None:
                found.append(Source([], lambda values, item=part.start: item, [], None))  # type: ignore[misc]
            elif weak_kind(part.start) == "int" and type(part.step) is int and part.step:
                last = size if part.step == 1 else self.tracer.wrap(size) * part.step
                end = last if type(part.start) is int and not part.start else part.start + self.tracer.wrap(last)
                counter = ("range", self.tracer.unwrap(part.start), self.tracer.unwrap(end), part.step)
                found.append(Source([counter], _first, ["int"], ended[0].length))
            else:
                return None
        return _zipped(found)

    def _reversed_source(self, source: Source) -> Source | None:
        (only,) = source.items
        if isinstance(only, Value):
            backend = self.tracer.backend  # NumPy alone goes backwards over rows; numbers are never written
            copies = backend is not None and not backend.numbers and not rows_kind(source.owners[0])
            owners = None if copies else source.owners
            return Source([ops.flip(only, 0)], source.make, source.kinds, source.length, owners)
        if only[1:] == (0, only[2], 1):
            return Source(
                [("range", self.tracer.host("-", only[2], 1), -1, -1)], source.make, source.kinds, source.length
            )
        return None

    def _loop_item(self, value: Value, source: Source, at: int) -> Any:
        """An item as the body sees it: a number of a range is a Python number, a row may not be written as long as it is a row."""
        made = self.tracer.wrap(value, self.tracer.backend)
        if isinstance(made, Proxy) and isinstance(source.items[at], tuple):
            made.weak = "int"
            return made
        if kind := rows_kind(source.owners[at]):
            return number(kind, made)
        owner, numbers = source.owners[at], self.tracer.backend is not None and self.tracer.backend.numbers
        if owner is not None:
            self.tracer.record.rows_of[value] = owner.value
        if mutable(made) and owner is not None:
            made.base = Row(owner, self.tracer.record.number_when(value) if numbers else None)
        return made

    def _check_rows(self, source: Source, side: Side, aliases: CarriedAliases | None = None) -> None:
        """Raises WrittenRows where a loop writes the tensor over whose rows it runs. `aliases`: of what is carried, once that is
        known."""
        written = [slot.object for slot, _ in side.written if slot.kind == "proxy"]
        reached = aliases.reached_by_writes() if aliases is not None else set()
        rows = [row for row in source.rows if share(written, [row]) or id(row) in reached]
        if rows:
            raise WrittenRows(rows)


class Source:
    """What a staged loop runs over."""

    def __init__(
        self,
        items: list[Any],
        make: Callable[[list[Any]], Any],
        kinds: list[str],
        length: int | None,
        owners: list[Any] | None = None,
        named: list[int] | None = None,
        targets: int | None = None,
    ) -> None:
        self.items, self.make, self.kinds, self.length = items, make, kinds, length
        self.owners = owners or [None] * len(items)  # tensors whose rows the items are
        self.named = list(range(len(items))) if named is None else named  # after which of the targets each is called
        self.targets = len(items) if targets is None else targets  # of which there are so many

    @property
    def rows(self) -> list[Proxy]:
        """The tensors that hold the rows."""
        return [root for owner in self.owners if owner is not None for root in roots(owner)]

    @property
    def open_range(self) -> bool:
        """Whether it is a range whose ends are data."""
        return any(isinstance(i, tuple) and any(isinstance(e, Value) and e.is_tensor for e in i) for i in self.items)

    def made_by(self, function: Callable[[Any], Any]) -> Source:
        """The same, of whose items a function makes others."""
        make = lambda values: function(self.make(values))
        return Source(self.items, make, self.kinds, self.length, self.owners, self.named, self.targets)

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
    items, places = [(i, k, o) for p in parts for i, k, o in zip(p.items, p.kinds, p.owners)], list[int]()
    targets = list(accumulate((part.targets for part in parts), initial=0))
    named = [before + at for part, before in zip(parts, targets) for at in part.named]
    for item, _, _ in items:  # what counts alike is counted once
        places.append(next(at for at, (other, _, _) in enumerate(items) if other is item or _counts_alike(other, item)))
    kept = sorted(set(places))

    def make(values: list[Any]) -> Any:
        left = iter([values[kept.index(place)] for place in places])
        return tuple([part.make([next(left) for _ in part.items]) for part in parts])

    lengths = [part.length for part in parts if part.items]  # the others are as long as these
    known = [length for length in lengths if length is not None]
    return Source(
        [items[at][0] for at in kept], make, [items[at][1] for at in kept],
        min(known) if len(known) == len(lengths) else None, [items[at][2] for at in kept],
        [named[at] for at in kept], targets[-1],
    )  # fmt: skip


def _counts_alike(a: Any, b: Any) -> bool:
    """Whether two iterables of a loop are the same range."""
    return type(a) is type(b) is tuple and a == b


def _length_end(tracer: Any, start: Any, source: Source) -> Any:
    if source.length is not None and isinstance(start, int):
        return start + source.length
    size = size_of(tracer, source.items[0])
    return tracer.host("+", tracer.unwrap(start), size) if start != 0 else size


def size_of(tracer: Any, item: Any) -> Any:
    """How many rows or numbers one of the iterables of a loop has; fewer than none are none."""
    if isinstance(item, Value):
        return ops.size(tracer.local(item), 0)
    if item[1:] == (0, item[2], 1):
        return item[2]
    first, last, step = map(tracer.wrap, item[1:])
    return tracer.unwrap(-((first - last) // step))  # rounded up


def labels(target: Any, source: Source) -> tuple[list[str], bool]:
    """What the items of a source are called after the targets of a loop, and whether these tell: there are as many, or one item."""
    names: list[str] = []

    def walk(item: Any) -> None:
        if isinstance(item, str):
            names.append("i" if item == "_" else item.lstrip("*"))
        else:
            for inner in item or ():
                walk(inner)

    walk(target)
    count = len(source.items)
    if len(names) == source.targets:
        return [names[at] for at in source.named], True
    return ([f"item_{at}" for at in range(count)], False) if count > 1 else ([names[0] if names else "item"], True)
