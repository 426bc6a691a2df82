"""Rearrangement by patterns of named axes (einops): at most one split of axes, one permutation, reduction and broadcast, one merge."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..build import host
from ..errors import ShapeError
from ._catalogue import ops

REST = "..."
"""The axes that a pattern does not name."""


class Axis(NamedTuple):
    """An axis of an array: the names that it is composed of, none for one of size 1; `apart`: those that a pattern does not name,
    each for itself."""

    names: tuple[str, ...]
    apart: bool = False


Axes = tuple[Axis, ...]
EACH = Axis((REST,), True)
_TOKEN = re.compile(r"\s*(\.\.\.|[A-Za-z_]\w*|\d+|[()]|\S)")
REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all")
Reduction = str | Callable[[Any, tuple[int, ...]], Any]
"""What becomes of axes that go: by name, or a function of the array and its last axes."""


class Pattern(NamedTuple):
    """`left -> right`; `numbered`: the sizes of axes that are given by number."""

    left: Axes
    right: Axes
    numbered: Mapping[str, int]


def _axes(text: str, numbered: dict[str, int]) -> Axes | None:
    """One side of a pattern; None: it is malformed."""
    found: list[Axis] = []
    group: list[str] | None = None
    for token in _TOKEN.findall(text):
        if token in "()":
            if (token == "(") is not (group is None):
                return None
            if group is not None:
                found.append(Axis(tuple(group)))
            group = [] if token == "(" else None
        elif token == "1":
            found += [Axis(())] if group is None else []
        elif token == REST or token.isidentifier() or token.isdigit():
            name = token
            if token.isdigit():
                numbered[name := f"{len(numbered)}#{token}"] = int(token)
            found += [Axis((name,), name == REST)] if group is None else []
            group = None if group is None else [*group, name]
        else:
            return None
    return tuple(found) if group is None else None


def parsed(pattern: Any, reduction: Any, given: Sequence[str]) -> Pattern | None:
    """A pattern for rearrange, repeat or a reduction with the sizes of axes `given`; None where it is not well-formed."""
    if not isinstance(pattern, str) or pattern.count("->") != 1:
        return None
    numbered: dict[str, int] = {}
    left, right = (_axes(side, numbered) for side in pattern.split("->"))
    if left is None or right is None or any(REST in axis.names and axis != EACH for axis in left):
        return None
    before, after = _flat(left), _flat(right)
    made, gone = set(after) - set(before), set(before) - set(after)
    known = {*given, *numbered}
    sound = (
        reduction in ("rearrange", "repeat", *REDUCTIONS)
        and len(set(before)) == len(before)
        and len(set(after)) == len(after)
        and set(given) <= {*before, *after}
        and all(sum(name not in known for name in axis.names) < 2 for axis in left)
        and (made <= known if reduction == "repeat" else not made)
        and (reduction in REDUCTIONS or not gone)
        and REST not in made
    )
    return Pattern(left, right, numbered) if sound else None


class Rearranging:
    """An array of `found` axes (None: an open number of them, for a pattern with dots), as a pattern has it."""

    def __init__(self, x: Any, found: int | None, pattern: Pattern, given: Mapping[str, Any], call: str) -> None:
        self._x, self._call, self._given = x, call, {**pattern.numbered, **given}
        count, rest = len(pattern.left), EACH in pattern.left
        if found is not None and (found < count - 1 if rest else found != count):
            raise ShapeError(f"{call}: the pattern has {count - rest} axes, and the array {found}")
        names = tuple(f"{REST}{n}" for n in range(found - count + 1)) if rest and found is not None else (REST,)
        self._left, self._right = _named(pattern.left, names), _named(pattern.right, names)
        self._sizes: dict[str, Any] = {}

    # ------------------------------------------------------------------ sizes
    def _length(self, at: int) -> Any:
        """The size of an axis of the array; of those that are not named, where it is not known how many, all."""
        count = len(self._left)
        rest = self._left.index(EACH) if EACH in self._left else count
        if at == rest:
            return host("getitem", ops.shape(self._x), slice(at, at + 1 - count if at + 1 < count else None))
        return ops.size(self._x, at if at < rest else at - count)

    def _size(self, name: str) -> Any:
        """The size of an axis by its name: given, read of the array, or what the others leave of it."""
        if name not in self._sizes:
            at = next((at for at, axis in enumerate(self._left) if name in axis.names), None)
            beside = () if at is None else tuple(other for other in self._left[at].names if other != name)
            if at is None or (beside and name in self._given):
                self._sizes[name] = self._given[name]
            else:
                length, known = self._length(at), self._product(beside)
                if isinstance(length, int) and isinstance(known, int) and length % known:
                    raise ShapeError(f"{self._call}: an axis of {length} elements cannot be divided by {known}")
                self._sizes[name] = host("//", length, known) if beside else length
        return self._sizes[name]

    def _product(self, names: Iterable[str]) -> Any:
        sizes = [host("math.prod", self._size(name)) if name == REST else self._size(name) for name in names]
        return times(size for size in sizes if type(size) is not int or size != 1)

    def _shape(self, axes: Axes) -> Any:
        """The shape of these axes."""
        sizes = tuple(self._size(REST) if axis.apart else self._product(axis.names) for axis in axes)
        return host("splice", *sizes) if EACH in axes else sizes

    def _check(self, moved: bool) -> None:
        """Raise where an axis has not the size that the pattern gives it, at capture or when the code runs; one axis that a
        reshape splits need not be asked for: the number of elements tells."""
        told = [at for at, axis in enumerate(self._left) if self._given.keys() >= set(axis.names)]
        divided = any(len(axis.names) > 1 and at not in told for at, axis in enumerate(self._left))
        split = (moved or self._left != self._right) and len(told) == 1 and len(self._left[told[0]].names) != 1
        for at in told:
            wanted: Any = times(self._given[name] for name in self._left[at].names)
            length = self._length(at)
            why = f"{self._call}: axis {at} does not have the size that the pattern gives it"
            if isinstance(length, int) and isinstance(wanted, int):
                if length != wanted:
                    raise ShapeError(why, hint=f"it has {length}, not {wanted}")
            elif not split or divided:
                ops.check(host("==", length, wanted), why, "ValueError")

    # ------------------------------------------------------------------ the array
    def made(self, reduction: Reduction) -> Any:
        """The array that the pattern describes."""
        before, after = _flat(self._left), _flat(self._right)
        stay = [name for name in before if name in after]
        gone = [name for name in before if name not in after]
        order = [stay.index(name) for name in after if name in stay]
        new = tuple(at for at, name in enumerate(after) if name not in stay)
        moved = bool(new or gone) or order != sorted(order)
        self._check(moved)
        x, axes = self._x, self._left
        if moved:
            x, axes = self._arranged(x, axes, _single(before)), _single(after)
        if gone and callable(reduction):  # it finds the axes that go behind those that stay
            x = _permuted(x, [before.index(name) for name in (*stay, *gone)])
            x = reduction(x, tuple(range(len(stay), len(before))))
        elif gone and not callable(reduction):
            x = getattr(ops, reduction)(x, axis=_only(tuple(before.index(name) for name in gone)))
        x = _permuted(x, order)
        if new:
            x = ops.broadcast_to(ops.expand_dims(x, _only(new)), tuple(self._product((name,)) for name in after))
        return self._arranged(x, axes, self._right)

    def _arranged(self, x: Any, old: Axes, new: Axes) -> Any:
        """The same elements in order, with axes split and merged."""
        if old == new:
            return x
        merged = [at for at, axis in enumerate(new) if len(axis.names) > 1]
        alone = tuple(part for axis in new for part in (_single(axis.names) if len(axis.names) > 1 else (axis,)))
        if alone == old and len(merged) == 1 and EACH not in new:
            return ops.flatten(x, merged[0], merged[0] + len(new[merged[0]].names) - 1)
        if tuple(axis for axis in new if axis.names) == old and EACH not in new:
            return ops.expand_dims(x, _only(tuple(at for at, axis in enumerate(new) if not axis.names)))
        return ops.reshape(x, self._shape(new))

    def put(self, new: Any) -> Any:
        """What the array is where what the pattern made of it, all of its elements, is `new`."""
        before, after = _flat(self._left), _flat(self._right)
        parts = _single(after)
        x = new if parts == self._right else ops.reshape(new, self._shape(parts))
        return ops.reshape(_permuted(x, [after.index(name) for name in before]), ops.shape(self._x))


def merges(pattern: Pattern) -> bool:
    """Whether a pattern puts several axes into one, which copies where they do not lie so in memory."""
    return any(len(axis.names) > 1 and axis not in pattern.left for axis in pattern.right) or (
        any(axis.names == (REST,) and not axis.apart for axis in pattern.right)
    )


def gone(pattern: Pattern) -> set[str]:
    """The names of axes that a pattern reduces."""
    return set(_flat(pattern.left)) - set(_flat(pattern.right))


def _permuted(x: Any, order: list[int]) -> Any:
    return x if order == sorted(order) else ops.permute_dims(x, tuple(order))


def times(sizes: Iterable[Any]) -> Any:
    found = list(sizes)
    return functools.reduce(lambda a, b: host("*", a, b), found) if found else 1


def _only(axes: tuple[int, ...]) -> Any:
    return axes[0] if len(axes) == 1 else axes


def _flat(axes: Axes) -> list[str]:
    return [name for axis in axes for name in axis.names]


def _single(names: Iterable[str]) -> Axes:
    return tuple(Axis((name,)) for name in names)


def _named(axes: Axes, rest: tuple[str, ...]) -> Axes:
    """Axes with names for those that stand in place of the dots."""
    found: list[Axis] = []
    for axis in axes:
        names = tuple(n for name in axis.names for n in (rest if name == REST else (name,)))
        found += _single(names) if axis.apart and rest != (REST,) else [Axis(names, axis.apart)]
    return tuple(found)
