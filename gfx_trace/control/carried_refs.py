"""References that a loop carries as data: whether a variable is, in this trip, a certain tensor from before the loop, or a number.

`s = x[0]`, written in each trip and replaced in each, is a part of x in the first trip alone. A flag that is carried beside s says so,
as a variable of the loop's own, and s is one of two under it: that tensor, or one that no other name stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from gfx_ir.graph import Graph
from gfx_ir.infer.abstract import Kinds

from ..heap.aliases import Doubt, doubt, memory, mutable, outside, share
from ..heap.chains import same_view, view_again
from ..interfaces import Capturing
from ..values.either import MOST_WAYS, Either, Number, Source, be_either, meet, root_of, roots, turned
from ..values.lost import Lost
from ..values.proxy import Proxy, is_open, number_kinds
from .carried import Carried


class Aliases(Protocol):
    """What the tensors that a loop carries share memory with, as a pass over the body shows."""

    carried: list[Carried]
    outside: dict[int, dict[int, Proxy]]
    entered: dict[int, Carried]
    graph: Graph


class CarriedRef:
    """A tensor, or number, that a variable may be; `now`: whether it is."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.now: Any = None

    def put(self, now: Any) -> None:
        """Set whether it is."""
        self.now = now

    @property
    def test(self) -> Any:
        """What tells, as a test asks it."""
        return self.now.read() if is_open(self.now) else partial(bool, self.now)


class CarriedRefs:
    """Those of one loop, by the places of what it carries; none where nothing tells which tensor a trip leaves."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer, self.held = tracer, dict[tuple, list[CarriedRef]]()
        self.own: dict[tuple, Proxy] = {}  # what stands at a place in a trip, where it is none of these
        self.closed: set[tuple] = set()  # the places where always one of theirs stands
        self.steady = True  # whether this pass left those told that were

    def of(self, carried: Carried) -> list[CarriedRef]:
        """The tensors from which a carried variable is told."""
        return self.held.get(carried.path, [])

    def apart(self, carried: Carried) -> bool:
        """Whether a variable is told from tensors, so that it is else one that no other variable is."""
        refs = self.of(carried)
        return bool(refs) and type(refs[-1].source) is Proxy

    def begin(self, carried: Carried, told: list[Source]) -> list[CarriedRef]:
        """Tell a variable from tensors, and from a number, which comes first, if it is known which it is before the loop."""
        refs = self.held[carried.path] = [CarriedRef(source) for source in told]
        self._tell(refs, carried.init)
        known = not carried.turned or type(told[0]) is Number
        if known and type(told[-1]) is Proxy and _is_one_of(carried.init, told):
            self.closed.add(carried.path)
        return refs

    def be(self, c: Carried, proxy: Any, loop: Any, left: Proxy | None = None) -> None:
        """What stands for a variable is one of its tensors, as the flags say, or one of its own: the one that a trip `left`, where
        that is known and it is one of its tensors before the loop."""
        if not mutable(proxy):
            return
        *refs, at_last = self.of(c)
        if c.path in self.closed:
            self.own.pop(c.path, None)
            last, unsure = at_last.source, list[Any]()
        else:
            refs = [*refs, at_last]
            known = left is not None and _is_one_of(c.init, [ref.source for ref in refs])
            last = left if known and left is not None else Proxy(proxy.value, proxy.backend)
            last.array = type(refs[0].source) is Number
            self.own[c.path], unsure = last, [last] if turned(last) else []
        for ref in refs[:-1]:
            one = Proxy(proxy.value, proxy.backend)
            be_either(one, ref.test, (ref.source, last), loop, unsure)
            last, unsure = one, []
        if refs:
            be_either(proxy, refs[-1].test, (refs[-1].source, last), loop, unsure)
        else:
            be_either(proxy, lambda: True, (last, last), loop)

    def doubt(self, c: Carried, loop: Any, others: Iterable[Proxy], why: str) -> None:
        """What a variable is where it is none of its tensors may share memory with `others`."""
        own = self.own.get(c.path)
        told = [root for ref in self.of(c) if type(ref.source) is Proxy for root in roots(ref.source)]
        if own is not None:
            doubt(own, [x for x in others if not any(x is root for root in told)], why, add=True, loop=loop)

    def end(self, left: Callable[[tuple], Any]) -> None:
        """At the end of a trip: which tensor each is then. `left`: what stands at a place."""
        for path, refs in self.held.items():
            self._tell(refs, left(path))

    def _tell(self, refs: list[CarriedRef], held: Any) -> None:
        """Note for each tensor, and for the number, whether it is what a variable holds."""
        told = [ref.source for ref in refs if type(ref.source) is Proxy]
        for ref in list(refs):
            source = ref.source
            now = self._is(held, source, told) if type(source) is Proxy else self._is_number(held)
            if now is None:
                self._forget(refs, type(source))
            ref.put(False if now is None else now)

    def _is_number(self, held: Any, sure: bool = False) -> Any:
        """Whether what a variable holds is a number of Python's; None: nothing tells. `sure`: if it is a tensor, it is one on every way."""
        if type(held) is Number or number_kinds(held):
            return True
        if type(held) is not Proxy or (not sure and turned(held)):
            return None
        if type(held.base) is not Either:
            return False
        unsure = held.base.unsure
        return self._chosen(
            held.base, [self._is_number(x, all(x is not one for one in unsure)) for x in held.base.sources]
        )

    def _is(self, held: Any, tensor: Proxy, told: list[Proxy]) -> Any:
        """Whether what a variable holds is this one of the tensors that it is `told` from; None: nothing tells."""
        if type(held) is not Proxy or number_kinds(held) or any(held is own for own in self.own.values()):
            return False
        found = next((one for one in told if same_view(held, one)), None)
        if found is not None:
            return found is tensor
        if type(held.base) is not Either:
            return None if share(_memory(held), roots(tensor)) else False
        return self._chosen(held.base, [self._is(source, tensor, told) for source in held.base.sources])

    def _chosen(self, base: Either, answers: list[Any]) -> Any:
        """The answer for the source that a test chooses; None: nothing tells for one of them."""
        then, otherwise = answers
        if then is None or otherwise is None:
            return None
        test, known = base.asked()
        if then is otherwise or known is not None:
            return otherwise if known is False else then
        return self.tracer.regions.branch(test, lambda: then, lambda: otherwise)

    # ------------------------------------------------------------------ what a pass shows
    def settle(self, aliases: Aliases) -> bool:
        """Whether the variables are, at the end of a trip, what they are taken to be: their tensors, or others that no two have."""
        told = [c for c in aliases.carried if self.of(c)]
        for c in told:
            refs = self.of(c)
            if self.apart(c) and any(
                self._meet(c.out, d.out) or self._meet(c.init, d.init) for d in aliases.carried if d is not c
            ):
                self._forget(refs, Proxy)
            elif c.path in self.closed and not _is_one_of(c.out, [ref.source for ref in refs]):
                self.closed.discard(c.path)
                self.steady = False
            if refs and type(number := refs[0].source) is Number and not _kinds(c.out) <= number.kinds:
                number.kinds |= _kinds(c.out)
                self.steady = False
        steady, self.steady = self.steady, True
        return steady

    def _forget(self, refs: list[CarriedRef], kind: type) -> None:
        """Do not tell a variable from tensors any more, or from numbers."""
        refs[:] = [ref for ref in refs if type(ref.source) is not kind]
        self.steady = False

    def _meet(self, x: Any, y: Any) -> bool:
        """Whether two may share memory that is none of what they are told from."""
        told = self._told()
        apart = lambda x: [item for item in _memory(x) if not share((item,), told)]
        return meet(x, y, lambda one, other: share(apart(one), _memory(other)))

    def _told(self) -> list[Proxy]:
        """The tensors that anything is told from."""
        sources = (ref.source for refs in self.held.values() for ref in refs)
        return [root for source in sources if type(source) is Proxy for root in roots(source)]

    def found(self, aliases: Aliases) -> list[tuple[Carried, list[Source]]]:
        """What could be told from tensors, and is not so far."""
        named = (c for c in aliases.carried if type(c) is Carried and c.path not in self.held)
        return [(c, told) for c in named if (told := [*self._number(c), *self._tensors(c, aliases)])]

    def _number(self, c: Carried) -> list[Number]:
        """The number that a variable may be where it is a tensor otherwise."""
        kinds = _kinds(c.init) | _kinds(c.out)
        numbers = c.backend is None or c.backend.numbers  # which are told apart by their ranks
        return [Number(None, kinds)] if kinds and not numbers else []

    def _tensors(self, c: Carried, aliases: Aliases) -> list[Proxy]:
        """The tensors from before the loop that a variable may be, each by the one object that stands for it; none: too many."""
        met = aliases.outside[id(c)]
        if not met:
            return []
        every = [x for d in aliases.carried for x in (d.init, d.out)]
        own = [x for x in _outer((c.init, c.out), aliases) if id(root_of(x)) in met]
        left = [aliases.entered.get(id(root)) for root in roots(c.out)] if type(c.out) is Proxy else []
        takes_over = any(other is not None and other is not c for other in left)
        told = set() if takes_over else {id(root_of(x)) for x in own}  # which its own ones stand for
        others = [x for x in _outer(every, aliases) if id(root_of(x)) in met.keys() - told]
        found = own + [x for x in others if not any(same_view(x, one) for one in own)]
        return found if len(found) < MOST_WAYS else []


