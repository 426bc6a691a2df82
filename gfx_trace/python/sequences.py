"""Sequences of open length: a shape of open rank is a tuple of open whole numbers, and `list(x.shape)` a list of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gfx_ir.control import is_placeholder, operands_of, operator_of
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.op import Trait, active, lookup
from gfx_ir.reach import reached

from ..interfaces import Capturing
from ..rewrite.packages import framework
from ..values.proxy import HostProxy, Proxy, Unusable, is_open
from .checks import checked
from .number_lists import filled

_HINT = "give the argument's shape at capture"
_MIXED = "GFX cannot convert this sequence: its length is open, and not all that stands in it are whole numbers"
_WHOLE = ("int", "bool")


class Starred(Unusable):
    """An open tuple spread into the arguments of a call or the items of a display: `f(*x.shape, 8)`. Whatever does not know it
    is refused."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value
        super().__init__(UnsupportedConstruct("GFX cannot use `*` here: how many items it gives is open", None, _HINT))


class Spread(Unusable):
    """A tuple display with an open tuple spread in it, and what is no whole number: how many items it gives, only targets tell."""

    __slots__ = ("items",)

    def __init__(self, tracer: Capturing, items: tuple) -> None:
        self.items = items
        super().__init__(tracer.error(_MIXED, _HINT))


