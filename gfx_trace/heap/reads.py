"""What captured code reads from outside: functions of their variables, so that a capture of one stands for its calls as long as that is as
it was, and any code of objects as they were before the call."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dis import opmap
from typing import Any

from gfx_ir.probing import cell_content, is_module

from ..rewrite.packages import users
from ..values.proxy import HostProxy, Proxy
from .contents import WITHOUT_PARTS, attributes_of
from .journal import ANYWHERE, Journal
from .reached import parts_of

_LARGEST = 4096
"""Objects that are told apart; of more, a write to any counts."""
UNSET = type("Unset", (), {"__repr__": lambda self: "UNSET"})()
"""What a variable holds that is set later, or what was not asked for."""


def content_of(cell: types.CellType) -> Any:
    """What a variable of an enclosing function holds."""
    return cell_content(cell, UNSET)


class Reads:
    """What some functions read: their variables from outside, with what these held, the objects that can be reached from there, and the
    attributes that they ask for (`asked`): by the id of their object and their name, None for all that it has."""

    def __init__(self) -> None:
        self.asked: dict[tuple[int, Any], None] = {}
        self.cells: dict[int, tuple[types.CellType, Any]] = {}
        self.functions: dict[int, types.FunctionType] = {}

    def add(self, f: types.FunctionType) -> None:
        """A function is entered."""
        if id(f) not in self.functions:
            self.functions[id(f)] = f
            self.cells.update((id(cell), (cell, content_of(cell))) for cell in f.__closure__ or ())

    def update(self, other: Reads) -> None:
        """One is called that reads all this."""
        self.asked.update(other.asked)
        self.functions.update(other.functions)
        for key, held in other.cells.items():
            self.cells.setdefault(key, held)

    def hold(self) -> bool:
        """Whether all variables hold what they held."""
        return not self.cells or all(content_of(cell) is held for cell, held in self.cells.values())

    def held(self) -> Iterator[Any]:
        """What the functions' variables from outside and their defaults hold."""
        for f in self.functions.values():
            yield from held_by(f)

    def places(self, given: Iterable[Any]) -> frozenset[int] | None:
        """Ids of all objects that can be reached from the functions' variables, and from what they are given; None: of too many."""
        todo = [*given, *(held for pair in self.cells.values() for held in pair)]
        names = set[str]()
        for f in self.functions.values():
            named = set(_names(f.__code__))
            names |= named
            todo += [
                f.__defaults__,
                f.__kwdefaults__,
                *(f.__globals__[name] for name in named if name in f.__globals__),
            ]
        found = {ANYWHERE}
        while todo:
            held = todo.pop()
            if id(held) in found or type(held) in WITHOUT_PARTS:
                continue
            found.add(id(held))
            if len(found) > _LARGEST:
                return None
            todo += _parts(held, names)
        return frozenset(found)


class Reached:
    """The places that can be reached from what a call reads (`reads`) and is given, looked for when somebody asks. What it makes itself is
    none of them, as long as nothing that it wrote is left. `since`: up to where in the journal's log none of them was written."""

    def __init__(self, given: Iterable[Any], journal: Journal) -> None:
        self.reads, self.given, self._journal = Reads(), given, journal
        self.since, self._made = len(journal.log), len(journal.made)
        self._places: Any = UNSET

    @property
    def places(self) -> frozenset[int] | None:
        """Their ids; None: of too many."""
        if self._places is UNSET:
            self._places = self.reads.places(self.given)
        return self._places  # type: ignore[no-any-return]

    def made(self, x: Any) -> bool:
        """Whether the call made an object, or what came behind it."""
        return self._journal.made.since(x, self._made)

    def is_not(self, x: Any) -> bool:
        """Whether an object surely is none of them."""
        return self.made(x) or (self.places is not None and id(x) not in self.places)

    def written(self) -> list[int]:
        """Ids of what was written since, but for what the call made, and what came behind it."""
        return self._journal.written(self.since, self._made)

    def untouched(self) -> bool:
        """Whether none of them was written since."""
        written = self.written()
        if written and (self.places is None or not self.places.isdisjoint(written)):
            return False
        self.since = len(self._journal.log)
        return True


def held_by(f: types.FunctionType) -> Iterator[Any]:
    """What a function's variables from outside and its defaults hold."""
    yield from map(content_of, f.__closure__ or ())
    yield from f.__defaults__ or ()
    yield from (f.__kwdefaults__ or {}).values()
    known = f.__globals__
    yield from (known[name] for name in set(_names(f.__code__)) if name in known)


def sets_globals(code: types.CodeType) -> bool:
    """Whether code assigns to a global, in the functions that it makes, too."""
    inner = (constant for constant in code.co_consts if type(constant) is types.CodeType)
    return opmap["STORE_GLOBAL"] in code.co_code[::2] or any(map(sets_globals, inner))


def calls_nothing(f: types.FunctionType) -> bool:
    """Whether a function comes to no other one, but by what it is given."""
    return not f.__closure__ and not any(name in f.__globals__ for name in _names(f.__code__))


def _names(code: types.CodeType) -> Iterator[str]:
    """The names of globals and attributes in a function's code, and in the functions that are made there."""
    yield from code.co_names
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            yield from _names(constant)


def _parts(held: Any, names: set[str]) -> list[Any]:
    """What can be reached from an object. A function that is entered tells of itself; one of a library, and a class, reads what a
    write to counts as one to anything."""
    kind = type(held)
    if kind is Proxy or kind is HostProxy or kind is types.FunctionType or isinstance(held, type):
        return []
    if kind is types.ModuleType:
        return [held.__dict__[name] for name in names if name in held.__dict__] if users(held.__dict__) else []
    return list(attributes_of(held).values()) if is_module(held) else parts_of(held)


class Asked:
    """Attributes whose value from before the call the captured code asked for, by object and name."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._places: set[tuple] = set()
        self._whole: dict[int, Any] = {}  # objects that were asked for all of them, by id
        self._watching: list[Reads] = []

    @contextmanager
    def watched(self, reads: Reads) -> Iterator[None]:
        """Inside, what the code reads is noted, too."""
        self._watching.append(reads)
        try:
            yield
        finally:
            self._watching.pop()

    def runs(self, f: types.FunctionType) -> None:
        """Note that the code of a function runs."""
        for reads in self._watching:
            reads.add(f)

    def again(self, all_of_it: Reads) -> None:
        """Note that code which read all this runs once more."""
        for reads in self._watching:
            reads.update(all_of_it)

    def add(self, place: tuple) -> None:
        """Note that what stands at a place was asked for; what the code itself has written there is not from before."""
        for reads in self._watching:
            reads.asked[place] = None
        key = place[0], "attribute", place[1]
        if self._journal.made.has(place[0]):
            return
        for frame in self._journal.frames:
            if key in frame:
                return
        self._places.add(place)

    def add_all(self, owner: Any) -> None:
        """Note that the code may ask an object for any attribute."""
        for reads in self._watching:
            reads.asked[id(owner), None] = None
        if not self._journal.made.has(id(owner)):
            self._whole[id(owner)] = owner

    def by_name(self, place: tuple) -> bool:
        """Whether it was asked for by its name."""
        return place in self._places

    def owners(self) -> set[int]:
        """The ids of the objects that were asked."""
        return {*self._whole, *(owner for owner, _ in self._places)}

    def __contains__(self, place: tuple) -> bool:
        return place in self._places or place[0] in self._whole
