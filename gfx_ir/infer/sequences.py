"""The domain of arithmetic sequences: what a tensor holds, whatever its sizes are, where it runs up in equal steps.

A value of it holds `start + step * i` at place i of its last axis, and the same along all others; where it is empty, anything
holds of it. So `arange(n)`, its differences, comparisons and sums of these are told without n. Each rule gives None where
the domain has no such value; an op's row names its rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dtypes import DType

LARGEST = 2**31
"""Numbers of this size and above may wrap around."""
_STEEPEST = 2**10
"""Longer steps wrap around within two million places of 32 bits, which JAX has for all whole numbers unless it is told."""
_FLOATS = 2**24
Number = bool | int | float


@dataclass(frozen=True)
class Seq:
    """`length` stands for how long the last axis is: equal ones are equally long; a number is the length itself, None is any. `ones`:
    all other axes are known to have one place."""

    start: Number
    step: Number = 0
    rank: int = 0
    length: Any = None
    ones: bool = False

    @property
    def is_row(self) -> bool:
        """Whether all axes but the last are known to have one place."""
        return self.rank <= 1 or self.ones

    @property
    def single(self) -> bool:
        """Whether it has one place at most along its last axis, whatever it meets."""
        return self.rank == 0 or (type(self.length) is int and self.length == 1)


Rule = Callable[[tuple, int | None], Seq | None]
"""What an op gives of its arguments, in which a Seq stands for a tensor, and None or OPEN for what is not known; and of the rank of
what it gives."""


def of_array(data: np.ndarray) -> Seq | None:
    """The sequence that an array holds."""
    if not data.size:
        return None
    row = data.reshape(-1, data.shape[-1] if data.ndim else 1)[0]
    step = 0 if len(row) == 1 or data.dtype == bool else (row[1] - row[0]).item()
    made = row[0] if not step else row[0] + step * np.arange(len(row))
    if not np.array_equal(data, np.broadcast_to(made, data.shape)):
        return None
    last = data.shape[-1] if data.ndim else None
    return Seq(row[0].item(), step, data.ndim, last, ones=data.size == last)


def sequence(leaf: Any) -> Seq | None:
    """A leaf of an op's arguments as a sequence: a whole number is one without axes."""
    if isinstance(leaf, np.ndarray):
        return of_array(leaf)
    whole = isinstance(leaf, (bool, int)) or (isinstance(leaf, float) and leaf.is_integer())
    return leaf if type(leaf) is Seq else Seq(leaf) if whole else None


def of_dtype(dtype: DType | None, found: Seq) -> Seq | None:
    """A sequence as elements of a dtype: truths where that has them, numbers where not; None where it does not keep these as they are."""
    if dtype is None or found.start != found.start // 1:
        return None
    if dtype.kind == "b":
        return None if found.step else replace(found, start=bool(found.start))
    whole = dtype.kind == "i" and dtype.itemsize >= 4 and abs(found.step) < _STEEPEST
    real = dtype.kind == "f" and dtype.itemsize >= 4 and not found.step and abs(found.start) < _FLOATS
    return replace(found, start=int(found.start)) if whole or real else None


# ---------------------------------------------------------------------- arithmetic
def _met(a: Seq, b: Seq) -> Any:
    """How long the last axis is of what two sequences make; `_APART` where one of them may be stretched along the other."""
    if a.length == b.length or b.single:
        return a.length if a.rank else b.length
    if a.single:
        return b.length
    return _APART if a.step or b.step else None


_APART = object()


def met(args: tuple) -> tuple[Seq, Seq, Any] | None:
    """Two sequences whose elements meet one by one, and how long the last axis is of what they make."""
    a, b = map(sequence, args[:2])
    if a is None or b is None:
        return None
    length = _met(a, b)
    unequal = a.length is None and (a.step or b.step) and not (a.single or b.single)
    return None if length is _APART or unequal else (a, b, length)


def _checked(start: Number, step: Number, rank: int, length: Any, ones: bool = False) -> Seq | None:
    small = abs(start) < LARGEST and abs(step) < LARGEST
    return Seq(start, 0 if rank == 0 else step, rank, length, ones) if small else None


def linear(sign: int) -> Rule:
    """A sum (1) or a difference (-1)."""

    def rule(args: tuple, rank: int | None) -> Seq | None:
        pair = met(args)
        if pair is None or (type(pair[0].start) is bool and type(pair[1].start) is bool):
            return None
        a, b, length = pair
        ones = a.is_row and b.is_row
        return _checked(a.start + sign * b.start, a.step + sign * b.step, max(a.rank, b.rank), length, ones)

    return rule


