"""What the containers that a loop carries are: a first trip begins with those from before the loop, each other one with what was left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from gfx_ir.op import active

from ..heap.contents import unchanged
from ..heap.journal import Journal
from ..heap.links import Link, When, both, exclusive, reach
from ..heap.made import WRITABLE
from ..heap.slots import Slot
from ..python.rows import Growing
from ..values.access import said
from ..values.nest import branches, is_object, is_record
from ..values.proxy import NeedsPython, Unusable


class CarriedContainers:
    """Of the containers that a loop takes apart, by path: those from before (`before`), what stands for each in a trip (`copies`), and
    what the last pass over the body left (`left`). `written`: those that a trip writes in place and puts another one in the place of."""

    def __init__(self, journal: Journal, returned: Sequence[str]) -> None:
        """`returned`: the variables in which the loop returns something."""
        self.journal, self.links, self.made, self.returned = journal, journal.links, journal.made, returned
        self.before: dict[tuple, Any] = {}
        self.copies: dict[tuple, Any] = {}
        self.written: set[tuple] = set()
        self.held: dict[int, list[tuple[Any, Any]]] = {}  # what each copy held at the end of the body, by id
        self.lost: dict[int, Unusable] = {}  # what stands in those from before that were given up, by id
        self.left: dict[tuple, list[tuple[Any, When]]] = {}  # the one that was left first, then what that may be
        self.since = 0  # how much had been made before the body

    def begin(self) -> None:
        """A region begins, with nothing taken apart so far."""
        self.before.clear()
        self.copies.clear()

    def enter(self, path: tuple, before: Any, copy: Any) -> None:
        """A trip begins: `copy` stands for a container."""
        self.before[path], self.copies[path] = before, copy
        self.links.add(Link(copy, before, None, carried=True))

    def own(self, x: Any) -> tuple | None:
        """The path whose container x is, before the loop or when a trip begins."""
        mine = (path for path, before in self.before.items() if x is before or x is self.copies.get(path))
        return next(mine, None) if branches(x) is not None else None

    def give_up(self, path: tuple, whole: bool, span: Any) -> None:
        """What a variable held before the loop is not known to others: it was written in some trips. `whole`: nor is its length."""
        x = self.before[path]
        why = f"the {type(x).__name__} that {said(path[0])} was before it is read by another name, and the loop may have written it"
        lost = self.lost[id(x)] = Growing(Slot(x, None, "contents", "a container", None, span), None, "", why)
        kind = "contents" if whole else "attribute" if is_record(x) or is_object(x) else "item"
        for key in (None,) if whole else [key for key, _ in branches(x) or ()]:
            slot = Slot(x, key, kind, str(key), None, span)
            self.journal.record(x, key, kind, slot.name, span, everywhere=True)
            slot.set([lost] if whole else lost)

    def collect(self) -> None:
        """The end of the body: what it wrote to copies is put back behind it."""
        self.held = {id(copy): branches(copy) or [] for copy in self.copies.values()}

    def parts(self, x: Any) -> list[tuple[Any, Any]]:
        """The branches of what a trip leaves."""
        found = self.held.get(id(x))
        return found if found is not None else branches(x) or []

    def settle(self, names: Sequence[str], after: Sequence[Any], linked: list[Link], since: int) -> None:
        """A pass left `after` in the variables; `linked`: by the body."""
        self.left, self.since = {}, since
        for name, value in zip(names, after):
            self._note((name,), value, linked)

    def _note(self, path: tuple, left: Any, linked: list[Link]) -> None:
        if path in self.copies:
            self.left[path] = reach(left, linked)
        for key, item in self.parts(left):
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
        slots = {id(s.object): s for s, x in written if s.kind in WRITABLE and not self._by_own_name(s, x)}
        for path in self.copies if slots else ():
            for key in self.met(path):
                if key in slots:
                    what = f"the loop writes to a {type(slots[key].object).__name__} that {said(path[0])}, which it carries, is at times"
                    raise NeedsPython("loop", what, slots[key].span, "write to a copy of it")

    def _by_own_name(self, slot: Slot, value: Any) -> bool:
        """Whether a write is one to what a variable holds itself when a trip begins; of a variable that is carried only from the next
        pass on, that shows there."""
        path = self.own(slot.object)
        own = path is not None and (path not in self.copies or slot.object is self.copies[path])
        return own or self.is_given_up(slot, value)

    def is_given_up(self, slot: Slot, value: Any) -> bool:
        """Whether nothing was written but that what a container holds is not known."""
        lost = self.lost.get(id(slot.object))
        return lost is not None and (value is lost or (type(value) is list and unchanged([lost], value)))

    def check_apart(self) -> None:
        """Raises where two paths may have one container, before the loop or left by a trip, that a later trip writes by one of them."""
        written = self.written & self.copies.keys()
        for own, path in ((own, path) for own in written for path in self.copies if path != own):
            if self.links.connected(self.before[own], self.before[path]):
                what = f"{said(own[0])}, which the loop writes, and {said(path[0])} may be one {type(self.before[own]).__name__} before it"
                raise NeedsPython("loop", what, active.builder.span(), "keep a copy of it: list(…)")
        for own, copy in self.copies.items():
            ways = [(path, when) for path, left in self.left.items() for x, when in left if x is copy]
            ways = [way for way in ways if way[0][0] not in self.returned]  # behind a return there is no later trip
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
