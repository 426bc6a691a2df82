"""Tensors that may share memory with others, where the capture cannot tell.

A tensor joined from two sides of a test, carried by a loop, or cast by something that may have copied it has a Doubt
for its base. It reads as long as none of the others was written. Writing it makes the others Lost: what they hold is
undecided, and using them is an error. So a program is refused exactly where its result would hang on what is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.infer.number_conditions import ARRAYS, NEVER, SURE, Conditions
from gfx_ir.op import Trait, active
from gfx_ir.reach import reached as reached_from

from ..values.either import Either, carrier, root_of, roots
from ..values.gradient_marks import data_of
from ..values.lost import Lost
from ..values.numpy_numbers import scalar
from ..values.proxy import NeedsPython, Proxy
from .chains import same_place
from .kin import Kin

_HINT = "write to a copy (`.clone()`, `.copy()`) or to x[i] by its index, or make a new tensor: x = x + 1, not x += 1"


def kin_of(proxy: Proxy) -> Kin:
    """The tensors that may share memory with a root."""
    if isinstance(proxy.base, Doubt):
        return proxy.base.kin.all()
    if proxy.kin is None:
        proxy.kin = Kin()
    return proxy.kin.all()


class Doubt:
    """The base of a tensor that may be the same memory as `others`; under the `conditions` it is a number of its own."""

    __slots__ = ("pairs", "behind", "given", "why", "conditions", "loop", "chosen", "itself", "checked", "kin")
    version = 0

    def __init__(self, why: str, conditions: Conditions | None = None, loop: Any = None) -> None:
        # others with what they held, each pair once, and the loop by which they are in question: see `distinct`
        self.pairs: dict[tuple[int, int], tuple[Proxy, Any, Any]] = {}
        self.behind: list[Doubt] = []  # what the others are in doubt about
        self.given: list[Proxy] = []  # those of them that it was made of: what these may be, it may be too
        self.why, self.conditions = why, conditions
        self.chosen = loop is not None  # whether it may be one of the others itself, not only share memory with it
        self.loop = loop  # the one that carries it: of what that carries, it may be those of the others alone
        self.itself = 0  # the tensor, by id
        self.checked = -1  # how much had been written when none of the others was
        self.kin = Kin()

    @property
    def apart(self) -> Conditions | None:
        """When it shares no memory with the others."""
        return self.conditions

    @property
    def all_pairs(self) -> Iterator[tuple[Proxy, Any, Any]]:
        """The tensors in question, those that they in turn may be among them."""
        for found in reached_from([self], lambda doubt: doubt.behind):
            yield from (pair for pair in found.pairs.values() if id(pair[0]) != self.itself)

    @property
    def others(self) -> Iterable[tuple[Proxy, Any]]:
        """The tensors in question, with what each held when the doubt arose."""
        return [(other, value) for other, value, _ in self.all_pairs]

    def add(self, *others: Proxy, loop: Any = None) -> None:
        """More tensors in question, by a loop, with what these may be."""
        for other in others:
            self.given.append(other)
            self.pairs[id(other), id(other.value)] = other, other.value, loop
            self.kin.join(kin_of(other))
            if isinstance(other.base, Doubt):
                self.behind.append(other.base)

    def read(self) -> None:
        """Nothing, if none of the others was written, or this proves to be a number."""
        now = active.builder.journal.writes
        if self.checked == now:
            return
        fresh = list(reached_from([self], lambda doubt: [one for one in doubt.behind if one.checked != now]))
        alone = True
        for other, value, loop in (pair for doubt in fresh for pair in doubt.pairs.values()):
            lost = type(other.base) is Lost and (loop is None or other.base.loop is not loop)
            if id(other) == self.itself:
                alone = False
            elif other.value is not value or (lost and not other.base.settled()):
                if self.apart is None or not active.builder.assumed.ranks(self.apart):
                    raise _undecided(other, self.why)
                self.pairs, self.behind = {}, []
                return
        for doubt in fresh if alone else (self,):
            doubt.checked = now

    def written(self, proxy: Proxy, new: Any) -> None:
        """The tensor is written: the others may have changed with it."""
        for other, _, loop in list(self.all_pairs):
            lose(other, self.why, put_back(proxy, proxy), self.apart, loop)
        active.builder.journal.record(proxy, None, "base")
        proxy.base = None
        proxy.write(new)


class WrittenRows(NeedsPython):
    """A loop writes the tensor over whose `rows` it runs, so that those to come change: each is to be read by its place."""

    def __init__(self, rows: Iterable[Proxy]) -> None:
        self.rows = list(rows)
        hint = "loop over range(len(x)), or give the argument's shape at capture"
        super().__init__("loop", "the loop writes the tensor over whose rows it runs", active.builder.span(), hint)


class Row(Doubt):
    """The base of a loop's item: a row of what the loop runs over, as long as nothing writes that."""

    __slots__ = ()

    def __init__(self, owner: Proxy, conditions: Conditions | None) -> None:
        super().__init__("a loop writes to its rows", conditions)
        self.add(*roots(owner))

    def read(self) -> None:
        """Nothing, if the rows are as they were. Raises WrittenRows."""
        try:
            super().read()
        except UnsupportedConstruct:
            raise WrittenRows(self.given) from None

    def written(self, proxy: Proxy, new: Any) -> None:
        """The row is written, and with it the tensor."""
        raise WrittenRows(self.given)


