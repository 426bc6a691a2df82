"""The most sizes that a capture with `dynamic=True` admits as open: a maximal set of them, found by group testing.

Code may hang on a size: a weight has as many rows as its input has features, two arguments share their batch. Where it is refused with
every size open, and captured with those of the example, as many as can be stay open: by themselves, as one size with others that
the example has equal, as far as a table goes, from as many on as a kernel has, or as multiples of what the code divides them by. The
rest are fixed, which guards check and the notes tell.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Generic, TypeVar

from gfx_ir.bound import Bound
from gfx_ir.control import is_holder
from gfx_ir.errors import GfxError, MissingOp
from gfx_ir.probing import own_attribute
from gfx_ir.program import Program
from gfx_ir.supposed import Supposed, current

from ..values.open_sizes import Axis, Sizes

T = TypeVar("T")
Opened = dict[Axis, Axis]
Bounds = dict[Axis, Bound]
Ends = frozenset[tuple[Axis, Bound]]


def most_open(work: Callable[[Sizes], T], program: Callable[[T], Program], told: Callable[[T, list[str]], None]) -> T:
    """What work(sizes) gives for the most sizes that it does not refuse; `told` gets that, and what is said of the others. Raises what it
    refuses all of them with, where those of the example are no help. A call that no row stands for, in its `program`, is a refusal
    where it is none with the sizes of the example."""
    held = False

    def by_rows(sizes: Sizes) -> T:
        nonlocal held
        found = work(sizes)
        node = next((node for graph in program(found).graphs for node in graph.walk() if is_holder(node)), None)
        if node is None:
            return found
        held = True
        raise MissingOp(f"GFX has no row for {node.arg('target')}{': ' * bool(node.arg('why'))}{node.arg('why')}")

    try:
        return _most(by_rows, told)
    except Exception:
        if not held:
            raise
    return _most(work, told)


def _most(work: Callable[[Sizes], T], told: Callable[[T, list[str]], None]) -> T:
    every = Sizes()
    try:
        return work(every)
    except Exception as error:  # of whatever kind: libraries raise their own where a size is not what they expect
        refused = error
    search = _Search(work, every.seen)
    if not every.seen or not search.admits({}):
        raise refused
    search.run()
    assert search.best is not None
    found, sizes = search.best
    why = " ".join((str(refused) if isinstance(refused, GfxError) else f"{type(refused).__name__}: {refused}").split())
    told(found, [f"with all sizes open the code is refused: {why}", *sizes.told()])
    return found


class Answered:
    """What code has asked of its sizes, by their axes: see Supposed."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[Axis, Axis], None] = {}
        self.likely: dict[tuple[Axis, Axis], None] = {}
        self.numbers: set[Axis] = set()
        self.perhaps: set[frozenset[Axis]] = set()  # of which one at least is likely a number
        self.then: set[Axis] = set()  # what was asked to be a number while such as those were
        self.bounds: Bounds = {}
        self.arrays: set[Axis] = set()

    @property
    def empty(self) -> bool:
        return not (self.pairs or self.likely or self.numbers or self.perhaps or self.bounds)

    @property
    def guessed(self) -> set[Axis]:
        """What is taken for a number as long as nothing else says so: where one of several is one, the others may be none."""
        return {axis for axes in self.perhaps if not axes & self.numbers for axis in axes}

    def asking(self, sizes: Sizes, work: Callable[[Sizes], object]) -> Exception | None:
        """Run code with these sizes, of which its questions are answered by the example: the error that ends it, as answers that do not
        hold for all sizes lead anywhere."""
        supposed = Supposed(sizes.example, sizes.step)
        before = current.set(supposed)
        try:
            work(sizes)
            return None
        except Exception as error:
            return error
        finally:
            current.reset(before)
            axes = lambda names: tuple(axis for axis in map(sizes.axis, names) if axis is not None)
            for kept, asked in ((self.pairs, supposed.pairs), (self.likely, supposed.likely[0])):
                kept.update(dict.fromkeys((pair[0], pair[1]) for pair in map(axes, asked) if len(pair) == 2))
            sure = self.then if self.guessed else self.numbers  # what is taken for a number makes another one
            sure.update(set(axes(supposed.numbers)) - self.numbers)
            self.perhaps.update(frozenset(axes(names)) for names in supposed.likely[1])
            self.arrays = set(axes(supposed.arrays))
            for name, bound in supposed.bounds.items():
                for axis in axes([name]):
                    self.bounds[axis] = self.bounds.get(axis, Bound()).narrowed(bound)

    def by(self, error: Exception, sizes: Sizes, narrower: Callable[[Bounds, Bounds, Ends], Iterator[Bounds]]) -> bool:
        """Whether an error tells more: of multiples, or of sizes that it speaks of, best as such, which are one, or of which the last of an
        array is a number, as features are; where it speaks of none, of those that became arrays, whose numbers code may have asked for."""
        told = {sizes.axis(name): bounds for name, bounds in (own_attribute(error, "within") or {}).items()}
        steps = {
            axis: bound for axis, bounds in told.items() for bound in bounds if axis is not None and bound.step > 1
        }
        for new in narrower(self.bounds, steps, frozenset()):
            self.bounds = new
            return True
        called, named = (
            list(dict.fromkeys(axis for axis in map(sizes.axis, re.findall(names, str(error))) if axis is not None))
            for names in (r"size (\w+)", r"\w+")
        )
        spoken = called if len(called) > 1 else named or [axis for axis in self.arrays if axis not in self.guessed]
        alike = [(a, b) for a, b in itertools.combinations(spoken, 2) if sizes.seen[a] == sizes.seen[b]]
        self.likely.update(dict.fromkeys(alike))
        last = {axis for axis in spoken if axis[1] and (axis[0], axis[1] + 1) not in sizes.seen}
        self.perhaps |= set() if alike else {frozenset([axis]) for axis in last or spoken}
        return bool(spoken)


