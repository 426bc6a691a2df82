"""The most sizes that a capture with `dynamic=True` admits as open: a maximal set of them, found by group testing.

Code may hang on a size: a weight has as many rows as its input has features, two arguments share their batch. Where it is refused with
every size open, and captured with those of the example, as many as can be stay open: by themselves, as one size with others that
the example has equal, as far as a table goes, from as many on as a kernel has, or as multiples of what the code divides them by. The
rest are fixed, which guards check and the notes tell.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Generic, TypeVar

from gfx_ir.bound import Bound
from gfx_ir.control import is_holder
from gfx_ir.errors import GfxError, MissingOp
from gfx_ir.probing import own_attribute
from gfx_ir.program import Program

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


class _Search(Generic[T]):
    """What is known so far: `opened`, some of them within `bounds`, is admitted, and `best` what it gives."""

    def __init__(self, work: Callable[[Sizes], T], seen: dict[Axis, int]) -> None:
        self.work, self.seen = work, seen
        self.opened: Opened = {}
        self.bounds: Bounds = {}
        self.best: tuple[T, Sizes] | None = None
        self.refused: list[tuple[Opened, Bounds]] = []

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
        outer = [axis for axis in self.seen if axis[1] == 0 or (axis[0], axis[1] + 1) in self.seen]
        any(self.admits(alike(axes)) for axes in (list(self.seen), outer) for alike in (self.equal, self.beside))
        self.part()
        self.open([axis for axis in self.seen if axis not in self.opened])

    def part(self) -> None:
        """Open by themselves, or with those at one place only, what need not be one size."""
        for first in dict.fromkeys(self.opened.values()):
            group = [axis for axis in self.opened if self.opened[axis] == first]
            apart = {axis: axis for axis in group}, self.beside(group)
            any(len(group) > 1 and self.admits({**self.opened, **parts}) for parts in apart)

    def open(self, axes: Sequence[Axis]) -> None:
        """Open those of some axes that can be: all of them, or each half by itself."""
        axes = [axis for axis in axes if axis not in self.opened]
        if not axes or self.admits({**self.opened, **{axis: axis for axis in axes}}):
            return
        if len(axes) == 1:
            self.share(axes[0])
            return
        self.open(axes[: len(axes) // 2])
        self.open(axes[len(axes) // 2 :])

    def share(self, axis: Axis) -> None:
        """Open an axis as one size with others that are as large in the example."""
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