class Element(Doubt):
    """The base of `a[i]` where that is a view of a matrix's row, and a number of its own of a vector, as NumPy has it.

    Where that matters, the array is taken for one that has as many axes as the index has `integers`, with a guard.
    """

    __slots__ = ("owner", "at")

    def __init__(self, owner: Proxy, at: Any, conditions: Conditions | None) -> None:
        root = root_of(owner)
        why = "an index gives a number of its own from a vector, and a view of its rows from a matrix"
        super().__init__(why, conditions if owner.backend is not None else None)
        self.add(root)
        self.owner, self.at = owner, at


class Selected(Doubt):
    """The base of `a[at]` where nothing tells whether the index is a number, which gives a view, or an array, which copies.

    It is memory of its own in any case where `apart` holds: NumPy has no views of single elements.
    """

    __slots__ = ("owner", "at", "apart")

    def __init__(self, owner: Proxy, at: Any, apart: Conditions | None) -> None:
        super().__init__("an index that is an array copies, and one that is a number gives a view")
        self.add(*roots(owner))
        self.owner, self.at, self.apart = owner, at, apart


class Undecided(UnsupportedConstruct):
    """What a tensor holds hangs on which of several it is, and nothing told."""


class WrittenConstant(Exception):
    """An array that stands in the graph as a constant is written: capture again, with arrays as parameters."""


class Constant:
    """The base of an array from outside that is a constant of the graph, as small ones are."""

    __slots__ = ()
    version = 0

    def read(self) -> None:
        """Nothing: it does not change."""

    def written(self, proxy: Proxy, new: Any) -> None:
        """Only a parameter can be written."""
        raise WrittenConstant


CONSTANT = Constant()


def memory(proxy: Proxy) -> list[Proxy]:
    """The tensors whose memory one has, or may have."""
    found: list[Proxy] = []
    for root in roots(proxy):
        found.append(root)
        found += [other for other, _ in root.base.others] if isinstance(root.base, Doubt) else []
    return found


def reached(proxy: Proxy, graph: Any) -> list[Proxy]:
    """Tensors from outside of a region that one which it leaves may be: itself, unless the region (`graph`) made it."""
    found: list[Proxy] = []
    for root in roots(proxy):
        found += [root] if outside(root, graph) else [item for item in memory(root) if outside(item, graph)]
    return found


def outside(proxy: Proxy, graph: Any) -> bool:
    """Whether a tensor was not made in a region."""
    return not isinstance(proxy.value, Value) or proxy.value.node.graph is not graph


def distinct(a: Proxy, b: Proxy) -> bool:
    """Whether one loop carries both, and they are different tensors in each trip."""
    if not isinstance(a.base, Doubt) or not isinstance(b.base, Doubt) or a.base.loop is None:
        return False
    return a.base.loop is b.base.loop and not any(other is b for other, _ in a.base.others)


def in_doubt(proxy: Proxy) -> bool:
    """Whether it is undecided whose memory a tensor has, or what stands there."""
    return any(isinstance(root.base, (Doubt, Lost)) for root in roots(proxy))


