"""What the containers that a loop carries are: a first trip begins with those from before the loop, each other one with what was left."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

from gfx_ir.op import active

from ..heap.journal import Journal, Slot
from ..heap.links import Link, When, both, exclusive, reach
from ..heap.made import WRITABLE
from ..values.nest import branches
from ..values.proxy import NeedsPython


class CarriedContainers:
    """Of the containers that a loop takes apart, by path: those from before (`before`), what stands for each in a trip (`copies`), and
    what the last pass over the body left (`left`)."""

    def __init__(self, journal: Journal) -> None:
        self.links, self.made = journal.links, journal.made
        self.before: dict[tuple, Any] = {}
        self.copies: dict[tuple, Any] = {}
        self.left: dict[tuple, list[tuple[Any, When]]] = {}  # the one that was left first, then what that may be
        self.since = 0  # how much had been made before the body

    def enter(self, path: tuple, before: Any, copy: Any) -> None:
        """A trip begins: `copy` stands for a container."""
        self.before[path], self.copies[path] = before, copy
        self.links.add(Link(copy, before, None, carried=True))

    def settle(self, names: Sequence[str], after: Sequence[Any], linked: list[Link], since: int) -> None:
        """A pass left `after` in the variables; `linked`: by the body."""
        self.left, self.since = {}, since
        for name, value in zip(names, after):
            self._note((name,), value, linked)

    def _note(self, path: tuple, left: Any, linked: list[Link]) -> None:
        if path in self.copies:
            self.left[path] = reach(left, linked)
        for key, item in branches(left) or ():
            self._note((*path, key), item, linked)

    def met(self, path: tuple) -> dict[int, Any]:
        """The containers from outside, by id, that one may be in some trip."""
        found, paths = dict[int, Any](), [path]
        of = {id(copy): at for at, copy in self.copies.items()}
        for at in paths:
            found[id(self.before[at])] = self.before[at]
            for x, _ in self.left.get(at, ()):
                if id(x) in of:
                    paths += [of[id(x)]] if of[id(x)] not in paths else []
                elif not self.made.since(x, self.since):
                    found[id(x)] = x
        return found

    def check(self, written: list[tuple[Slot, Any]]) -> None:
        """Raises where the body writes to a container, by another name, that one which it carries may be."""
        slots = {id(slot.object): slot for slot, _ in written if slot.kind in WRITABLE}
        for path in self.copies if slots else ():
            for key in self.met(path):
                if key in slots:
                    what = f"the loop writes to a {type(slots[key].object).__name__} that {path[0]!r}, which it carries, is at times"
                    raise NeedsPython("loop", what, slots[key].span, "write to a copy of it")

    def check_apart(self, written: Collection[tuple]) -> None:
        """Raises where two paths may be left with one container of a trip's, which a later trip then writes by one of them: `written`
        are the paths whose own ones are written in place."""
        for own, copy in self.copies.items():
            ways = [(path, when) for path, left in self.left.items() for x, when in left if x is copy]
            for (a, one), (b, other) in combinations(ways, 2):
                if a != b and not {own, a, b}.isdisjoint(written) and not exclusive(one, other):
                    what = f"a trip leaves one {type(copy).__name__} in {a[0]!r} and in {b[0]!r}, and a later one writes it"
                    raise NeedsPython("loop", what, active.builder.span(), "keep a copy of it: list(…)")

    def stays(self, path: tuple) -> bool:
        """Whether each trip leaves a container where it found it."""
        return path in self.left and self.left[path][0][0] is self.copies[path]

    def leave(self, made: dict[tuple, Any], ran: Any, runs: bool) -> None:
        """Link what stands for each behind the loop. `ran`: what tells whether there was a trip; `runs`: that there was."""
        none, some = (None, None) if ran is None else (((ran, False),), ((ran, True),))
        ways: dict[int, tuple[Any, list[tuple[Any, When]]]] = {}
        for path, container in made.items():
            found: list[tuple[Any, When]] = [] if runs else [(self.before[path], none)]
            first, *others = self.left.get(path) or [(self.copies[path], ())]
            found.append((first[0], () if runs else some))
            found += [(x, None) for x, _ in others]
            if any(x is copy for x, _ in found for copy in self.copies.values()):
                found += [(x, None) for x in self.met(path).values()]
            for x, when in _each_once(found):
                ways.setdefault(id(x), (x, []))[1].append((container, when))
        copies = {id(copy) for copy in self.copies.values()}
        for x, those in ways.values():
            inside = id(x) in copies or self.made.since(x, self.since)
            pairs = combinations(those, 2) if inside else (((x, ()), way) for way in those)
            for (a, one), (b, other) in pairs:
                if a is not b:
                    self.links.add(Link(a, b, both(one, other)))


def _each_once(found: list[tuple[Any, When]]) -> list[tuple[Any, When]]:
    """Each container once; where there are several ways to it, it is not known which is taken."""
    ways: dict[int, tuple[Any, When]] = {}
    for x, when in found:
        ways[id(x)] = (x, None) if id(x) in ways else (x, when)
    return list(ways.values())