def _kinds(held: Any) -> Kinds:
    """The kinds of the number that a variable may hold, as far as tests say."""
    if type(held) is Number:
        return held.kinds
    base = held.base if type(held) is Proxy else None
    return frozenset().union(*map(_kinds, base.sources)) if type(base) is Either else number_kinds(held)


def _is_one_of(held: Any, told: list[Source]) -> bool:
    """Whether what a variable holds is one of these, whatever tests say."""
    if type(held) is not Proxy or number_kinds(held):
        return type(told[0]) is Number and (type(held) is Number or bool(number_kinds(held)))
    if any(same_view(held, one) for one in told if type(one) is Proxy):
        return True
    return type(held.base) is Either and all(_is_one_of(source, told) for source in held.base.sources)


def _memory(x: Proxy) -> list[Proxy]:
    """The tensors that one is or may be, whatever is not known of its value since."""
    base = root_of(x).base
    before = base.before if type(base) is Lost else None
    return [*memory(x), *(other for other, _ in before.others)] if isinstance(before, Doubt) else memory(x)


def _outer(ends: Iterable[Any], aliases: Aliases) -> list[Proxy]:
    """The tensors from before the loop that these surely are, or views of these, but for those that no name stands for."""
    found: list[Proxy] = []
    for x in (x for end in ends if not turned(end) for x in _named(end) if mutable(x)):
        made = view_again(x, lambda one: outside(one, aliases.graph))
        if made is not None and not any(same_view(made, one) for one in found):
            found.append(made)
    return found


def _named(x: Source) -> list[Proxy]:
    """The tensors that one surely is, as tests say."""
    if type(x) is not Proxy or number_kinds(x):
        return []
    base = x.base
    if type(base) is not Either:
        return [x] if root_of(x).base is None else []
    sure = [source for source in base.sources if all(source is not one for one in base.unsure)]
    return [found for source in sure for found in _named(source)]