class OpenList:
    """A list of open whole numbers whose length is open. `items` is the open tuple of what stands in it."""

    __slots__ = ("items", "graph")

    def __init__(self, items: HostProxy) -> None:
        self.items, self.graph = items, active.builder.graph

    def _write(self, *parts: Any) -> None:
        """Put what the parts hold in place of what stands in it."""
        tracer = active.builder
        if tracer.graph is not self.graph:
            raise tracer.error(
                "GFX cannot change a list of open length under a test or in a loop on captured values",
                "make a new list, or give the argument's shape at capture",
            )
        self.items = joined(tracer, *parts)

    def _at(self, index: Any, message: str) -> tuple[HostProxy, HostProxy]:
        """What stands before and behind a fixed place, which is checked to be there."""
        tracer = active.builder
        if is_open(index):
            tracer.python.number(index, "the place of an item that is written")
        needed = index + 1 if index >= 0 else -index
        checked(tracer, tracer.host_values.length(self.items) >= needed, message, "IndexError")
        behind = self.items[index + 1 :] if index != -1 else self.items[:0]
        return self.items[:index], behind

    def _around(self, place: slice) -> tuple[Any, Any]:
        """What stands before and behind a slice that is written: as Python has it, one that ends before it begins is empty."""
        start, stop = place.start, place.stop
        fixed = all(end is None or type(end) is int for end in (start, stop)) and place.step in (None, 1)
        if not fixed or (start is not None and stop is not None and (start < 0) != (stop < 0)):
            raise active.builder.error("GFX cannot write to this slice of a list of open length", _HINT)
        if start is not None and stop is not None:
            stop = max(start, stop)
        return self.items[: start or 0], () if stop is None else self.items[stop:]

    def append(self, item: Any) -> None:
        """list.append."""
        self._write(self.items, (item,))

    def extend(self, items: Any) -> None:
        """list.extend."""
        self._write(self.items, items)

    def insert(self, index: Any, item: Any) -> None:
        """list.insert."""
        self._write(self.items[:index], (item,), self.items[index:])

    def pop(self, index: Any = -1) -> Any:
        """list.pop."""
        before, behind = self._at(index, "pop index out of range")
        item = self.items[index]
        self._write(before, behind)
        return item

    def clear(self) -> None:
        """list.clear."""
        self._write(())

    def reverse(self) -> None:
        """list.reverse."""
        self._write(self.items[::-1])

    def __iadd__(self, items: Any) -> OpenList:
        self.extend(items)
        return self

    def __imul__(self, count: Any) -> OpenList:
        self._write(self.items * count)
        return self

    def copy(self) -> OpenList:
        """list.copy."""
        return OpenList(self.items)

    def index(self, *args: Any) -> Any:
        """list.index."""
        return self.items.index(*args)

    def count(self, item: Any) -> Any:
        """list.count."""
        return self.items.count(item)

    def __getitem__(self, index: Any) -> Any:
        found = self.items[index]
        return OpenList(found) if isinstance(index, slice) else found

    def __setitem__(self, index: Any, item: Any) -> None:
        if isinstance(index, slice):
            before, behind = self._around(index)
            self._write(before, item, behind)
            return
        before, behind = self._at(index, "list assignment index out of range")
        self._write(before, (item,), behind)

    def __delitem__(self, index: Any) -> None:
        around = (
            self._around(index) if isinstance(index, slice) else self._at(index, "list assignment index out of range")
        )
        self._write(*around)

    def __add__(self, other: Any) -> Any:
        return OpenList(joined(active.builder, self.items, other)) if _is_list(other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return OpenList(joined(active.builder, other, self.items)) if _is_list(other) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return OpenList(self.items * count)

    __rmul__ = __mul__

    def __eq__(self, other: Any) -> Any:
        return self.items == items_of(active.builder, other) if _is_list(other) else False

    def __ne__(self, other: Any) -> Any:
        return self.items != items_of(active.builder, other) if _is_list(other) else True

    def __contains__(self, item: Any) -> Any:
        return active.builder.truths.contains(self.items, item)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __repr__(self) -> str:
        return repr(self.items)

    def __copy__(self) -> OpenList:
        return OpenList(self.items)

    def __deepcopy__(self, memo: dict) -> OpenList:
        return OpenList(self.items)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.items.__reduce_ex__(protocol)

    def __sizeof__(self) -> int:
        return self.items.__sizeof__()

    def __dir__(self) -> Any:
        return self.items.__dir__()

    __hash__ = None  # type: ignore[assignment]


OpenList.__name__ = OpenList.__qualname__ = "list"  # as Python's own errors call it
OpenList.__module__ = "builtins"


def _is_list(x: Any) -> bool:
    return type(x) is OpenList or type(x) is list


def is_shape(x: Any) -> bool:
    """Whether x is an open tuple of whole numbers."""
    return type(x) is HostProxy and x.value.kind == "shape"


def open_tuple(x: Any) -> Any:
    """The open tuple of what stands in a list of open length; anything else as it is."""
    return x.items if type(x) is OpenList else x


def items_of(tracer: Capturing, x: Any) -> Any:
    """What stands in a sequence, as a tuple; an open one as such. Raises UnsupportedConstruct for what is no whole number."""
    x = open_tuple(x)
    if is_shape(x):
        return x
    items = tuple(x)
    if not all(map(is_whole, items)):
        raise tracer.error(_MIXED, _HINT)
    return items


def is_whole(x: Any) -> bool:
    """Whether x is a whole number of Python's, also an open one."""
    if type(x) is HostProxy:
        return x.value.kind in _WHOLE
    return x.weak in _WHOLE if type(x) is Proxy else isinstance(x, int)


def joined(tracer: Capturing, *parts: Any) -> HostProxy:
    """The open tuple of what stands in sequences, one behind the other."""
    found = [tracer.unwrap(items_of(tracer, part)) for part in parts]
    kept = [part for part in found if type(part) is Value or part]
    if len(kept) == 1 and type(kept[0]) is Value:
        return HostProxy(kept[0], tracer.backend)
    return tracer.wrap(tracer.add(lookup("host"), ("splice", _flat(kept))))


def _flat(parts: list[Any]) -> tuple:
    """Parts of a tuple: open tuples, and items."""
    return tuple([item for part in parts for item in ((part,) if type(part) is Value else part)])


def display(tracer: Capturing, items: Any) -> Any:
    """A tuple, list or set display with `*` in it; with an open tuple spread in it, the sequence of open length that it makes."""
    if not any(type(item) is Starred for item in items):
        return items
    if isinstance(items, set):
        raise tracer.error("GFX cannot convert this set: how many items `*` gives is open", _HINT)
    if isinstance(items, tuple) and not all(type(item) is Starred or is_whole(item) for item in items):
        return Spread(tracer, items)
    parts = [tracer.wrap(item.value) if type(item) is Starred else (item,) for item in items]
    made = joined(tracer, *parts)
    return OpenList(made) if isinstance(items, list) else made


def spliced(tracer: Capturing, items: Any) -> Any:
    """Arguments of a call as ops take them; with an open tuple spread among them, the open tuple that they make."""
    if not any(type(item) is Starred for item in items):
        return items
    parts = tuple(item.value if type(item) is Starred else item for item in items)
    return tracer.host("splice", *parts)


def sequence_binary(tracer: Capturing, sign: str, a: Any, b: Any) -> Any:
    """a (operator) b where one is an open host value and one a sequence; NotImplemented where Python has no such operator."""
    kinds = [_sequence_kind(x) for x in (a, b)]
    if sign == "+" and kinds == [tuple, tuple]:
        return tracer.wrap(tracer.host("+", *[tracer.unwrap(items_of(tracer, x)) for x in (a, b)]))
    if sign == "*":
        for kind, sequence, count in ((kinds[0], a, b), (kinds[1], b, a)):
            if kind is not None and is_whole(count):
                return _repeated(tracer, kind, sequence, count)
    if sign in ("<", "<=", ">", ">=") and kinds == [tuple, tuple]:
        return tracer.wrap(tracer.host(sign, *[tracer.unwrap(items_of(tracer, x)) for x in (a, b)]))
    return NotImplemented


def _sequence_kind(x: Any) -> type | None:
    kind = tuple if is_shape(x) or (isinstance(x, tuple) and framework(type(x).__module__)) else type(x)
    return kind if kind in (tuple, list, str) or is_text(x) else None


def is_text(x: Any) -> bool:
    """Whether x is an open text."""
    return type(x) is HostProxy and x.value.kind == "str"


def _repeated(tracer: Capturing, kind: type, sequence: Any, count: Any) -> Any:
    rows = type(sequence) is list or (type(sequence) is tuple and not all(map(is_whole, sequence)))
    if rows and len(sequence) == 1 and _counts_items(tracer, count):
        found = filled(tracer, sequence[0], count)
        if found is not None:
            return kind(found)
    if kind in (tuple, list):
        sequence = items_of(tracer, sequence)
    made = tracer.wrap(tracer.host("*", tracer.unwrap(sequence), tracer.unwrap(count)))
    return OpenList(made) if kind is list else made


def _counts_items(tracer: Capturing, count: Any) -> bool:
    """Whether an open number is made of sizes and numbers that are given: a list of so many items is no shape."""
    value = tracer.unwrap(count)
    made = lambda x: [leaf for leaf in operands_of(x.node) if type(leaf) is Value] if operator_of(x.node) else []
    ends = [x for x in reached([value] if type(value) is Value else [], made) if not made(x)]
    return bool(ends) and all(is_placeholder(x.node) or x.node.op.traits & Trait.LENGTH for x in ends)


def folded(tracer: Capturing, name: str, x: Any) -> Any:
    """sum, math.prod, min, max, any or all of an open tuple; `sorted` gives a list."""
    found = tracer.host(name, x.value)
    return OpenList(tracer.wrap(tracer.host("tuple", found))) if name == "sorted" else tracer.wrap(found)


def spread(tracer: Capturing, args: tuple, count: int, names: tuple = ()) -> tuple:
    """Arguments of a function, or items for targets with these names, of which there are `count`: an open tuple among them gives as
    many as are lacking."""
    at = [at for at, arg in enumerate(args) if type(arg) is Starred]
    lacking = count - (len(args) - 1)
    if len(at) != 1 or lacking < 0:
        raise tracer.error("GFX cannot convert this call: how many arguments `*` gives is open", _HINT)
    own = names[at[0] : at[0] + lacking] or tuple([f"item_{n}" for n in range(lacking)])
    items = tracer.unpack(tracer.wrap(args[at[0]].value), own)
    return (*args[: at[0]], *items, *args[at[0] + 1 :])


def star_at(names: tuple) -> int | None:
    """Which of some targets is starred."""
    return next((at for at, name in enumerate(names) if isinstance(name, str) and name.startswith("*")), None)


def empty(tracer: Capturing) -> HostProxy:
    """An open tuple in which nothing stands yet: what a loop appends to."""
    return tracer.wrap(tracer.add(lookup("host"), ("splice", ())))


def as_list(tracer: Capturing, x: OpenList) -> Value:
    """The list itself, as a result or a text takes it."""
    found: Value = tracer.host("list", x.items.value)
    return found