def multiplied(args: tuple, rank: int | None) -> Seq | None:
    """A product, of which one side is the same everywhere."""
    pair = met(args)
    if pair is None or (pair[0].step and pair[1].step):
        return None
    a, b, length = pair
    step, rank = a.step * b.start + b.step * a.start, max(a.rank, b.rank)
    return _checked(a.start * b.start, step, rank, length, a.is_row and b.is_row)


def logical(fn: Callable[..., Any]) -> Rule:
    """An operation on truths that are the same everywhere."""

    def rule(args: tuple, rank: int | None) -> Seq | None:
        parts = [sequence(arg) for arg in args]
        if any(part is None or part.step or type(part.start) is not bool for part in parts):
            return None
        known = [part for part in parts if part is not None]
        pair = met(args) if len(known) == 2 else (known[0], known[0], known[0].length)
        assert pair is not None
        return Seq(bool(fn(*(part.start for part in known))), 0, max(part.rank for part in known), pair[2])

    return rule


def negated(args: tuple, rank: int | None) -> Seq | None:
    """The other sign."""
    x = sequence(args[0])
    return None if x is None or type(x.start) is bool else replace(x, start=-x.start, step=-x.step)


def cast(args: tuple, rank: int | None) -> Seq | None:
    """The same numbers in the dtype of the result."""
    return sequence(args[0])


# ---------------------------------------------------------------------- made, taken apart and put together
def counted(args: tuple, rank: int | None) -> Seq | None:
    """From `start` on, `step` apart."""
    start, stop, step = args[:3]
    begin, end = (0, start) if stop is None else (start, stop)
    if type(begin) is not int or type(step) is not int or type(end) is float:
        return None
    return _checked(begin, step, 1, ("range", begin, end, step))


def filled(value: Number) -> Rule:
    """One number everywhere."""

    def rule(args: tuple, rank: int | None) -> Seq | None:
        return None if rank is None else Seq(value, 0, rank)

    return rule


def full(args: tuple, rank: int | None) -> Seq | None:
    """The second argument everywhere."""
    value = sequence(args[1])
    return None if rank is None or value is None or value.rank else Seq(value.start, 0, rank)


def _last(axis: Any, rank: int) -> bool | None:
    """Whether an axis is the last one; None where that is not told."""
    return axis in (-1, rank - 1) if type(axis) is int else None


def unsqueezed(args: tuple, rank: int | None) -> Seq | None:
    """With an axis more."""
    x, axis = sequence(args[0]), args[1]
    last = None if x is None else _last(axis, x.rank + 1)
    if x is None or last is None or (last and x.step):
        return None
    return replace(x, rank=x.rank + 1, length=1 if last or not x.rank else x.length, ones=x.is_row and not last)


def expanded(args: tuple, rank: int | None) -> Seq | None:
    """Stretched to a shape, in which -1 keeps an axis as it is."""
    x, shape = sequence(args[0]), args[1]
    if x is None or type(shape) is not tuple or not shape:
        return None
    same = x.rank > 0 and (shape[-1] == -1 or (type(x.length) is int and shape[-1] == x.length))
    return replace(x, rank=len(shape), ones=False) if same else None if x.step else Seq(x.start, 0, len(shape))


def tiled(args: tuple, rank: int | None) -> Seq | None:
    """Over and over, as often along each axis as the repetitions say, the last of which belongs to the last axis."""
    x, given = sequence(args[0]), args[1]
    counts = given if isinstance(given, (tuple, list)) else (given,)
    return None if x is None or not counts else _repeated(x, max(x.rank, len(counts)), counts[-1])


def repeated(args: tuple, rank: int | None) -> Seq | None:
    """Each element over and over along an axis, or all of them behind each other."""
    x, count, axis = sequence(args[0]), args[1], args[2]
    if x is None or rank is None:
        return None
    return _repeated(x, rank, 1 if _last(-1 if axis is None and x.rank == 1 else axis, x.rank) is False else count)


def _repeated(x: Seq, rank: int, along: Any) -> Seq | None:
    """As often as that along the last axis."""
    once = type(along) is int and along == 1
    if x.step and not once:
        return None
    return replace(x, rank=rank, length=x.length if once and x.rank else None, ones=False)


