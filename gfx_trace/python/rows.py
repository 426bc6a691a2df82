"""Lists and tuples that stand as one tensor of rows, and what users call a container."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from gfx_ir import ops
from gfx_ir.build import told_dims
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import joined_dims
from gfx_ir.op import active

from ..heap.aliases import doubt, mutable
from ..heap.contents import unchanged
from ..heap.slots import Slot
from ..interfaces import Capturing
from ..values.gated import Gated, GatedItems, gate_of
from ..values.item_kinds import item_kind, joint_kind, tensors_in
from ..values.number_rows import as_row, number_kind, one_kind, rows_kind
from ..values.proxy import NeedsPython, Proxy, Unusable
from .checks import checked
from .listed import Fixed, ListedItems, merged, numbers


class StackedRows(Unusable):
    """What stands in a list or tuple for the rows of one tensor: a staged loop filled it, or it is open how many rows there are.
    Whatever does not know it is refused.

    `kind`: that of the numbers of Python's that the rows stand for, if they do."""

    __slots__ = ("rows", "kind")

    def __init__(self, rows: Proxy, kind: str = "") -> None:
        self.rows, self.kind = rows, kind
        if type(rows) is Proxy:
            active.builder.record.tell_rows(rows.value, kind)
        hint = "stack it first, or loop over it, or give the argument's shape at capture"
        active.builder.record.filled = True
        super().__init__(
            UnsupportedConstruct(
                "GFX cannot use a list or tuple that stands for the rows of one tensor in this way", None, hint
            )
        )


class Growing(Unusable):
    """What stands first in a list to which a loop appends, for all that was in it before the trip: that is not known. `kind`: that of
    the numbers of Python's that it appends, if it does; `why`: what a read of it is, where it is none of that loop's."""

    __slots__ = ("kind",)

    def __init__(self, slot: Slot, frame: Any, kind: str, why: str = "") -> None:
        self.kind = kind
        active.builder.record.filled = True
        why = why or f"the loop reads {called(slot.object, frame)!r}, to which it appends"
        hint = "keep what later trips read in a variable of its own"
        super().__init__(NeedsPython("loop", why, slot.span, hint))


