"""What loops run over, and the item that a body sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import dtypes, ops
from gfx_ir.graph import Value
from gfx_ir.types import LogicalTensor

from ..heap.aliases import Row, mutable, share
from ..interfaces import Capturing
from ..python.listed import ListedItems
from ..python.open_iterables import Combined, Endless, OpenRange
from ..python.sequences import is_shape
from ..values.either import roots
from ..values.number_rows import number, rows_kind
from ..values.proxy import NeedsPython, Proxy, weak_kind
from .carried_aliases import CarriedAliases
from .sides import Side


class Sources:
    """The part of the Tracer that knows what loops run over."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def loop_source(self, iterable: Any) -> Source | None:
        """The iterables of a loop that can be staged, and how an item is made from one value of each; None: run it."""
        if self.tracer.options["unroll"] is True and isinstance(iterable, range):
            return None
        if isinstance(iterable, range):
            return Source([("range", iterable.start, iterable.stop, iterable.step)], _first, ["int"], len(iterable))
        if isinstance(iterable, OpenRange):
            ends = tuple(self.tracer.unwrap(x) for x in (iterable.start, iterable.stop, iterable.step))
            tensor = any(isinstance(x, Value) and x.is_tensor for x in ends)
            return Source([("range", *ends)], _first, ["tensor" if tensor else "int"], None)
        if is_shape(iterable):
            at = lambda values: self.tracer.host_values.host_getitem(iterable, self.tracer.wrap(values[0].read()))
            return Source(
                [("range", 0, self.tracer.unwrap(self.tracer.host_values.length(iterable)), 1)], at, ["int"], None
            )
        if type(iterable) is ListedItems:
            count = ("range", 0, self.tracer.unwrap(iterable.length(self.tracer)), 1)
            return Source([count], lambda values: iterable.item(self.tracer, values[0]), ["int"], None)
        if isinstance(iterable, Proxy):
            value = iterable.read()
            dims = getattr(getattr(value, "type", None), "dims", None)
            return Source(
                [value], _first, ["tensor"], dims[0] if dims and isinstance(dims[0], int) else None, [iterable]
            )
        if isinstance(iterable, Combined):
            return self._combined_source(iterable)
        return None

    def _combined_source(self, iterable: Combined) -> Source | None:
        ended = [self.loop_source(part) for part in iterable.parts if not isinstance(part, Endless)]
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
            return Source([ops.flip(only, 0)], source.make, source.kinds, source.length, source.owners)
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
            made.base = Row(
                owner, source.length is not None, self.tracer.record.number_when(value) if numbers else None
            )
        return made

    def _check_rows(self, source: Source, side: Side, aliases: CarriedAliases | None = None) -> None:
        """A loop may not write the tensor over whose rows it runs: those to come would change. `aliases`: of what is
        carried, once that is known."""
        written = [slot.object for slot, _ in side.written if slot.kind == "proxy"]
        reached = aliases.reached_by_writes() if aliases is not None else set()
        owners = [root for owner in source.owners if owner is not None for root in roots(owner)]
        if share(written, owners) or any(id(owner) in reached for owner in owners):
            raise NeedsPython(
                "loop",
                "the loop writes the tensor over whose rows it runs",
                self.tracer.span(),
                "loop over range(len(x)), or give the argument's shape at capture",
            )


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

    lengths = [part.length for part in parts if part.items]  # the others are as long as these
    known = [length for length in lengths if length is not None]
    return Source(
        [i for p in parts for i in p.items], make, [k for p in parts for k in p.kinds],
        min(known) if len(known) == len(lengths) else None, [o for p in parts for o in p.owners],
    )  # fmt: skip


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


def labels(target: Any, count: int) -> list[str]:
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