class _Search(Generic[T]):
    """What is known so far: `opened`, some of them within `bounds`, is admitted, and `best` what it gives."""

    def __init__(self, work: Callable[[Sizes], T], seen: dict[Axis, int]) -> None:
        self.work, self.seen = work, seen
        self.opened: Opened = {}
        self.bounds: Bounds = {}
        self.best: tuple[T, Sizes] | None = None
        self.refused: list[tuple[Opened, Bounds]] = []
        self.alike: Opened | None = None  # which axes are asked to be one size, where the code was asked,
        self.one: Opened = {}  # and which have to be,
        self.then: set[Axis] = set()  # or were numbers while others were that may be none

    def admits(self, opened: Opened) -> bool:
        """Whether these can be open, be it as far as a number that the code compares one of them with, or as multiples of what it divides
        them by; then they are. What gets a size of its own has the bounds of that which it had."""
        if opened == self.opened and self.best is not None:
            return True
        had = {
            axis: self.bounds[first] for axis, first in self.opened.items() if first in self.bounds and axis in opened
        }
        return self.within(opened, {**self.bounds, **had})

    def within(self, opened: Opened, bounds: Bounds, known: Ends = frozenset()) -> bool:
        """Whether these can be open within these bounds, or narrower ones that their refusal tells of; then they are. `known`: the ends
        that were told before, of which this is one: they come one at a time, and others only where they are told then."""
        if (opened, bounds) in self.refused:
            return False
        told = self.tried(opened, bounds)
        if told is None:
            return True
        self.refused.append((opened, bounds))
        ends = frozenset((axis, bound) for axis, found in told.items() for bound in found if bound.step == 1)
        steps = {axis: bound for axis, found in told.items() for bound in found if bound.step > 1}
        return any(self.within(opened, new, known | ends) for new in self.narrower(bounds, steps, ends - known))

    def narrower(self, bounds: Bounds, steps: Bounds, ends: Ends) -> Iterator[Bounds]:
        """Bounds by what a refusal has told: all that is divided in such parts; or one size to or from a number, the widest first."""
        widest = sorted(ends, key=lambda end: (end[1].least, -(end[1].most or 0)))
        for parts in (steps, *({axis: bound} for axis, bound in widest)):
            found = {axis: bounds.get(axis, Bound()).narrowed(bound) for axis, bound in parts.items()}
            new = {**bounds, **{axis: bound for axis, bound in found.items() if bound.takes(self.seen[axis])}}
            if new != bounds:
                yield new

    def tried(self, opened: Opened, bounds: Bounds) -> dict[Axis, Collection[Bound]] | None:
        """None where these can be open within these bounds; then they are. Else what the refusal tells of narrower ones."""
        sizes = Sizes(opened, bounds)
        try:
            found = self.work(sizes)
        except Exception as error:
            told = own_attribute(error, "within") or {}
            firsts = {sizes.axis(name): bounds for name, bounds in told.items()}
            return {axis: bounds for axis, bounds in firsts.items() if axis is not None}
        self.opened, self.bounds, self.best = opened, bounds, (found, sizes)
        return None

    def run(self) -> None:
        """Open all that can be. That sizes which are equal in the example are one, and that the last axis of several, where features
        are, is one that stays as it is, is likely: most searches end with these guesses."""
        sure = self.asked()
        outer = [axis for axis in self.seen if axis[1] == 0 or (axis[0], axis[1] + 1) in self.seen]
        if sure is None:
            any(self.admits(alike(axes)) for axes in (list(self.seen), outer) for alike in (self.equal, self.beside))
        sure = sure or set()
        self.part(sure)
        opened = self.opened
        for rest in (sure | self.then, sure):  # what is a number where some others are may be none where these are not
            self.open(self.units([axis for axis in self.seen if axis not in self.opened and axis not in rest]))
            if self.opened == opened:
                break

    def asked(self) -> set[Axis] | None:
        """Open all but what code asks to be numbers, and as one size what it asks to be: it runs with all sizes open, and its questions are
        answered by the example. The axes of which that says all there is; None where nothing was asked."""
        opened: Opened = {axis: axis for axis in self.seen}
        told = Answered()
        for _ in self.seen:
            sizes = Sizes(opened, told.bounds)
            error = told.asking(sizes, self.work)
            last, opened = opened, self.taken(told)
            same = all(sizes.bounds.get(axis, Bound()).step == bound.step for axis, bound in told.bounds.items())
            if same and (error is None or (opened == last and not told.by(error, sizes, self.narrower))):
                break
            opened = self.taken(told)
        if told.empty:
            return None
        pairs = [*told.pairs, *told.likely]
        self.alike, self.one = self.joined(pairs), self.joined([*told.pairs])
        own = self.one
        if not self.within(opened, {axis: bound for axis, bound in told.bounds.items() if axis in opened}):
            firsts = dict.fromkeys(opened.values())
            self.open([{axis: first for axis, first in opened.items() if first == one} for one in firsts])
        known, then = {own[axis] for axis in told.numbers}, {own[axis] for axis in told.then}
        self.then = {axis for axis in self.seen if own[axis] in then}
        guessed = {self.alike[axis] for pair in told.likely for axis in pair if len({own[at] for at in pair}) > 1}
        sure = {axis for axis in self.seen if axis not in opened and own[axis] in known}
        return sure | {axis for axis in opened if axis in self.opened and self.alike[axis] not in guessed}

    def units(self, axes: Sequence[Axis]) -> list[Opened]:
        """Axes, those together that have to be one size."""
        found: dict[Axis, Opened] = {}
        for axis in axes:
            first = self.one.get(axis, axis)
            found.setdefault(first, {})[axis] = first
        return list(found.values())

    def taken(self, told: Answered) -> Opened:
        """What is open by what was asked."""
        firsts = self.joined([*told.pairs, *told.likely])
        fixed = {firsts[axis] for axis in told.numbers | told.guessed | told.then}
        met: Bounds = {}
        for axis, bound in told.bounds.items():
            met[firsts[axis]] = bound.met(met.get(firsts[axis], Bound()))
        told.bounds = met
        return {axis: first for axis, first in firsts.items() if first not in fixed}

    def joined(self, pairs: Sequence[Collection[Axis]]) -> Opened:
        """All axes, those of a pair as one size."""
        firsts, order = {axis: axis for axis in self.seen}, {axis: at for at, axis in enumerate(self.seen)}
        for pair in pairs:
            ends = {firsts[axis] for axis in pair}
            first = min(ends, key=order.__getitem__)
            firsts = {axis: first if at in ends else at for axis, at in firsts.items()}
        return firsts

    def part(self, sure: Collection[Axis]) -> None:
        """Open by themselves, or with those at one place only, what need not be one size."""
        for first in dict.fromkeys(self.opened.values()):
            group = [axis for axis in self.opened if self.opened[axis] == first and axis not in sure]
            apart = {axis: axis for axis in group}, self.beside(group)
            any(len(group) > 1 and self.admits({**self.opened, **parts}) for parts in apart)

    def open(self, units: Sequence[Opened]) -> None:
        """Open those of some axes, or of several as one size, that can be: all of them, or each half by itself."""
        units = [unit for unit in units if not unit.keys() <= self.opened.keys()]
        if not units or self.admits({**self.opened, **{axis: first for unit in units for axis, first in unit.items()}}):
            return
        if len(units) == 1:
            if len(units[0]) == 1:
                self.share(next(iter(units[0])))
            return
        self.open(units[: len(units) // 2])
        self.open(units[len(units) // 2 :])

    def share(self, axis: Axis) -> None:
        """Open an axis as one size with others that code asks to be one with it, or where it says nothing, that are as large in the
        example."""
        if self.alike is not None:
            group = [other for other in self.seen if self.alike[other] == self.alike[axis]]
            any(self.admits({**self.opened, **dict.fromkeys(group, one)}) for one in group[:1] if len(group) > 1)
            return
        alike = [other for other in self.seen if self.seen[other] == self.seen[axis]]
        firsts = {self.opened[other]: None for other in alike if other in self.opened}
        if any(self.admits({**self.opened, axis: first}) for first in firsts):
            return
        closed = [other for other in alike if other not in self.opened]
        near = [other for other in closed if other[1] == axis[1]]
        any(len(group) > 1 and self.admits({**self.opened, **self.equal(group)}) for group in (near, closed))

    def equal(self, axes: Sequence[Axis]) -> Opened:
        """Axes that are as large in the example, as one size."""
        firsts: dict[int, Axis] = {}
        return {axis: firsts.setdefault(self.seen[axis], axis) for axis in axes}

    def beside(self, axes: Sequence[Axis]) -> Opened:
        """The same of those that are at one place in their arrays."""
        firsts: dict[tuple[int, int], Axis] = {}
        return {axis: firsts.setdefault((self.seen[axis], axis[1]), axis) for axis in axes}