def share(some: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether one object is among both."""
    held = {id(item) for item in some}
    return any(id(item) in held for item in others)


def called(proxy: Proxy) -> str:
    """What the user calls a tensor."""
    return getattr(proxy.value, "name", None) or "a tensor"


def mutable(x: Any) -> bool:
    """Whether x is a tensor that code can write in place: a number is not, nor are JAX's arrays."""
    if type(x) is not Proxy or x.weak or not (x.backend is None or x.backend.views) or not isinstance(x.value, Value):
        return False
    return scalar(x) != SURE


def surely_array(x: Any) -> bool:
    """Whether x is a tensor that is written in place for certain: no number, and nothing that may be None; or one of two, as is known."""
    if type(x) is not Proxy or x.backend is None or not mutable(x):
        return False
    if type(root_of(x).base) is Either:
        return True
    value = active.builder.facts.root(x.value)
    return value.kind == "tensor" and not (x.backend.numbers and active.builder.record.number_when(value) is not None)


def doubt(
    proxy: Proxy, others: Iterable[Proxy], why: str, add: bool = False, loop: Any = None, chosen: bool = False
) -> None:
    """Let `proxy` be a tensor that may share memory with others; `add`: besides those that it may share with already; `loop`:
    the one that carries it; `chosen`: it may be one of them."""
    if proxy.base is not None and not (add and type(proxy.base) is Doubt):
        return
    made = proxy.base if proxy.base is not None else Doubt(why, scalar(proxy), loop)
    made.chosen |= chosen
    for other, root in [(item, root) for item in others for root in roots(item)]:
        gone = type(root.base) is Lost and root.base.harmless is None and loop is None  # by a later part of the body
        if root is not proxy and not gone:
            made.add(root, loop=made.loop if carrier(other) is None else None)  # what that is, this may be
    made.itself = id(proxy)
    if next(made.all_pairs, None) is not None:
        proxy.base, proxy.seen = made, 0


def lose(proxy: Proxy, why: str, result: Any = None, conditions: Conditions | None = None, loop: Any = None) -> None:
    """What a tensor holds is undecided from here on; or is what it was, where the conditions hold. `loop`: the one that carries
    what was written."""
    for root in roots(proxy):
        _lose(root, why, result, None if conditions == NEVER else conditions, loop or carrier(proxy))


def _lose(root: Proxy, why: str, result: Any, conditions: Conditions | None, loop: Any) -> None:
    before = root.base
    if type(before) is Lost and before.loop in (loop, None):
        both = _both(before.harmless, conditions)
        if both != before.harmless:  # as it was only where neither was a write
            active.builder.journal.record(root, None, "base", called(root))
            root.base = Lost(root, before.error, before.before, None, both, before.loop)
        return
    active.builder.journal.record(root, None, "base", called(root))
    if type(before) is Lost:  # to more than what one loop carries
        root.base = Lost(root, before.error, before.before, before.result, before.harmless)
        return
    root.base = Lost(root, _undecided(root, why), before, result, conditions, loop)
    if isinstance(before, Doubt):
        for other, _, via in before.all_pairs:
            lose(other, why, None, conditions, via)


def _both(a: Conditions | None, b: Conditions | None) -> Conditions | None:
    """Where both conditions hold; None: nowhere."""
    return None if a is None or b is None else a | b


def put_back(item: Proxy, made: Proxy) -> Any:
    """What `x[i] += y` makes of an item, with x and i: it is put there, whether the item is a view or not."""
    base, value = item.base, item.value
    if isinstance(base, (Element, Selected)):
        return made, base.owner, base.at
    taken = type(base) is Proxy and isinstance(value, Value) and bool(value.node.op.traits & Trait.READS_AT)
    return (made, base, value.node.args[1]) if taken else None


def regained(proxy: Proxy, index: Any, new: Any) -> None:
    """`x[i] += y` where that may make a new tensor: it is put back where `x[i]` was taken, so x is decided again."""
    root = root_of(proxy)
    if type(root.base) is not Lost or root.base.result is None:
        return
    made, owner, at = root.base.result
    if made is new and owner is proxy and same_place(at, index):
        active.builder.journal.record(root, None, "base", called(root))
        root.base = root.base.before


def decide(x: Proxy) -> None:
    """Let a tensor be what it was, where that can be taken as given: what was written was none of its memory."""
    while type(x.base) is Lost and x.base.settled():
        x.base.give_back()


def array_is_written(x: Proxy, instead: str) -> None:
    """What is written in place is an array: that is taken as given, where nothing tells. Raises Python's TypeError, which says
    `instead`, for what is surely a number of NumPy's."""
    written = type(x.base) is Proxy and type(x.value) is Value and x.value.node.op.put is None  # through a view
    if written or x.backend is None or not x.backend.numbers or type(x.value) is not Value:
        return
    number = x.base.conditions if isinstance(x.base, Doubt) else active.builder.record.number_when(x.value)
    if number == SURE:
        raise TypeError(instead)
    if not taken_for_array(x.value, number):
        raise active.builder.error(
            f"GFX cannot tell whether {called(x)!r} is an array, which is written in place, or a number of NumPy's",
            "give the argument at capture, or ask for x.ndim",
        )


def taken_for_array(value: Value, number: Conditions | None) -> bool:
    """Whether a value is an array, which is taken as given where nothing else tells. `number`: when it is a number of NumPy's."""
    what, has_axes = active.builder.record.of(value), active.builder.assumed.has_axes
    if number is None:
        return what.kinds == ARRAYS or all(map(has_axes, what.ranks or ()))
    return number != NEVER and any(has_axes(frozenset((pair,))) for pair in number)


def is_written(current: Any, index: Any, value: Any) -> bool:
    """Whether the last write to a tensor was this very one: `x[i] += 1` writes through the view `x[i]`, then stores it there."""
    node = getattr(data_of(current), "node", None)
    if node is None or type(value) is not Value or not node.op.traits & Trait.WRITES_AT or node.args[2] is not value:
        return False
    return same_place(index, node.args[1]) and not node.arg("accumulate")


def _undecided(proxy: Proxy, why: str) -> Undecided:
    return Undecided(
        f"GFX cannot decide whether a write changes {called(proxy)!r}: {why}", active.builder.span(), _HINT
    )
