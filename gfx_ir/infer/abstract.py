"""Abstract values: the lattice of what a program has at one place, for all that its text tells.

Capture asks it of the author's program, the printer of the program that it emits. An abstract value stands for a set of
values that Python may have; `join` is the least that stands for those of either, BOTTOM for none and TOP for all. The
greater of two says less: whoever asks has to be right for all that it stands for, or to refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import host
from ..types import LogicalTensor

ARRAY = "array"
"""A tensor, an array, also one without axes: code may write it in place."""
SCALAR = "scalar"
"""A number of NumPy's (`np.generic`). Frameworks that have none have a tensor there."""
UFUNC = "ufunc"
"""What NumPy gives for a ufunc, a reduction or an index of integers: a number iff its rank is 0, else an array."""
NONE = "none"
PYTHON = ("bool", "int", "float", "complex")
"""Python's numbers, each kind within the next."""

Kinds = frozenset[str]
Terms = frozenset[tuple[Any, int | None]]
"""A rank as the greatest of several terms: (argument, k) is the rank of that argument less k, (None, -k) is k, and none are 0.
(argument, None) is no rank: what follows from that argument alone is a number of NumPy's iff the argument is one itself."""
Ranks = frozenset[Terms]
"""The ranks that there may be: a test makes several of them."""
MOST = 8
"""How many ranks are told apart; of more nothing is known."""

DATA: Kinds = frozenset((ARRAY, SCALAR, UFUNC))
NUMBERS: Kinds = frozenset(PYTHON)
ARRAYS: Kinds = frozenset((ARRAY,))
ELEMENTS: Kinds = frozenset((UFUNC,))
ANY: Kinds = DATA | NUMBERS | {NONE}
_UNTYPED = LogicalTensor()
_POINT: Ranks = frozenset((frozenset(),))


@dataclass(frozen=True, slots=True)
class Abstract:
    """What is known of a value.

    `kinds`: what Python may have there. `element`: dtype and weakness of the data, as far as they are known. `ranks`: the ranks that
    it may have, in terms of the arguments'; None: nothing is known of them.
    """

    kinds: Kinds
    element: LogicalTensor = _UNTYPED
    ranks: Ranks | None = None


BOTTOM = Abstract(frozenset())
"""Nothing is there: what a loop leaves before its first trip was looked at."""
TOP = Abstract(ANY)
"""Whatever it may be: what is known of an op without a rule."""


def number(*kinds: str) -> Abstract:
    """A number of Python's, of one of these kinds."""
    return Abstract(frozenset(kinds), ranks=ranks_of(0))


def tensor(element: LogicalTensor = _UNTYPED, ranks: Ranks | None = None) -> Abstract:
    """A tensor or array."""
    return Abstract(ARRAYS, element, ranks)


def ufunc(element: LogicalTensor = _UNTYPED, ranks: Ranks | None = None) -> Abstract:
    """What a ufunc gives: a number of NumPy's iff its rank is 0."""
    return Abstract(ELEMENTS, element, ranks)


def ranks_of(rank: int) -> Ranks:
    """A rank that is known, in terms."""
    return frozenset((frozenset(((None, -rank),)),)) if rank else _POINT


def rank_of(ranks: Ranks | None) -> int | None:
    """The one rank that hangs on no argument, if it is that."""
    if ranks is None or len(ranks) != 1:
        return None
    (terms,) = ranks
    return None if any(argument is not None for argument, _ in terms) else max((-k for _, k in terms if k), default=0)


def of_constant(value: Any) -> Abstract:
    """What a constant of Python's is: a number, or None. Anything else is TOP."""
    if value is None:
        return _NOTHING
    return _CONSTANTS[type(value).__name__] if type(value) in (bool, int, float, complex) else TOP


def join(a: Abstract, b: Abstract) -> Abstract:
    """What stands for the values of either."""
    if not a.kinds or not b.kinds:
        return a if a.kinds else b
    return (
        a
        if a == b
        else Abstract(a.kinds | b.kinds, joined_element(a.element, b.element), joined_ranks(a.ranks, b.ranks))
    )


def at_most(a: Abstract, b: Abstract) -> bool:
    """Whether b stands for all that a stands for."""
    return join(a, b) == b


def joined_ranks(a: Ranks | None, b: Ranks | None) -> Ranks | None:
    """The ranks of either."""
    found = None if a is None or b is None else a | b
    return None if found is None or len(found) > MOST else found


def joined_element(a: LogicalTensor, b: LogicalTensor) -> LogicalTensor:
    """What holds of either's dtype. A number of Python's counts by its kind, a tensor by its dtype: of booleans that is the same."""
    if a == b:
        return a
    same = a.dtype == b.dtype and a.dtype is not None and (a.weak == b.weak or a.dtype.kind == "b")
    return LogicalTensor(a.dtype) if same else _UNTYPED


def never_meet(a: tuple, b: tuple) -> bool:
    """Whether no tensor has both of these dims, whatever the open ones are."""
    return len(a) != len(b) or any(host.same(x, y) is False for x, y in zip(a, b))


def joined_dims(several: Sequence[tuple | None]) -> tuple | None:
    """What holds of the dims of several."""
    if not several or None in several or len({len(dims or ()) for dims in several}) != 1:
        return None
    return tuple([sizes[0] if all(host.same(sizes[0], size) for size in sizes) else None for sizes in zip(*several)])  # type: ignore[arg-type]


_CONSTANTS = {kind: number(kind) for kind in PYTHON}
_NOTHING = Abstract(frozenset((NONE,)))
