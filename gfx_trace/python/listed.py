"""Lists of open length as one value of kind "list" in the graph: what tests and loops on data leave in a list."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from gfx_ir import ops
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Node, Value
from gfx_ir.infer.abstract import NUMBERS
from gfx_ir.op import active, lookup
from gfx_ir.python_numbers import OPEN
from gfx_ir.types import LogicalTensor

from ..heap.aliases import doubt, mutable
from ..interfaces import Capturing
from ..values.item_kinds import Fields, Items, containers_in, tensors_in
from ..values.number_rows import number
from ..values.proxy import Proxy, Unusable, weak_kind
from .checks import check_place, checked


class Fixed(NamedTuple):
    """What is fixed of items that one value holds: how many there are, and what holds of the sizes of each."""

    number: int | None = None
    dims: tuple | None = None


_OPEN = Fixed()


class ListedItems(Unusable):
    """What stands in a list for items of which the number is open, and which may have several shapes. Joined or stacked they are
    one tensor; how many there are is asked of the list, which can be returned. `rows` holds them, as a value of kind "list"; `kind`: what
    each of them is, as `item_kind` says; `fixed`: what is told of their number and sizes."""

    __slots__ = ("rows", "kind", "fixed")

    def __init__(self, rows: Proxy, kind: Any = "", fixed: Fixed = _OPEN) -> None:
        self.rows, self.kind, self.fixed = rows, kind, fixed
        active.builder.record.filled = True
        super().__init__(
            UnsupportedConstruct(
                "GFX cannot use a list in this way whose length is open, or that a loop filled with tensors of several shapes",
                None,
                _INSTEAD,
            )
        )

    def __iter__(self) -> Iterator[Any]:
        """The items one by one, where their number is fixed: Python runs a loop over them."""
        if self.fixed.number is None:
            raise self.error
        return (self.item(active.builder, at) for at in range(self.fixed.number))

    def refused(self, tracer: Capturing, what: str, instead: str) -> UnsupportedConstruct:
        """The error for what cannot be done to the list, a verb with what belongs to it."""
        return tracer.error(
            f"GFX cannot {what} a list whose length is open, or that a loop filled with tensors of several shapes",
            instead,
        )

    def cut(self, tracer: Capturing, part: slice) -> ListedItems:
        """These items from one place to another."""
        ends = slice(*map(tracer.unwrap, (part.start, part.stop, part.step)))
        made = Proxy(ops.seq_slice(self.rows.read(), ends), self.rows.backend)
        doubt(made, [self.rows], "a list that a loop filled holds it")
        count, dims = self.fixed
        if count is not None:
            places = all(x is None or type(x) is int for x in (part.start, part.stop, part.step))
            count = len(range(count)[part]) if places else None
        return ListedItems(made, self.kind, Fixed(count, dims))

    def length(self, tracer: Capturing) -> Any:
        """How many there are."""
        if self.fixed.number is not None:
            return self.fixed.number
        return tracer.wrap(tracer.host("len", self.rows.read()), self.rows.backend)

    def item(self, tracer: Capturing, at: Any) -> Any:
        """The item at a place, a whole number. Raises IndexError, when the code runs, where nothing is."""
        if weak_kind(at) != "int":
            raise self.error
        check_place(tracer, self.length(tracer), at)
        return self._part(tracer, tracer.unwrap(at), self.kind, (), True)

    def _part(self, tracer: Capturing, at: Any, kind: Any, path: tuple, first: bool) -> Any:
        """What stands at a path of the item at a place; `first`: whether nothing of it stands before that."""
        part = lambda n, key, inner: self._part(tracer, at, inner, (*path, key), first and not n)
        if type(kind) is tuple:
            return tuple([part(n, n, inner) for n, inner in enumerate(kind)])
        if type(kind) is Items:
            items = [part(n, n, inner) for n, inner in enumerate(kind.kinds)]
            tracer.journal.links.never_alone([id(items)], items)  # the list holds it
            return items
        if type(kind) is Fields:
            held = {key: part(n, key, inner) for n, (key, inner) in enumerate(zip(*kind))}
            tracer.journal.links.never_alone([id(held)], held)  # the list holds it
            return held
        found = tracer.wrap(ops.seq_at(self.rows.read(), at, path), self.rows.backend)
        if not first:  # where the first part is, the others are
            tracer.raising.sound.add(found.value.node)
        if kind in (OPEN, "complex"):
            return Proxy(found.value, found.backend, NUMBERS if kind == OPEN else frozenset((kind,)))
        if kind:
            made = number(kind, found)
            tracer.raising.sound.add(made.value.node)  # it is a number
            return made
        type_ = found.value.type
        if not path and self.fixed.dims is not None and isinstance(type_, LogicalTensor) and type_.dims is None:
            found.value.type = LogicalTensor(type_.dtype, self.fixed.dims)
        if mutable(found):
            doubt(found, [self.rows], "a list that a loop filled holds it")
        return found

    def joined(self, tracer: Capturing, name: str, rest: tuple, kwargs: dict) -> Any:
        """The items as one tensor: what the function `name` makes of them, `rest` and `kwargs`."""
        op = JOINING.get(name.rpartition(".")[2])
        axis = kwargs.get("dim", kwargs.get("axis", rest[0] if rest else 0))
        if self.kind:
            raise self.refused(
                tracer, f"apply {name} to items that are no tensors of", "make an array of numbers: float(x) for each"
            )
        if op is None or type(axis) is not int or set(kwargs) - {"dim", "axis"} or len(rest) > 1:
            raise self.refused(tracer, f"apply {name} in this way to", _INSTEAD)
        return tracer.wrap(op(self.rows.read(), axis=axis), self.rows.backend)


class SpreadItems(Unusable):
    """A list of open length spread into the arguments of a call, `f(*parts)`, or the items of a set. Whatever does not know it is
    refused."""

    __slots__ = ("items",)

    def __init__(self, items: ListedItems) -> None:
        self.items = items
        super().__init__(items.refused(active.builder, "spread with `*`", "give items by place: f(parts[0], parts[1])"))

    def columns(self, tracer: Capturing) -> list[tuple]:
        """What `zip` makes of the tuples or lists: all first items, all second ones."""
        kinds = self.items.kind.kinds if type(self.items.kind) is Items else self.items.kind
        if type(kinds) is not tuple or not kinds:
            raise self.error
        count = len(kinds)
        some = self.items.length(tracer) > 0
        checked(tracer, some, f"not enough values to unpack (expected {count}, got 0)", "ValueError")
        return [tuple(tracer.loops.map_(operator.itemgetter(at), self.items)) for at in range(count)]


def merged(tracer: Capturing, parts: Sequence[Any], backend: Any, kind: Any = "", fixed: Fixed = _OPEN) -> ListedItems:
    """One list of what is in several parts, each a list (a Proxy of a value of that kind) or an item of its own."""
    if len(parts) == 1 and is_list(parts[0]):
        return ListedItems(parts[0], kind, fixed)
    found: list[Any] = []
    for whole, several in [(whole, list(several)) for whole, several in groupby(parts, is_list)]:
        found += [tracer.local(x.read()) for x in several] if whole else [tuple(map(tracer.unwrap, several))]
    value = functools.reduce(ops.seq_concat, found) if len(found) > 1 else ops.seq_of(found[0] if found else ())
    made = Proxy(value, backend)
    doubt(made, [x for part in parts for x in tensors_in(part) if mutable(x)], "a list that a loop filled holds it")
    for held in (held for part in parts for held in containers_in(part)):
        tracer.journal.links.never_alone([id(held)], held)
    return ListedItems(made, kind, fixed)


def is_list(x: Any) -> bool:
    """Whether x stands for a list as one value."""
    return type(x) is Proxy and type(x.value) is Value and x.value.kind == "list"


def numbers(tracer: Capturing, rows: Proxy, kind: str) -> Proxy:
    """The list of the numbers of Python's that the rows of a tensor stand for."""
    with tracer.regions.opened("body") as side:
        row = side.graph.add_placeholder("row", "tensor")
        side.graph.result = (number(kind, tracer.wrap(row, rows.backend)).read(),)
    node = Node(lookup("for"), ((tracer.local(rows.read()),), (), (), None), ("list",), tracer.span(), (side.graph,))
    tracer.append(node)
    return Proxy(node.value, rows.backend)


_INSTEAD = "join the items (cat, stack along an axis), or return the list; or give the argument's shape at capture"
JOINING = {
    **dict.fromkeys(("stack", "array", "asarray"), ops.stack),
    **dict.fromkeys(("cat", "concat", "concatenate"), ops.concat),
}
"""What functions that make one tensor of several become."""
