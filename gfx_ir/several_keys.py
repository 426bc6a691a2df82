"""Several keys of random numbers, which the framework holds in one array: each is made of one key and its place."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from .errors import UnsupportedConstruct

Call = Callable[..., Any]
"""Makes a call of a function of the framework in the graph: call(function, *args)."""


@dataclass(frozen=True)
class Folds:
    """How several keys are made, one by one: `make(call, key, place)` is the key, or the keys, at each of the `places`, an array of
    whole numbers; `sizes`: the shape of what is at one; `count`: how many there are, where the places are those from 0 on."""

    key: Any
    places: Any
    make: Callable[[Call, Any, Any], Any]
    sizes: tuple[int, ...] = ()
    count: Any = None

    def at(self, call: Call, place: Any) -> Any:
        """What is at a place."""
        return self.make(call, self.key, place)

    def then(self, work: Callable[[Any], Any], sizes: tuple[int, ...]) -> Folds:
        """The same with what work makes of what is at each place."""
        make = self.make
        return replace(self, make=lambda call, key, place: work(make(call, key, place)), sizes=sizes)


class Keys(tuple):
    """Several keys: a loop goes over them as over rows, by their `folds` where they have these. `single` makes them one by one, where none
    stands in it; without it how many there are is open."""

    folds: Folds | None
    single: Callable[[], Sequence[Any]] | None

    def __new__(cls, keys: Any = (), folds: Folds | None = None, single: Any = None) -> Keys:
        made = super().__new__(cls, keys)
        made.folds, made.single = folds, single
        return made

    def mapped(self, fn: Callable[[Any], Any]) -> Keys:
        """The same with what fn makes of the values that stand in it."""
        folds = self.folds
        if folds is not None:
            folds = replace(folds, key=fn(folds.key), places=fn(folds.places), count=fn(folds.count))
        return Keys(map(fn, tuple.__iter__(self)), folds, self.single)

    def below(self, work: Callable[[Any], Any]) -> Keys:
        """What work gives for what is at each place along the first axis."""
        if self.folds is None:
            return Keys(map(work, self))
        single = None if self.single is None and not tuple.__len__(self) else lambda: [work(one) for one in self]
        return Keys((), self.folds.then(work, ()), single)

    def _items(self) -> Sequence[Any]:
        if self.folds is None or tuple.__len__(self):
            return list(tuple.__iter__(self))
        if self.single is None:
            self._refuse("it is open how many there are")
        return self.single()

    def _refuse(self, what: str) -> NoReturn:
        raise UnsupportedConstruct(
            f"GFX cannot convert this use of several keys of random numbers: {what}",
            hint="take single keys of it, or go over them",
        )

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items())

    def __getitem__(self, at: Any) -> Any:
        if type(at) is tuple:
            part, rest = self[at[0]] if at else self, at[1:]
            if not rest:
                return part
            return part.below(operator.itemgetter(rest)) if isinstance(at[0], slice) else part[rest]
        if not isinstance(at, slice):
            return self._items()[at]
        folds, single = self.folds, self.single
        if folds is None:
            return Keys(self._items()[at])
        cut = None if single is None else lambda: single()[at]
        return Keys(tuple.__getitem__(self, at), replace(folds, places=folds.places[at], count=None), cut)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._refuse(f"{name!r} of the array that holds them")


def seed_of(words: Any) -> int | None:
    """The seed of a key, by its two words of 32 bits; None for what is no key."""
    if type(words) is not tuple or len(words) != 2 or not all(type(word) is int for word in words):
        return None
    return words[0] << 32 | words[1]
