"""What a variable holds after a test: the two sides' results joined leaf by leaf.

A leaf that becomes an output of the node is planned first (`Joined`) and filled in once the node exists. What cannot be joined is
gated: who uses it asks the same test again, or is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import never_meet
from gfx_ir.python_numbers import NUMBER_CLASSES, is_number, kind_of
from gfx_ir.types import LogicalTensor

from ..heap.aliases import doubt, mutable, share
from ..heap.journal import held_value
from ..heap.links import Link, When, both, reach
from ..heap.slots import Slot
from ..interfaces import Capturing
from ..python.convert import has_class
from ..python.listed import ListedItems
from ..python.rows import (
    FILLED,
    holds_rows,
    item_by_item,
    item_called,
    kind_of_items,
    listed_items,
    slot_called,
)
from ..python.sequences import is_shape, is_whole
from ..values.access import said
from ..values.either import roots
from ..values.gated import Gated, defined_by, is_total, lacks
from ..values.item_kinds import each_tensor, tensors_in
from ..values.joined_types import joined_kind, widens
from ..values.nest import alike, branches, is_object, is_record, part_name, rebuilt
from ..values.proxy import HostProxy, Proxy, Undefined, Unusable, either, is_open, of_two_frameworks, weak_kind
from .joined_aliases import Joined, JoinedAliases
from .nouns import noun, nouns, shape_text


class Join:
    """Joins leaves of two sides; `pairs` are the outputs that the node will have, `kinds` their kinds."""

    def __init__(self, tracer: Capturing, test: Value, host: bool, sides: Sequence[Any]) -> None:
        self.tracer, self.test, self.host = tracer, test, host
        self.span = tracer.span()
        self.pairs: list[tuple[Any, Any]] = []
        self.kinds: list[str] = []
        self.sides = sides
        self.containers: dict[
            tuple[int, int], tuple[Any, Any, Any]
        ] = {}  # (then, otherwise, joined) by the ids of both
        self.joined: dict[tuple[int, int], Joined] = {}  # of tensors, by the ids of both sides' objects
        self.path: tuple = ()  # the variable, and where in what it holds the parts are that are joined now
        self.slot: Slot | None = None  # the item or attribute that holds them
        self.deferred = False  # an open host test whose sides may be asked for more outputs later

    def join(self, a: Any, b: Any, name: str) -> Any:
        """What `name` holds after the test, given what each side left in it."""
        if a is not b:
            a, b = self._on_its_side(a, 0), self._on_its_side(b, 1)
        if a is b:
            return a
        if not self.host:  # a test of Python's leaves either object as it is
            a, b = map(self.tracer.arrays.as_joined, (a, b))
        for mine, other in ((a, b), (b, a)):
            if self._stays(mine) and type(other) is Proxy and other.value in self.tracer.unread:
                return mine
        if is_total(a) or is_total(b):
            return self._total(a, b, name)
        if type(a) is type(b) and type(a) in FILLED and a.kind == b.kind:
            rows = self.join(a.rows, b.rows, name)
            return rows if lacks(rows) else type(a)(rows, a.kind)
        if lacks(a) or lacks(b):
            return self._lacking(a, b, name)
        if type(a) is type(b) and isinstance(a, (*NUMBER_CLASSES, str, type(None))) and (a == b or (a != a and b != b)):
            return a
        left, right = self._held(a, 0), self._held(b, 1)
        if (holds_rows(left) or holds_rows(right)) and self.is_list(left, right):
            return self.listed(a, b, name)
        if not item_by_item(left, right):
            return self._unjoinable(a, b, name)
        if type(a) is type(b) and (isinstance(a, (tuple, list, dict)) or is_record(a) or self._is_new(a, b)):
            found = self._tree(a, b, name)
            if found is not None:
                return found
        if any(has_class(x) or self.tracer.arrays.is_foreign_number(x) for x in (a, b)) or of_two_frameworks(a, b):
            return self._unjoinable(a, b, name)
        a, b = self._known(a, b, 0), self._known(b, a, 1)
        found = self.joined.get((id(a), id(b)))
        if found is not None:  # one object under two names stays one
            return found
        try:
            values = self.value(a, 0), self.value(b, 1)
        except CaptureError as error:  # not to be read any more: an error where it is read
            return Unusable(error)
        kind = self._kind((a, b), values, name)
        if type(kind) is Gated:
            return kind
        if kind == "shape":
            values = _as_shape(values[0]), _as_shape(values[1])
        joined = self.output(*values, kind, name, _backend(a, b) or self.tracer.backend)
        joined.weak = either(a, b)
        if type(a) is Proxy or type(b) is Proxy:
            joined.sides = (a, b)
            self.joined[id(a), id(b)] = joined
        return joined

    def _on_its_side(self, x: Any, side: int) -> Any:
        """What a side leaves: of what another test left, that which it is where this test goes that way."""
        if type(x) is not Gated:
            return x
        with self.tracer.facts.given(self.test, side == 0):
            return self.tracer.gates.known(x)

    def _stays(self, x: Any) -> bool:
        """Whether x is a tensor from outside of the test: where the other side returned nothing, it alone is ever returned."""
        return mutable(x) and self.tracer.gates.stays(x.value)

    def _known(self, x: Any, other: Any, side: int) -> Any:
        """The test itself, where it is a number of Python's and in the place of another, is known there: `bool(t) and 0.5` is False or
        0.5. A tensor stays one: `t and 0.5` is that tensor or 0.5."""
        if type(x) is not Proxy or not weak_kind(x) or not weak_kind(other) or not isinstance(x.value, Value):
            return x
        is_test = self.tracer.facts.root(x.value) is self.tracer.facts.root(self.test)
        return side == 0 if is_test and self.tracer.record.is_boolean(x.value) else x

    def value(self, x: Any, side: int) -> Any:
        """What x held at the end of a side: writes to what was there before are undone behind it."""
        if type(x) is Proxy and self.sides and id(x) in self.sides[side].values:
            return held_value(self.sides[side].values, x)
        if type(x) is not Proxy or not self.sides:
            return self.tracer.unwrap(x)
        graph = x.value.node.graph if type(x.value) is Value else None
        written = (slot.object for slot, _ in self.sides[side].written)
        # the other side has put another in its place, or derived a view:
        if share(written, roots(x)) or graph is self.sides[1 - side].graph:
            return self.tracer.regions.at_end(self.sides[side], x)
        if graph is self.sides[side].graph:
            return x.value  # made in the side: a view derived again here would be computed on both sides
        return self.tracer.unwrap(x)

    def doubts(self) -> None:
        """A joined tensor may be one that was there before, or be joined under another name too: whether it is, hangs on the test."""
        for joined in self.joined.values():
            if type(joined.proxy) is Proxy and not joined.weak and type(joined.proxy.value) is Value:
                sides = zip(joined.sides, self.pairs[joined.position])
                if any(self.tracer.record.may_be_python(leaf, value) for leaf, value in sides):
                    self.tracer.record.mix(joined.proxy.value)
        JoinedAliases(self.tracer, self.test, self.sides, list(self.joined.values())).apply()

    def output(self, a: Any, b: Any, kind: str, name: str, backend: Any) -> Joined:
        """Plan an output."""
        for at, pair in enumerate(self.pairs):
            if pair[0] is a and pair[1] is b and isinstance(a, Value) and isinstance(b, Value):
                return Joined(at, name, backend)
        self.pairs.append((a, b))
        self.kinds.append(kind)
        return Joined(len(self.pairs) - 1, name, backend)

    def _is_new(self, a: Any, b: Any) -> bool:
        """Whether objects of attributes are joined by these: a test on data has no other way, an open one for what a side has made."""
        sides = zip((a, b), self.sides)
        return is_object(a) and (
            not self.host or any(self.tracer.journal.made.since(x, side.since) for x, side in sides)
        )

    def _lacking(self, a: Any, b: Any, name: str) -> Any:
        """What is no value on one side, or on some way within it."""
        if type(a) is type(b) and type(a) in (Undefined, Unusable):
            return a
        self.deferred |= self.host
        return Gated(self.test, a, b, name)

    def _total(self, a: Any, b: Any, name: str) -> Any:
        """A variable that a loop may have defined: its value and its flag, each joined."""
        if any(lacks(x) and not is_total(x) for x in (a, b)):
            return self._lacking(a, b, name)
        (left, there), (right, here) = ((x.then, x.test) if is_total(x) else (x, True) for x in (a, b))
        value = self.join(left, right, name)
        return value if lacks(value) else defined_by(self.join(there, here, f"{name}_defined"), value, name)

    def _tree(self, a: Any, b: Any, name: str) -> Any:
        if not alike(a, b):
            return None
        known = self.containers.get((id(a), id(b)))
        if known is not None:  # one object under two names stays one
            return known[2]
        left, right = self._parts(a, 0), self._parts(b, 1)
        if len(left) != len(right):
            return None
        labels = [part_name(a, k) or k for k, _ in left]
        keys = [f"{name}_{k}" if isinstance(k, int) or str(k).isidentifier() else name for k in labels]
        items, outer = [], self.path
        for (k, x), (_, y), key in zip(left, right, keys):
            self.path = (*(outer or (name,)), k)
            items.append(self.join(x, y, key))
        self.path = outer
        made = rebuilt(a, items)
        if not isinstance(a, tuple):
            self.containers[id(a), id(b)] = a, b, made
        return made

    def is_list(self, a: Any, b: Any) -> bool:
        """Whether two lists or tuples are one of open length behind the test: a test of Python's may go over those that are known again."""
        if type(a) is not type(b) or type(a) not in (list, tuple) or (len(a) == len(b) and item_by_item(a, b)):
            return False
        return kind_of_items([*a, *b]) is not None

    def listed(self, a: Any, b: Any, name: str) -> Any:
        """A list or tuple of open length that holds what the one or the other does."""
        known, found = self.containers.get((id(a), id(b))), []
        if known is not None:  # one object under two names stays one
            return known[2]
        lists = self._held(a, 0), self._held(b, 1)
        for side, items in enumerate(lists):
            held = [each_tensor(x, lambda x, at=side: Proxy(self.value(x, at), x.backend, x.weak)) for x in items]
            with self.tracer.regions._within(self.sides[side]):
                found.append(listed_items(held).rows)
            doubt(found[-1], [x for item in items for x in tensors_in(item) if mutable(x)], "a list holds it", add=True)
        then, otherwise = found
        kind = kind_of_items([*lists[0], *lists[1]]) or ""
        made = type(a)([ListedItems(self.join(then, otherwise, name), kind)])
        if type(a) is list:
            self.containers[id(a), id(b)] = a, b, made
        return made

    def link(self, made: dict[int, Any]) -> None:
        """A joined container is what each side has for it, as the test says, and so are others that are joined of the same; one that a
        side made for itself is nobody's behind it. `made`: what stands for each, by id."""
        for at, side in enumerate(self.sides):
            met: dict[int, tuple[Any, list[tuple[Any, When]]]] = {}
            for pair in self.containers.values():
                joined = made.get(id(pair[2]))
                for x, when in reach(pair[at], side.links) if joined is not None else ():
                    met.setdefault(id(x), (x, []))[1].append((joined, both(((self.test, at == 0),), when)))
            for x, ways in met.values():
                if not self.tracer.journal.made.since(x, side.since):
                    self._linked([(x, ()), way] for way in ways)
                else:
                    self._linked(combinations(ways, 2))

    def _linked(self, pairs: Iterable[Sequence[tuple[Any, When]]]) -> None:
        for (a, one), (b, other) in pairs:
            if a is not b:
                self.tracer.journal.links.add(Link(a, b, both(one, other)))

    def _parts(self, x: Any, side: int) -> list[tuple[Any, Any]]:
        """The branches of a container as they were at the end of a side."""
        found = self.sides[side].contents.get(id(x)) if self.sides else None
        return found if found is not None else branches(x) or []

    def _held(self, x: Any, side: int) -> Any:
        """A list as it was at the end of a side; anything else as it is."""
        return [item for _, item in self._parts(x, side)] if type(x) is list else x

    def _kind(self, pair: tuple[Any, Any], values: tuple[Any, Any], name: str) -> Any:
        """Kind of the output that a pair of different leaves makes, or what stands for it where none can be."""
        (a, b), kinds = pair, {self._leaf_kind(pair[at], values[at], at == 0) for at in (0, 1)}
        if self.host and kinds == {"shape", "tree"} and all(map(_is_sizes, pair)):
            return "shape"
        if "object" in kinds or "tree" in kinds:
            return self._unjoinable(a, b, name)
        if self.host or kinds == {"list"}:
            return joined_kind(kinds)
        if kinds == {"key"}:
            return "key"
        if kinds <= {"tensor", "int", "float", "bool", "complex"}:
            left, right = (value if type(x) is Proxy else None for x, value in zip(pair, values))
            clash = self._clash(left, right, name)
            return "tensor" if clash is None else Gated(self.test, a, b, name, error=clash)
        return self._unjoinable(a, b, name)

    def _leaf_kind(self, x: Any, value: Any, truth: bool) -> str:
        """Kind of a leaf of one side, and what it holds; what is known to be there is a tensor."""
        found = _leaf_kind(x, value)
        if found != "optional" or type(x) is not Proxy:
            return found
        with self.tracer.facts.given(self.test, truth):
            given = self.tracer.facts.given_by(
                x.value
            )  # by a test that is known here, whatever the side found out itself
            there = type(given) is Value and self.tracer.facts.there(given)
            return "tensor" if there and given.is_tensor else found

    def _clash(self, a: Any, b: Any, name: str) -> CaptureError | None:
        """The error for values whose types no tensor has at once."""
        types = [value.type if isinstance(value, Value) else None for value in (a, b)]
        if not all(isinstance(t, LogicalTensor) for t in types):
            return None
        left, right = types
        assert isinstance(left, LogicalTensor) and isinstance(right, LogicalTensor)
        clash = not left.weak and not right.weak and left.dtype and right.dtype and left.dtype != right.dtype
        if (
            clash
            and not (self._is_carried(a) and widens(left, right))
            and not (self._is_carried(b) and widens(right, left))
        ):
            return self._error(
                name, f"has dtype {left.dtype} on one side and {right.dtype} on the other side of the branch"
            )
        if left.dims is not None and right.dims is not None and never_meet(left.dims, right.dims):
            return self._error(
                name,
                f"has shape {shape_text(left.dims)} on one side and {shape_text(right.dims)} on the other side of the branch",
            )

        return None

    def _is_carried(self, value: Value) -> bool:
        """Whether a value is what a trip of a loop begins with, which may get another dtype in a later pass."""
        return value in self.tracer.record.begins and not value.node.regions

    def _unjoinable(self, a: Any, b: Any, name: str) -> Any:
        if self.host or (_is_called(a) and _is_called(b)):
            self.deferred = True
            return Gated(self.test, a, b, name)
        found = _difference(self._held(a, 0), self._held(b, 1))
        return Gated(self.test, a, b, name, error=self._error(name, f"{found} of the branch"))

    def _error(self, name: str, what: str) -> CaptureError:
        root = (
            said(self.path[0] if self.path else name) if self.slot is None else slot_called(self.slot, self.tracer.site)
        )
        place = item_called(self.path[1:], root)
        return UnsupportedConstruct(
            f"GFX cannot convert this if: {place} {what}, which no graph can hold: the test is on tensor data",
            self.span,
            "give it the same kind, dtype and shape on both sides, or use it inside the branch only",
        )