class Lazy:
    """What a generator expression, map() or zip() gives over something open: made when it is asked for, once.

    `whole` makes all of it, `steps` gives its items one by one, `turns` what makes each item at its turn where a loop goes over it.
    """

    __slots__ = ("kind", "whole", "steps", "turns", "rest")

    def __init__(
        self, kind: type, whole: Callable[[], Any], steps: Callable[[], Iterator[Any]],
        turns: Callable[[], Any] | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.steps, self.turns = kind, steps, turns
        self.whole: Callable[[], Any] | None = whole
        self.rest: Iterator[Any] | None = None

    def settled(self) -> Any:
        """All that is left of it, for a taker of which it is not known here how far it goes."""
        active.builder.iteration.check(self)
        whole, self.whole = self.whole, None
        if whole is not None:
            active.builder.iteration.doubt(self)
            return whole()
        return [] if self.rest is None else list(self.rest)

    def for_loop(self) -> Any:
        """All that is left of it, for a loop, between whose trips the items are made."""
        if self.whole is None or self.turns is None:
            return self.settled()
        active.builder.iteration.check(self)
        self.whole = None
        active.builder.iteration.doubt(self)
        return self.turns()

    def opens(self) -> bool:
        """Whether it is open how many items there are, and `first` gives them nevertheless."""
        return False

    def first(self) -> Any:
        """The next item. Raises StopIteration where all are taken."""
        return active.builder.iteration.next(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.whole is not None:
            self.whole, self.rest = None, self.steps()
        return next(self.rest or iter(()))


class RowIterator(Lazy):
    """An iterator over the rows of a tensor, or the items of a list, of which it is open how many there are; `held`: the list or tuple that
    stands for them, if one does; `taken`: of how many it is beyond."""

    __slots__ = ("rows", "held", "contents", "taken")

    def __init__(self, rows: Proxy | ListedItems, held: Any = None) -> None:
        self.rows, self.held, self.contents, self.taken = rows, held, list(held or ()), 0
        super().__init__(type(iter(())), self._left, self._each)

    def _check(self) -> None:
        if self.held is not None and not unchanged(self.contents, list(self.held)):
            what = "GFX cannot convert this use of an iterator: the list that it goes over has changed, and how long that is, is open"
            raise active.builder.error(what, "begin to go over it behind that")

    def _each(self) -> Iterator[Any]:
        self._check()
        if isinstance(self.rows, ListedItems):
            raise self.rows.error
        found: Iterator[Any] = active.builder.host_values.iterate(self.rows)
        return found

    def _left(self) -> list[Any]:
        self._check()
        tracer, rows, behind = active.builder, self.rows, slice(self.taken, None)
        if isinstance(rows, ListedItems):
            return [rows.cut(tracer, behind) if self.taken else rows]
        rest = tracer.views.getitem(rows, behind) if self.taken else rows
        return [StackedRows(rest, rows_kind(rest))]

    def opens(self) -> bool:
        return True

    def first(self) -> Any:
        """The next row, which is checked to be there. Raises StopIteration where all are taken."""
        tracer, rows = active.builder, self.rows
        tracer.iteration.check(self)
        self._check()
        if self.whole is None:
            raise StopIteration
        checked(tracer, tracer.host_values.length(rows) > self.taken, "", "StopIteration")
        self.taken += 1
        at = self.taken - 1
        found = rows.item(tracer, at) if type(rows) is ListedItems else tracer.views.getitem(rows, at)
        tracer.raising.sound |= {x.value.node for x in tensors_in(found)}  # it is there
        return found


def kind_of_item(x: Any) -> str:
    """The kind of the number of Python's that an item of a list is, OPEN where that is one of several; "" for a tensor."""
    return x.kind if type(x) is StackedRows else number_kind(x)


def turns_of(x: Any) -> Any:
    """What a loop goes over: the same as `rows_of`, but that what is lazy makes each item at its turn."""
    return rows_of(x.for_loop() if isinstance(x, Lazy) else x)


def rows_of(x: Any) -> Any:
    """The tensor whose rows a list or tuple stands for, or what stands in it for items of several shapes; anything else as it is."""
    if isinstance(x, Lazy):
        x = x.settled()
    found = _standing(x)
    if found is None:
        return x
    if type(found) is StackedRows and len(x) == 1:
        return found.rows
    return listed_items(x)


def kind_of_items(items: Any) -> Any:
    """What each item of a list or tuple is, as `item_kind` says; None where one value does not hold them."""
    kinds = [x.kind if type(x) in FILLED else item_kind(x) for x in both_ways(items)]
    return functools.reduce(joint_kind, kinds) if kinds else ""


def both_ways(items: Any) -> Iterator[Any]:
    """What stands in a list, on either way where a test says what it is."""
    for x in items.sides if type(items) is Gated else items:
        if type(x) is GatedItems or (type(items) is Gated and type(x) in (Gated, list)):
            yield from both_ways(x.gated if type(x) is GatedItems else x)
        else:
            yield x


def listed_items(items: Any, kind: Any = None) -> ListedItems:
    """All items of a list or tuple as one value: those that are known, and what stands for others. Raises where one value does not
    hold them. `kind`: what each of them is, where that is known."""
    tracer, kind = active.builder, kind_of_items(items) if kind is None else kind
    if kind is None:
        grows = next((x for x in items if type(x) is Growing), None)
        if grows is not None:
            raise grows.error
        what = "GFX cannot convert this list of open length: its items are not all tensors, numbers, or tuples of the same of these"
        raise tracer.error(what, "keep what is of another kind in a list of its own")
    if gate_of(items) is not None:
        found: ListedItems = tracer.gates.resolve(items, lambda side: listed_items(side, kind))
        return found
    parts = list(map(_part, items))
    backend = next((x.backend for part in parts for x in tensors_in(part)), tracer.backend)
    told = list(map(_fixed, items))
    counts = [fixed.number for fixed in told if fixed.number is not None]
    number = sum(counts) if len(counts) == len(told) else None
    fixed = Fixed(number, joined_dims([fixed.dims for fixed in told]))
    return merged(tracer, parts, backend, kind, fixed)


def _fixed(item: Any) -> Fixed:
    """What is fixed of those items of a list for which one stands."""
    if type(item) is ListedItems:
        return item.fixed
    value = item.rows.read() if type(item) is StackedRows else item.read() if type(item) is Proxy else None
    dims = told_dims(value) if type(value) is Value else None
    dims = None if dims is None else tuple([size if type(size) is int else None for size in dims])
    return Fixed(dims[0] if dims else None, dims and dims[1:]) if type(item) is StackedRows else Fixed(1, dims)


def _part(item: Any) -> Any:
    """An item of a list, or the list of those for which it stands."""
    if type(item) is ListedItems:
        return item.rows
    if type(item) is not StackedRows:
        return item
    if item.kind:
        return numbers(active.builder, item.rows, item.kind)
    made = Proxy(ops.seq_of(item.rows.read()), item.rows.backend)
    doubt(made, [item.rows], "a list that a loop filled holds it")
    return made


def holds_rows(x: Any) -> bool:
    """Whether something in a list or tuple stands for items of which it is not known how many there are."""
    return _standing(x) is not None


def item_by_item(a: Any, b: Any) -> bool:
    """Whether two containers can be joined item by item: not where what stands for many items in one has no counterpart."""
    if not (holds_rows(a) or holds_rows(b)):
        return True
    if type(a) is not type(b):
        return False
    left, right = ([(type(x), x.kind) if type(x) in FILLED else None for x in items] for items in (a, b))
    return left == right and GatedItems not in map(type, (*a, *b))


def _standing(x: Any) -> StackedRows | ListedItems | Growing | GatedItems | None:
    """What stands in a list or tuple for items of which it is not known how many there are."""
    if type(x) not in _SEQUENCES or not active.builder.record.filled or STANDING.isdisjoint(map(type, x)):
        return None
    return next(item for item in x if type(item) in STANDING)


def in_places(x: Any) -> Any:
    """A container with the rows of filled lists in their places, as Python compares it."""
    if type(x) is dict:
        items = list(map(in_places, x.values()))
        return dict(zip(x, items)) if any(a is not b for a, b in zip(items, x.values())) else x
    if type(x) not in (tuple, list):
        return x
    rows = rows_of(x)
    if rows is not x:
        return type(x)(rows)
    items = list(map(in_places, x))
    return type(x)(items) if any(a is not b for a, b in zip(items, x)) else x


_SEQUENCES = frozenset((list, tuple))
STANDING = frozenset((StackedRows, ListedItems, Growing, GatedItems))
FILLED = frozenset((StackedRows, ListedItems))
"""What stands for items of which the number is open, and knows their kind."""


def listed(tracer: Capturing, x: Any, what: str) -> None:
    """Where a list stands as one tensor of rows: put the rows in their places before it is changed. Raises where that cannot be,
    as for a tuple."""
    rows = rows_of(x)
    if rows is x:
        return
    if (
        type(x) is tuple
        or not isinstance(tracer.host_values.length(rows), int)
        or rows.read().node.graph is not tracer.graph
    ):
        raise tracer.error(
            f"GFX cannot {what} a {type(x).__name__} that stands for the rows of one tensor: how many there are is open",
            "give the argument's shape at capture, and make it a list of its own before a test or loop: list(x)",
        )
    tracer.journal.record(x, None, "contents", "a container", tracer.span())
    x[:] = list(rows)


def append_item(tracer: Capturing, items: list[Any], item: Any) -> None:
    """items.append(item), recorded."""
    tracer.journal.record(items, None, "contents", "a container", tracer.span())
    items.append(item)


def grown(tracer: Capturing, before: list[Any], added: list[Any], rows: list[Proxy]) -> list[Any]:
    """What a list of tensors `before` holds behind a loop whose trips appended the items `added`, `rows` in all trips."""
    known = [x for x in (*before, *added) if type(x) not in (Growing, ListedItems)]
    kind = one_kind(known, kind_of_item)
    assert kind is not None  # or the loop was not staged
    if not kind:
        _check_dtypes(tracer, known)
    found = rows[0].read()
    if len(added) > 1 and StackedRows not in map(type, added):  # each trip's items follow each other
        found = ops.stack([r.read() for r in rows], 1)
    elif len(added) > 1:
        parts = [r.read() if type(x) is StackedRows else ops.expand_dims(r.read(), 1) for x, r in zip(added, rows)]
        found = ops.concat(parts, 1)
    if len(added) > 1 or type(added[0]) is StackedRows:
        found = ops.flatten(found, 0, 1)
    made = StackedRows(tracer.wrap(found, rows[0].backend), kind)
    if before and not {Growing, ListedItems}.isdisjoint(map(type, before)):
        return [*before, made]
    if before and _apart(before, made.rows.read()):
        return [*before, listed_items([made])]
    return [behind(tracer, before, made)] if before else [made]


def _apart(before: list[Any], rows: Value) -> bool:
    """Whether an item from before a loop has another shape than its rows, as far as that is told."""
    dims = told_dims(rows)
    told = [told_dims(x.value) for x in before if type(x) is Proxy and type(x.value) is Value] if dims else []
    return any(_differ(found, dims[1:]) for found in told if found is not None)  # type: ignore[index]


def _differ(a: tuple, b: tuple) -> bool:
    return len(a) != len(b) or any(x != y for x, y in zip(a, b) if x is not None and y is not None)


def behind(tracer: Capturing, before: list[Any], more: StackedRows) -> StackedRows:
    """Rows that follow the items of a list."""
    both = ops.concat([head(before), more.rows.read()], 0)
    return stands_for(tracer, both, more.kind, [*before, more])


def stands_for(tracer: Capturing, made: Value, kind: str, items: list[Any]) -> StackedRows:
    """What stands for items of a list whose rows a tensor of its own has a copy of: in the list they are what they were, maybe views."""
    rows = tracer.wrap(made, tracer.backend)
    held = [x.rows if type(x) is StackedRows else x for x in items]
    doubt(rows, [] if kind else [x for x in held if mutable(x)], "a list that a loop filled holds it")
    return StackedRows(rows, kind)


def head(items: list[Any]) -> Value:
    """The items of a list as rows of a tensor."""
    first = rows_of(items)
    found: Value = first.read() if type(first) is Proxy else ops.stack([as_row(x) for x in items], 0)
    return found


def _check_dtypes(tracer: Capturing, items: list[Any]) -> None:
    """One tensor of rows has one dtype."""
    values = [(x.rows if type(x) is StackedRows else x).value for x in items]  # a view of a trip is not read behind it
    known = {value.type.dtype for value in values if getattr(value, "type", None) is not None}
    if len(known) > 1:
        names = " and ".join(sorted(map(str, known)))
        raise tracer.error(
            f"GFX cannot append tensors of different dtypes ({names}) to one list in a loop on tensor data"
        )


def called(x: Any, frame: Any) -> str:
    """What the user calls an object: the variable that holds it, in the frame where it is used or in one that called it."""
    while frame is not None:
        found = next((name for name, held in frame.f_locals.items() if held is x and name.isidentifier()), None)
        if found is not None and not frame.f_globals.get("__name__", "").startswith("gfx_trace"):
            return found
        frame = frame.f_back
    return f"a {type(x).__name__}"


def item_called(keys: tuple, root: str) -> str:
    """What an error calls a part of a container that is called `root`: a key for each level down."""
    return "".join(f"item {key!r} of " for key in reversed(keys)) + root


def slot_called(slot: Slot, frame: Any) -> str:
    """What an error calls a slot: its key or attribute, and the object."""
    if slot.kind not in ("item", "attribute"):
        return repr(slot.name)
    part = "attribute" if slot.kind == "attribute" else "key" if isinstance(slot.object, dict) else "item"
    return f"{part} {slot.key!r} of {called(slot.object, frame)!r}"


def length_error(slot: Slot, where: str, frame: Any) -> UnsupportedConstruct:
    """A list whose length would hang on data."""
    if isinstance(slot.object, list) and not {StackedRows, ListedItems}.isdisjoint(map(type, slot.object)):
        name = called(slot.object, frame)
        return UnsupportedConstruct(
            f"GFX cannot convert this change of {name!r} {where}: a loop filled it, and what it holds would be open", slot.span,
            f"write an item behind it, chosen with where: {name}[0] = where(test, new, {name}[0]); for an append, use a mask",
        )  # fmt: skip
    write = "append" if isinstance(slot.object, list) else "write"
    return UnsupportedConstruct(
        f"GFX cannot convert this {write} to {called(slot.object, frame)!r} {where}: its length would be open", slot.span,
        "write into a tensor of fixed length, or use where or a mask",
    )  # fmt: skip
