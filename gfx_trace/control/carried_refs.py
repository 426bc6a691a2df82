"""References that a loop carries as data: whether a variable is, in this trip, a certain tensor from before the loop.

`s = x[0]`, written in each trip and replaced in each, is a part of x in the first trip alone. A flag that is carried beside s says so,
as a variable of the loop's own, and s is one of two under it: that tensor, or one that no other name stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from gfx_ir.graph import Graph

from ..heap.aliases import Doubt, doubt, memory, mutable, outside, share
from ..heap.chains import same_view, view_again
from ..interfaces import Capturing
from ..values.either import MOST_WAYS, Either, Source, be_either, root_of, roots, turned
from ..values.lost import Lost
from ..values.proxy import Proxy, is_open, number_kinds
from .carried import Carried


class Aliases(Protocol):
    """What the tensors that a loop carries share memory with, as a pass over the body shows."""

    carried: list[Carried]
    outside: dict[int, dict[int, Proxy]]
    graph: Graph


class CarriedRef:
    """A tensor that a variable may be; `now`: whether it is."""

    def __init__(self, tensor: Proxy) -> None:
        self.tensor = tensor
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

    def begin(self, carried: Carried, tensors: list[Proxy]) -> list[CarriedRef]:
        """Tell a variable from tensors, if it is known which it is before the loop."""
        refs = self.held[carried.path] = [CarriedRef(tensor) for tensor in tensors]
        self._tell(refs, carried.init)
        if not carried.turned and _is_one_of(carried.init, tensors):
            self.closed.add(carried.path)
        return refs

    def be(self, c: Carried, proxy: Any, loop: Any, others: Iterable[Proxy], why: str) -> None:
        """What stands for a variable is one of its tensors, as the flags say, or one that may be of `others`."""
        if not mutable(proxy):
            return
        *refs, at_last = self.of(c)
        if c.path in self.closed:
            self.own.pop(c.path, None)
            last, unsure = at_last.tensor, []
        else:
            told = [root for ref in self.of(c) for root in roots(ref.tensor)]
            last = self.own[c.path] = Proxy(proxy.value, proxy.backend)
            doubt(last, [x for x in others if not any(x is root for root in told)], why, loop=loop)
            refs, unsure = [*refs, at_last], [last] if turned(last) else []
        for ref in refs[:-1]:
            one = Proxy(proxy.value, proxy.backend)
            be_either(one, ref.test, (ref.tensor, last), loop, unsure)
            last, unsure = one, []
        if refs:
            be_either(proxy, refs[-1].test, (refs[-1].tensor, last), loop, unsure)
        else:
            be_either(proxy, lambda: True, (last, last), loop)

    def end(self, left: Callable[[tuple], Any]) -> None:
        """At the end of a trip: which tensor each is then. `left`: what stands at a place."""
        for path, refs in self.held.items():
            self._tell(refs, left(path))

    def _tell(self, refs: list[CarriedRef], held: Any) -> None:
        """Note for each tensor whether it is what a variable holds."""
        tensors = [ref.tensor for ref in refs]
        found = [self._is(held, tensor, tensors) for tensor in tensors]
        if any(now is None for now in found):
            self._forget(refs)
        for ref, now in zip(refs, found):
            ref.put(now)

    def _is(self, held: Any, tensor: Proxy, told: list[Proxy]) -> Any:
        """Whether what a variable holds is this one of the tensors that it is `told` from; None: nothing tells."""
        if type(held) is not Proxy or number_kinds(held) or any(held is own for own in self.own.values()):
            return False
        found = next((one for one in told if same_view(held, one)), None)
        if found is not None:
            return found is tensor
        if type(held.base) is not Either:
            return None if share(_memory(held), roots(tensor)) else False
        then, otherwise = [self._is(source, tensor, told) for source in held.base.sources]
        if then is None or otherwise is None:
            return None
        test, known = held.base.asked()
        if then is otherwise or known is not None:
            return otherwise if known is False else then
        return self.tracer.regions.branch(test, lambda: then, lambda: otherwise)

    # ------------------------------------------------------------------ what a pass shows
    def settle(self, aliases: Aliases) -> bool:
        """Whether the variables are, at the end of a trip, what they are taken to be: their tensors, or others that no two have."""
        told = [c for c in aliases.carried if self.of(c)]
        for c in told:
            if any(self._meet(c.out, d.out) or self._meet(c.init, d.init) for d in aliases.carried if d is not c):
                self._forget(self.held[c.path])
            elif c.path in self.closed and not _is_one_of(c.out, [ref.tensor for ref in self.of(c)]):
                self.closed.discard(c.path)
                self.steady = False
        steady, self.steady = self.steady, True
        return steady

    def _forget(self, refs: list[CarriedRef]) -> None:
        refs.clear()
        self.steady = False

    def _meet(self, x: Any, y: Any) -> bool:
        """Whether two may share memory that is none of what they are told from."""
        if type(x) is not Proxy or type(y) is not Proxy:
            return False
        if type(x.base) is type(y.base) is Either and x.base.test is y.base.test:
            return any(map(self._meet, x.base.sources, y.base.sources))
        for one, other in ((x, y), (y, x)):
            if type(one.base) is Either:
                return any(self._meet(source, other) for source in one.base.sources)
        told = [root for refs in self.held.values() for ref in refs for root in roots(ref.tensor)]
        return share((item for item in _memory(x) if not share((item,), told)), _memory(y))

    def found(self, aliases: Aliases) -> list[tuple[Carried, list[Proxy]]]:
        """What could be told from tensors, and is not so far."""
        named = (c for c in aliases.carried if type(c) is Carried and c.path not in self.held)
        return [(c, tensors) for c in named if (tensors := self._tensors(c, aliases))]

    def _tensors(self, c: Carried, aliases: Aliases) -> list[Proxy]:
        """The tensors from before the loop that a variable may be, each by the one object that stands for it; none: too many."""
        met = aliases.outside[id(c)]
        if not met:
            return []
        every = [x for d in aliases.carried for x in (d.init, d.out)]
        own = [x for x in _outer((c.init, c.out), aliases) if id(root_of(x)) in met]
        told = {id(root_of(x)) for x in own}  # what it takes over from another variable, that one stands for
        found = own + [x for x in _outer(every, aliases) if id(root_of(x)) in met.keys() - told]
        return found if len(found) < MOST_WAYS else []


def _is_one_of(held: Any, told: list[Proxy]) -> bool:
    """Whether what a variable holds is one of these tensors, whatever tests say."""
    if type(held) is not Proxy or number_kinds(held):
        return False
    if any(same_view(held, one) for one in told):
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
    """The tensors that one surely is, as tests say, but for those that stand for it alone."""
    if type(x) is not Proxy or number_kinds(x):
        return []
    base = x.base
    if type(base) is not Either:
        return [x] if root_of(x).base is None else []
    sure = [source for source in base.sources if all(source is not one for one in (*base.own, *base.unsure))]
    return [found for source in sure for found in _named(source)]
