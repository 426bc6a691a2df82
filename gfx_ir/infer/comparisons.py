"""What comparisons tell of arithmetic sequences: of two along one axis, of one along each of the last two, of their ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dtypes import DType
from .sequences import Seq, met, of_array, of_dtype, sequence, spread, subscripted, unsqueezed


@dataclass(frozen=True)
class Column:
    """A sequence along the axis before the last, all other axes having one place."""

    row: Seq


@dataclass(frozen=True)
class Triangle:
    """Booleans that are `holds` up to a diagonal, which is so many places right of the main one, and not beyond it. `height` and
    `width` stand for how long the last two axes are, as `length` of a sequence does."""

    offset: int
    holds: bool
    rank: int
    height: Any = None
    width: Any = None


Rule = Callable[[tuple, int | None], Any]
Told = Seq | Column | Triangle


def kept(dtype: DType | None, found: Told) -> Told | None:
    """What is told of elements, as those of a dtype; None where it does not keep these as they are."""
    if type(found) is Seq:
        return of_dtype(dtype, found)
    if type(found) is Column:
        row = of_dtype(dtype, found.row)
        return None if row is None else Column(row)
    return found if type(found) is Triangle and dtype is not None and dtype.kind == "b" else None


def column(leaf: Any) -> Column | None:
    """A leaf of an op's arguments as a column."""
    if isinstance(leaf, np.ndarray) and leaf.ndim > 1 and leaf.shape[-1] == 1 and leaf.size == leaf.shape[-2]:
        row = of_array(leaf[..., 0])
        return None if row is None else Column(row)
    return leaf if type(leaf) is Column else None


# ---------------------------------------------------------------------- comparing
def below(low: float, high: float) -> bool | None:
    """Whether differences between these are all negative."""
    return True if high < 0 else False if low >= 0 else None


def at_most(low: float, high: float) -> bool | None:
    """Whether none is positive."""
    return True if high <= 0 else False if low > 0 else None


def equal(low: float, high: float) -> bool | None:
    """Whether all are 0."""
    return True if low == high == 0 else False if low > 0 or high < 0 else None


Holds = Callable[[float, float], bool | None]


def comparison(holds: Holds, truth: bool = True) -> Rule:
    """A comparison, by the least and the greatest difference that there may be; `truth`: whether it is that this holds."""

    def rule(args: tuple, rank: int | None) -> Any:
        pair = met(args)
        if pair is None:
            x, y = args[:2]
            return _across(holds, truth, x, y, rank) or _by_ends(holds, truth, x, y, rank)
        a, b, length = pair
        start, step = a.start - int(b.start), a.step - b.step
        told = holds(start if step >= 0 else -math.inf, start if step <= 0 else math.inf)
        return None if told is None else Seq(told is truth, 0, max(a.rank, b.rank), length)

    return rule


def _by_ends(holds: Holds, truth: bool, a: Any, b: Any, rank: int | None) -> Seq | None:
    (a_low, a_high), (b_low, b_high) = _ends(a), _ends(b)
    low = a_low - b_high if math.isfinite(b_high) else -math.inf
    told = holds(low, a_high - b_low if math.isfinite(b_low) else math.inf)
    return None if told is None or rank is None else Seq(told is truth, 0, rank)


def _ends(leaf: Any) -> tuple[float, float]:
    """Between which numbers all that something holds is."""
    down = column(leaf)
    found = sequence(leaf) if down is None else down.row
    if found is None:
        return -math.inf, math.inf
    return found.start if found.step >= 0 else -math.inf, found.start if found.step <= 0 else math.inf


def _across(holds: Holds, truth: bool, a: Any, b: Any, rank: int | None) -> Triangle | None:
    """A row that counts up, compared with a column that does."""
    first = column(a) is None
    row, down = (sequence(a), column(b)) if first else (sequence(b), column(a))
    if row is None or down is None or rank is None or not (row.is_row and row.step == down.row.step == 1):
        return None
    if holds is equal:
        return None
    # what is true where the row's number less the column's, i - j + apart, is at most a number
    apart = int(row.start) - int(down.row.start)
    strict = (holds is below) == first
    offset = -apart - 1 if strict else -apart
    return Triangle(offset, truth if first else not truth, rank, down.row.length, row.length)


# ---------------------------------------------------------------------- what makes columns and keeps triangles
def indexed(args: tuple, rank: int | None) -> Any:
    """The part at numbers and slices; of a row with a new axis behind it, the column; a triangle with new axes before it."""
    if type(args[0]) is Triangle:
        whole = spread(args[1], args[0].rank)
        same = whole and None not in whole[-2:] and all(item in (None, slice(None)) for item in whole)
        return replace(args[0], rank=len(whole)) if whole and same else None
    x = sequence(args[0])
    items = spread(args[1], x.rank) if x is not None else None
    if x is None or not x.step or not items or items[-1] is not None:
        return subscripted(args, rank)
    return _upright(subscripted((x, tuple(items[:-1])), None))


def with_axis(args: tuple, rank: int | None) -> Any:
    """With an axis more; behind the last one of a row, the column."""
    x, axis = args[:2]
    if type(x) is Triangle:
        return replace(x, rank=x.rank + 1) if type(axis) is int and 0 <= axis <= x.rank - 2 else None
    made = unsqueezed(args, rank)
    x = sequence(x)
    return made if made is not None or x is None or axis not in (-1, x.rank) else _upright(x)


def _upright(row: Seq | None) -> Column | None:
    return Column(row) if row is not None and row.is_row and row.rank and row.step else None


def stretched(rule: Rule) -> Rule:
    """Stretched to a shape; along other axes than its last two, a triangle is the same."""

    def asked(args: tuple, rank: int | None) -> Any:
        x, shape = args[:2]
        if type(x) is not Triangle:
            return rule(args, rank)
        if type(shape) is not tuple or len(shape) < x.rank:
            return None
        same = all(_same(size, length) for size, length in zip(shape[-2:], (x.height, x.width)))
        return replace(x, rank=len(shape)) if same else None

    return asked


def _same(size: Any, length: Any) -> bool:
    """Whether an axis keeps its size: -1 says so where it is said by sizes."""
    kept = type(size) is int and size == -1
    return kept or (length is not None and length in (size, ("range", 0, size, 1)))


def opposite(rule: Rule) -> Rule:
    """The other truth: of a triangle, beyond the diagonal."""

    def asked(args: tuple, rank: int | None) -> Any:
        x = args[0]
        return replace(x, holds=not x.holds) if type(x) is Triangle else rule(args, rank)

    return asked


def triangle(holds: bool) -> Rule:
    """A triangle of what is true everywhere: up to a diagonal, or beyond the one before it."""

    def rule(args: tuple, rank: int | None) -> Triangle | None:
        x, k = sequence(args[0]), args[1]
        if x is None or x.start is not True or x.rank < 2 or type(k) is not int:
            return None
        return Triangle(k if holds else k - 1, holds, x.rank)

    return rule


# ---------------------------------------------------------------------- asking
def everywhere(found: Any) -> bool | None:
    """The truth that all booleans of something have; None where that is not told, or they differ."""
    known = sequence(found)
    return known.start if known is not None and type(known.start) is bool else None


def is_causal(found: Any) -> bool:
    """Whether booleans are true up to the main diagonal, and not beyond it."""
    if isinstance(found, np.ndarray):
        return found.dtype == bool and found.ndim > 1 and bool(np.all(found == np.tri(*found.shape[-2:])))
    return type(found) is Triangle and found.holds and found.offset == 0