def _leaf_kind(x: Any, value: Any) -> str:
    if isinstance(x, Proxy):
        return value.kind if isinstance(value, Value) else _leaf_kind(value, value)
    if isinstance(x, HostProxy):
        return x.value.kind
    if is_number(x):
        return kind_of(x)
    if x is None:
        return "none"
    if isinstance(x, str):
        return "str"
    if isinstance(x, (tuple, list, dict)):
        return "tree"
    return "object"


def _is_sizes(x: Any) -> bool:
    """Whether x is a tuple of whole numbers, open or not."""
    return is_shape(x) or (isinstance(x, tuple) and not is_record(x) and all(map(is_whole, x)))


def _is_called(x: Any) -> bool:
    """Whether x is a function or module, which either side of any test may call."""
    return type(x) is Gated or (callable(x) and not is_open(x))


def _difference(a: Any, b: Any) -> str:
    for x, y in ((a, b), (b, a)):
        if x is None:
            return f"is None in one branch and {noun(y)} on the other side"
        if isinstance(x, str):
            return f"is a str ({x!r}) on one side"
        if callable(x) and not is_open(x):
            return "is a function on one side"
    if isinstance(a, (tuple, list, dict)) or isinstance(b, (tuple, list, dict)):
        return f"differs in structure ({noun(a)} and {noun(b)}) between the sides"
    one, other = nouns(a, b)
    return f"is {one} on one side and {other} on the other side"


def _backend(a: Any, b: Any) -> Any:
    return next((x.backend for x in (a, b) if is_open(x)), None)


def _as_shape(value: Any) -> Any:
    """A tuple of a framework's own class as a plain one."""
    return tuple(value) if isinstance(value, tuple) else value
