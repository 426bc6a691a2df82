"""Aliases of containers: which lists, dictionaries and records may be one object, and under which tests.

A test or a loop that leaves one of several containers in a variable is given one of its own that holds what these hold. What is written
to any of them is written to all that it is, under the tests that say so; where these are not known, it is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.op import active
from gfx_ir.source import Span

from .made import Made

MOST_WRITES = 16
"""How many containers one write may write, each way to one counted."""
When = tuple[tuple[Any, bool], ...] | None
"""Tests, or what computes them where they are asked, with how each goes; None: that is not known."""


class Link(NamedTuple):
    """Two containers that are one object where all tests go as `when` says."""

    a: Any
    b: Any
    when: When
    carried: bool = False  # whether one of them is what a trip of a loop begins with


def both(a: When, b: When) -> When:
    """Where the one and the other hold."""
    return None if a is None or b is None else (*a, *b)


def exclusive(a: When, b: When) -> bool:
    """Whether one test goes otherwise for the one than for the other."""
    return any(test is other and truth is not way for test, truth in a or () for other, way in b or ())


class Links:
    """The links that hold in the region which is open now, and those that each region made."""

    def __init__(self, frames: list[dict[tuple, Any]], made: Made) -> None:
        """`frames`: what each region that is open wrote; `made`: what the capture made, which it holds."""
        self._frames, self._all = frames, made
        self._of: dict[int, list[Link]] = {}
        self._made: list[list[Link]] = [[]]

    def __contains__(self, x: Any) -> bool:
        """Whether a container may be another one, but for what a trip of a loop begins with: the loop asks what was written itself."""
        return any(not link.carried for link in self._of.get(id(x), ()))

    def add(self, link: Link) -> None:
        """Note that two containers may be one."""
        self._made[-1].append(link)
        for key in {id(link.a), id(link.b)}:
            self._of.setdefault(key, []).append(link)

    def never_alone(self, keys: Iterable[int], held: Any) -> None:
        """What others may find at any time: containers, by id, that `held` keeps alive."""
        for key in keys:
            self._of.setdefault(key, []).insert(0, Link(held, held, None))  # before those that fall with a region

    def clear(self) -> None:
        """No code runs any more that could write."""
        self._of.clear()
        self._made = [[]]

    # ------------------------------------------------------------------ regions
    def open(self) -> None:
        """Enter a region."""
        self._made.append([])

    def close(self) -> list[Link]:
        """Leave a region: what it linked, which holds there alone."""
        made = self._made.pop()
        for link in reversed(made):
            for key in {id(link.a), id(link.b)}:
                self._of[key].pop()
                if not self._of[key]:
                    del self._of[key]
        return made

    def keep(self) -> None:
        """Leave a region whose links stay."""
        made = self._made.pop()
        self._made[-1] += made

    # ------------------------------------------------------------------ writes
    def write(self, x: Any, put: Callable[[Any], None]) -> None:
        """put(x), and the same to every other container that x is, under the tests that say so."""
        put(x)
        if id(x) in self._of:
            self._write_others((x,), put, [MOST_WRITES])

    def _write_others(self, path: tuple, put: Callable[[Any], None], left: list[int]) -> None:
        """Write what the last container of a path may be, but for those that stand in it."""
        for link in list(self._of[id(path[-1])]):
            at = 1 if link.a is path[-1] else 0
            if link.carried or any(link[at] is item for item in path):
                if link.a is link.b:
                    raise not_alone(path[-1])
                continue
            unused = self._unused(link, at)
            if unused and not any(self._leads_on(further, link[at], path) for further in self._of[id(link[at])]):
                continue
            left[0] -= 1
            if link.when is None or not left[0]:
                raise not_alone(path[-1])

            def further(link: Link = link, at: int = at, unused: bool = unused) -> None:
                if not unused:
                    put(link[at])
                self._write_others((*path, link[at]), put, left)

            _under(link.when, further)

    def _leads_on(self, link: Link, x: Any, path: tuple) -> bool:
        """Whether a link of x is to a container that no path has come by."""
        return not any((link.b if link.a is x else link.a) is item for item in path)

    def _unused(self, link: Link, at: int) -> bool:
        """Whether only records of the capture's own refer to a container of a link, so that no code reads or writes it."""
        known = sum((other.a is link[at]) + (other.b is link[at]) for other in self._of[id(link[at])])
        known += sum(slot.object is link[at] for frame in self._frames for slot in frame.values())
        known += self._all.since(link[at])
        return sys.getrefcount(link[at]) - 1 <= known

    def connected(self, a: Any, b: Any) -> bool:
        """Whether two containers may be one."""
        return any(found is b for found, _ in reach(a, [link for links in self._of.values() for link in links]))


def reach(x: Any, links: Iterable[Link]) -> list[tuple[Any, When]]:
    """The containers that x may be by these links, itself first, each with the tests that say so."""
    of: dict[int, list[Link]] = {}
    for link in links:
        for key in {id(link.a), id(link.b)}:
            of.setdefault(key, []).append(link)
    found: dict[int, tuple[Any, When]] = {id(x): (x, ())}
    left, used, unsure = [x], set[int](), False
    for item in left:
        for link in of.get(id(item), ()):
            other = link.b if link.a is item else link.a
            again = id(other) in found
            unsure |= again and id(link) not in used  # there are two ways to it
            used.add(id(link))
            if not again:
                found[id(other)] = other, both(found[id(item)][1], link.when)
                left.append(other)
    return [(item, None if unsure and item is not x else when) for item, when in found.values()]


def _under(when: tuple, run: Callable[[], None]) -> None:
    """Run what stands under tests."""
    if not when:
        run()
        return
    builder = active.builder
    (asked, truth), *rest = when
    test = asked() if callable(asked) else builder.gates.asked(asked) if type(asked) is Value else asked
    known = builder.facts.decide(test) if type(test) is Value else test
    inner = lambda: _under(tuple(rest), run)
    if known is None:
        builder.regions.branch(test, inner if truth else None, None if truth else inner, name="")
    elif known is truth:
        inner()


def not_alone(x: Any, span: Span | None = None) -> UnsupportedConstruct:
    """The error of writing to a container that may be another one, too."""
    what = f"this write to a {type(x).__name__}: a test or loop on captured data may have put it in a variable's place"
    return UnsupportedConstruct(
        f"GFX cannot convert {what}, and others may hold it too", span or active.builder.span(), "write to a copy of it"
    )