def joined(args: tuple, rank: int | None) -> Seq | None:
    """A list of them along an axis."""
    parts = [sequence(part) for part in args[0]] if isinstance(args[0], (tuple, list)) else [None]
    found = parts[0]
    last = _last(args[1], found.rank) if found is not None else None
    for part in parts[1:]:
        if found is None or part is None or last is None or part.rank != found.rank:
            return None
        found = _joined(found, part) if last else found if found == part else None
    return found if last is not None else None


def _joined(a: Seq, b: Seq) -> Seq | None:
    """One behind the other along the last axis."""
    length = None if a.length is None or b.length is None else ("joined", a.length, b.length)
    if not a.step and not b.step and a.start == b.start and type(a.start) is type(b.start):
        return replace(a, length=length)
    one = a.length == 1 or (
        b.length is not None and a.length == ("first", b.length)
    )  # then both are empty, or it is one
    return Seq(a.start, b.step, b.rank, length) if one and a.start + b.step == b.start else None


def summed_up(args: tuple, rank: int | None) -> Seq | None:
    """Running sums of one number."""
    x, axis = sequence(args[0]), args[1]
    last = None if x is None else True if axis is None and x.rank == 1 else _last(axis, x.rank)
    if x is None or last is None or x.step or type(x.start) is float:
        return None
    return replace(x, start=int(x.start), step=int(x.start)) if last else replace(x, start=0) if not x.start else None


def quantified(truth: bool) -> Rule:
    """all() of what is true everywhere, any() of what is false: so it is where there is nothing, too."""

    def rule(args: tuple, rank: int | None) -> Seq | None:
        x = sequence(args[0])
        if x is None or x.step or rank is None:
            return None
        return Seq(truth, 0, rank) if bool(x.start) is truth else None

    return rule


def subscripted(args: tuple, rank: int | None) -> Seq | None:
    """The part at numbers and slices."""
    x = sequence(args[0])
    items = spread(args[1], x.rank) if x is not None else None
    if x is None or items is None:
        return None
    along = [item for item in items if item is not None]
    made = _along(x, along[-1]) if along else x
    kept = [item for item in items if not isinstance(item, int)]
    if made is None or ((not kept or kept[-1] is None) and made.step):
        return None
    whole = bool(kept) and kept[-1] is not None and not isinstance(items[-1], int)
    row = x.is_row and not (kept and kept[-1] is None)
    return replace(made, rank=len(kept), length=made.length if whole else None, ones=row)


def spread(index: Any, rank: int) -> list[Any] | None:
    """An index with an item for each axis, and None for each new one; None where it has anything but numbers and slices."""
    items = list(index) if type(index) is tuple else [index]
    if any(not (item is None or item is ... or type(item) in (int, slice)) for item in items):
        return None
    missing = rank - sum(item is not None and item is not ... for item in items)
    at = next((at for at, item in enumerate(items) if item is ...), len(items))
    return [*items[:at], *[slice(None)] * missing, *items[at + 1 :]] if missing >= 0 else None


def _along(x: Seq, item: Any) -> Seq | None:
    """A number or a slice of the last axis."""
    if isinstance(item, int):
        return replace(x, start=x.start + x.step * item, step=0) if item >= 0 or not x.step else None
    start, stop, step = item.start or 0, item.stop, 1 if item.step is None else item.step
    if not x.step:
        return replace(x, length=_cut(x.length, start, stop, step))
    if type(start) is not int or start < 0 or type(step) is not int or step < 1:
        return None
    length = _cut(x.length, start, stop, step)
    single = length == 1 or (type(length) is tuple and length[0] == "first")
    return replace(x, start=x.start + x.step * start, step=0 if single else x.step * step, length=length)


def _cut(length: Any, start: Any, stop: Any, step: Any) -> Any:
    """How long a slice is."""
    if type(length) is int and all(type(n) in (int, type(None)) for n in (start, stop, step)):
        return len(range(length)[start:stop:step])
    if length is None or step != 1:
        return None
    if start == 0 and stop == 1:
        return "first", length
    if type(start) is int and start >= 0 and stop is None:
        return ("less", length, start) if start else length
    return ("less", length, -stop) if start == 0 and type(stop) is int and stop < 0 else None


def selected(args: tuple, rank: int | None) -> Seq | None:
    """What holds one number everywhere, in another form: of ops that give elements of their first argument."""
    x = sequence(args[0])
    return None if x is None or x.step or rank is None else Seq(x.start, 0, rank)


def as_truth(found: Any) -> bool | None:
    """The truth of what a test is asked of; None where that is not told."""
    known = sequence(found)
    return None if known is None or known.rank else bool(known.start)
