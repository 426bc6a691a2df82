"""What the tensors that a loop carries share memory with: each other, or tensors from outside of the loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import chain, combinations, product
from typing import Any

from gfx_ir.graph import Graph
from gfx_ir.op import active

from ..heap.aliases import (
    Doubt,
    distinct,
    doubt,
    in_doubt,
    kin_of,
    memory,
    mutable,
    outside,
    surely_array,
)
from ..heap.kin import Kin
from ..values.either import MOST_WAYS, Number, Source, be_either, meet, root_of, roots, turned, ways
from ..values.lost import Lost
from ..values.proxy import Proxy, number_kinds
from .carried import Carried
from .carried_refs import CarriedRefs


class CarriedAliases:
    """Found after a pass over the body.

    In the next trip a variable is what the body left in it, in the first trip what it was before the loop. Two that are
    different tensors before the loop and after each trip always are, as buffers that change places.
    """

    def __init__(
        self, carried: Sequence[Carried], graph: Graph, loop: Any, unread: Set[int], runs: bool, refs: CarriedRefs
    ) -> None:
        """`loop`: what tells the loop from others; `unread`: those (by id) of which no trip reads what the last one left; `runs`:
        whether there is a first trip, so that what stands behind the loop is what a trip left; `refs`: those that flags tell apart."""
        self.unread, self.runs, self.graph, self.refs = unread, runs, graph, refs
        self.carried, self.loop = [c for c in carried if mutable(c.entered) or mutable(c.out)], loop
        self.entered = {id(c.entered): c for c in self.carried}
        self.entered |= {id(refs.own[c.path]): c for c in self.carried if refs.of(c) and c.path in refs.own}
        changed = [c for c in self.carried if any(_touched(x, c.inner) for x in (c.entered, refs.own.get(c.path)))]
        self.written = {id(c) for c in changed}
        self.before = {id(c): _roots(c.init) for c in self.carried}
        self.after = {id(c): _roots(c.out) for c in self.carried}
        self.outside = {id(c): self._outside(c, graph) for c in self.carried}  # tensors from outside that each may be
        self._follow()
        self._reach: dict[int, set[int]] = {}
        self.left: dict[int, Proxy] = {}  # what stands behind the loop for what the last trip leaves in several, by id
        self.linked = {id(c): c for c in self._linked()}  # those that may be another, or share memory with it
        self.partners: dict[int, dict[int, Carried]] = {id(c): {} for c in self.carried}  # those that each may be
        self._share()
        self.behind = {id(c): self._left_by_trip(c) for c in self.carried} if runs else self.outside

    def reached_by_writes(self) -> set[int]:
        """The tensors from outside (by id) that a trip may write by the name of what the loop carries."""
        return set().union(*map(self.reach, self.written))

    def reach(self, key: int) -> set[int]:
        """What of the tensors from outside a variable may share memory with."""
        found = self._reach.get(key)
        if found is None:
            found = self._reach[key] = {id(x) for item in self.outside[key].values() for x in memory(item)}
        return found

    def _linked(self) -> list[Carried]:
        """The variables that a chain of others, of which each two have something in common, connects with another one."""
        kin = {id(c): Kin() for c in self.carried}
        by_key: dict[int, Kin] = {}
        for c in self.carried:
            for root in (*self.before[id(c)], *self.after[id(c)], *self.outside[id(c)].values()):
                by_key.setdefault(id(kin_of(root)), kin[id(c)]).join(kin[id(c)])
            for item in (item for root in self.after[id(c)] for item in self._memory(root)):
                if id(item) in self.entered:
                    kin[id(self.entered[id(item)])].join(kin[id(c)])
        counts = Counter(id(kin[id(c)].all()) for c in self.carried)
        return [c for c in self.carried if counts[id(kin[id(c)].all())] > 1]

    @property
    def shared(self) -> dict[int, Any]:
        """For each variable that shares memory, what with."""
        found = {id(c): (set(self.partners[id(c)]), set(self.outside[id(c)])) for c in self.carried}
        return {key: pair for key, pair in found.items() if any(pair)}

    @property
    def doubtful(self) -> bool:
        """Whether a trip writes by the name of a variable that shares memory with others."""
        return not self.written.isdisjoint(self.shared)

    def enter(self) -> None:
        """Put the doubts on what stands for the carried tensors in the body."""
        why = "a loop carries {!r}: in the first trip it is the tensor from before the loop"
        for c in self.carried:
            if self.refs.of(c):
                self.refs.be(c, c.entered, self.loop)
        for c in self.carried:
            found = {} if self.refs.apart(c) else self.partners[id(c)]
            partners = [p.entered for key, p in found.items() if key not in self.unread]
            if self.refs.of(c) or id(c) not in self.unread:
                self._doubt(c, c.entered, [*self.outside[id(c)].values(), *partners], why)

    def leave(self, ran: Callable[[], Any] | None) -> None:
        """Put on what stands for the carried tensors behind the loop what each is. `ran`: what tells whether there was a trip."""
        why = "a loop carries {!r}: if it does not run, it is the tensor from before"
        doubted = []
        for c in self.carried:
            if self.refs.of(c):
                self.refs.be(c, c.result, self.loop, self._left_last(c) if surely_array(c.out) else None)
        for c in self.carried:
            found = {} if self.refs.apart(c) else self.partners[id(c)]
            met = [p for p in found.values() if not self.runs or self._meet(c, p)]
            others = [*self.behind[id(c)].values(), *(p.result for p in met)]
            test = (lambda: True) if self.runs else ran
            sources = self._sources(c) if others and mutable(c.result) and not self.refs.of(c) else None
            if sources is None or test is None:
                doubted.append((c, others))
            else:
                unsure = [source for source, x in zip(sources, (c.out, c.init)) if turned(x)]
                be_either(c.result, test, sources, self.loop, unsure)
        for c, others in doubted:
            self._doubt(c, c.result, others, why)

    def _doubt(self, carried: Carried, proxy: Any, others: Iterable[Any], why: str) -> None:
        found = [x for x in others if type(x) is Proxy]
        if self.refs.of(carried):
            self.refs.doubt(carried, self.loop, found, why.format(carried.name))
        elif mutable(proxy):
            doubt(proxy, found, why.format(carried.name), loop=self.loop)

    def _sources(self, c: Carried) -> tuple[Source, Source] | None:
        """What a last trip leaves in its place, and what was there before the loop; None: one of them is not known."""
        kinds = number_kinds(c.out)
        left: Source | None = Number(None, kinds) if kinds else self._left_last(c) if surely_array(c.out) else None
        if left is None or self.runs:
            return None if left is None else (left, left)
        kinds = number_kinds(c.init)
        first = Number(c.init, kinds) if kinds else c.init if surely_array(c.init) and not in_doubt(c.init) else None
        return (left, first) if first is not None and ways(left) + ways(first) <= MOST_WAYS else None

    def _left_last(self, c: Carried) -> Proxy | None:
        """The tensor that the last trip leaves in its place: one from outside, or one that no other name stands for."""
        root = root_of(c.out)
        if root.base is not None or id(root) in self.entered:
            return None
        if outside(root, self.graph):
            return root if root is c.out and active.builder.gates.visible(root.value) else None
        linked = self.linked.values() if id(c) in self.linked else ()
        met = [other for other in linked if other is not c and self._meet(c, other)]
        if not met:
            return Proxy(c.result.value, c.backend)
        alone = any(one.out is not root for one in (c, *met)) or not self.refs.tracer.functions.share.refs
        return None if alone else self.left.setdefault(id(root), Proxy(c.result.value, c.backend))

    def _left_by_trip(self, carried: Carried) -> dict[int, Proxy]:
        """The tensors from outside that a trip may leave in its place."""
        found: dict[int, Proxy] = {}
        for item in (item for root in self.after[id(carried)] for item in self._memory(root)):
            first = self.entered.get(id(item))
            found |= self.outside[id(first)] if first is not None else {}
            if id(item) in self.outside[id(carried)]:
                found[id(item)] = item
        return found

    def _outside(self, carried: Carried, graph: Graph) -> dict[int, Proxy]:
        """The tensors from outside that it is before the loop, or that the body puts in its place."""
        found = self.before[id(carried)]
        left = [item for root in self.after[id(carried)] for item in self._memory(root)]
        return {id(item): item for item in (*found, *(item for item in left if outside(item, graph)))}

    def _follow(self) -> None:
        """What takes over another's tensor takes over those from outside that it may be."""
        changed = True
        while changed:
            changed = False
            for c in self.carried:
                mine = self.outside[id(c)]
                size = len(mine)
                for item in (item for root in self.after[id(c)] for item in self._memory(root)):
                    if id(item) in self.entered:
                        mine.update(self.outside[id(self.entered[id(item)])])
                changed |= len(mine) != size

    def _share(self) -> None:
        """Find who may be whom: before the loop, and from trip to trip."""
        held: dict[int, list[Carried]] = {}
        for c in self.linked.values():
            for key in {id(item): None for root in self.before[id(c)] for item in (root, *memory(root))}:
                held.setdefault(key, []).append(c)
        for a, b in _pairs(held.values()):
            if any(_alike(r, s) for r in self.before[id(a)] for s in self.before[id(b)]):
                self._pair(a, b)
        begun, own, reached = self._left()
        todo = [*_pairs((*begun.values(), *own.values()))]
        todo += [pair for key, found in own.items() for pair in product(found, reached.get(key, ()))]
        known = [(a, b) for a in self.carried for b in self.partners[id(a)].values()]
        while todo or known:
            for a, b in known:  # what begins as one of these may be the other
                todo += product(begun.get(id(a), ()), begun.get(id(b), ()))
            known = []
            for a, b in todo:
                if a is not b and id(b) not in self.partners[id(a)] and self._meet(a, b):
                    self._pair(a, b)
                    known += [(a, b), (b, a)]
            todo = []

    def _left(self) -> tuple[dict[int, list[Carried]], dict[int, list[Carried]], dict[int, list[Carried]]]:
        """By id, who may be left what a trip begins with, another tensor, or one that stands behind what a trip begins with."""
        begun, own, reached = dict[int, list[Carried]](), dict[int, list[Carried]](), dict[int, list[Carried]]()
        for c in self.linked.values():
            for item in {id(x): x for root in self.after[id(c)] for x in self._memory(root)}.values():
                first = self.entered.get(id(item))
                if first is None:
                    own.setdefault(id(item), []).append(c)
                    continue
                begun.setdefault(id(first), []).append(c)
                for key in self.reach(id(first)):
                    reached.setdefault(key, []).append(c)
        return begun, own, reached

    def _pair(self, a: Carried, b: Carried) -> None:
        self.partners[id(a)][id(b)], self.partners[id(b)][id(a)] = b, a

    def _meet(self, a: Carried, b: Carried) -> bool:
        """Whether the body may leave one tensor in both."""
        return meet(a.out, b.out, lambda x, y: self._alike(root_of(x), root_of(y)))

    def _alike(self, r: Proxy, s: Proxy) -> bool:
        """Whether two that a trip leaves may share memory, for all that is known of the next one."""
        return r is s or (not distinct(r, s) and any(self._one(x, y) for x in self._memory(r) for y in self._memory(s)))

    def _memory(self, root: Proxy) -> list[Proxy]:
        """The tensors that one may be; what the trip began with stands for all that it may be."""
        found, todo = {}, [root]
        while todo:
            item = todo.pop()
            if id(item) not in found:
                found[id(item)] = item
                todo += item.base.given if isinstance(item.base, Doubt) and id(item) not in self.entered else ()
        return list(found.values())

    def _one(self, x: Proxy, y: Proxy) -> bool:
        """Whether two tensors may be one in the next trip, for all that is known of this."""
        first, second = self.entered.get(id(x)), self.entered.get(id(y))
        if first is not None and second is not None:
            return first is second or id(second) in self.partners[id(first)]
        if first is not None:
            return id(y) in self.reach(id(first))
        return x is y if second is None else id(x) in self.reach(id(second))


def _pairs(groups: Iterable[list[Carried]]) -> Iterator[tuple[Carried, Carried]]:
    """All pairs within each group."""
    return chain.from_iterable(combinations(group, 2) for group in groups)


def _touched(entered: Any, inner: Any) -> bool:
    """Whether a body wrote what it began with, or may have done so."""
    return type(entered) is Proxy and (entered.value is not inner or type(entered.base) is Lost)


def _roots(x: Any) -> list[Proxy]:
    return roots(x) if type(x) is Proxy else []


def _alike(r: Proxy, s: Proxy) -> bool:
    """Whether two tensors may share memory."""
    if r is s:
        return True
    held = {id(item) for item in memory(s)}
    return not distinct(r, s) and any(id(item) in held for item in memory(r))
