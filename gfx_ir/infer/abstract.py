"""Abstract values: the lattice of what a program has at one place, for all that its text tells.

Capture asks it of the author's program, the printer of the program that it emits. An abstract value stands for a set of
values that Python may have; `join` is the least that stands for those of either, BOTTOM for none and TOP for all. The
greater of two says less: whoever asks has to be right for all that it stands for, or to refuse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
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
ANY: Kinds = DATA | NUMBERS | {NONE}
_UNTYPED = LogicalTensor()
_POINT = LogicalTensor(dims=())
_NO_TERMS: Terms = frozenset()


@dataclass(frozen=True, slots=True)
class Abstract:
    """What is known of a value.

    `kinds`: what Python may have there. `type`: dtype and dims of the data, as far as they are known. `ranks`: its rank in terms of
    the arguments'; None: what `type` has, if anything. `stopped`: no gradient flows to what it is made of. `fixed`: its content follows
    from constants and shapes alone.
    """

    kinds: Kinds
    type: LogicalTensor = _UNTYPED
    ranks: Ranks | None = None
    stopped: bool = False
    fixed: bool = False

    @property
    def python(self) -> Kinds:
        """The kinds of Python's numbers that it may be."""
        return self.kinds & NUMBERS

    @property
    def is_python(self) -> bool:
        """Whether it is surely a number of Python's."""
        return bool(self.kinds) and self.kinds <= NUMBERS

    @property
    def kind(self) -> str:
        """The one kind of number of Python's that it surely is; "" where it is none, or one of several."""
        (only,) = self.kinds if len(self.kinds) == 1 else ("",)
        return only if only in NUMBERS else ""

    @property
    def rank(self) -> int | None:
        """Its rank, None where that is not known."""
        return self.type.rank

    @property
    def terms(self) -> Ranks | None:
        """The ranks that it may have, in terms; a rank that is known has no argument."""
        known = self.type.dims if self.ranks is None else None
        return self.ranks if known is None else frozenset((terms_of(len(known)),))

    def with_(self, **changes: Any) -> Abstract:
        """A copy with some fields changed."""
        return replace(self, **changes)


BOTTOM = Abstract(frozenset())
"""Nothing is there: what a loop leaves before its first trip was looked at."""
TOP = Abstract(ANY)
"""Whatever it may be: what is known of an op without a rule."""


def number(*kinds: str) -> Abstract:
    """A number of Python's, of one of these kinds."""
    return Abstract(frozenset(kinds), _POINT)


def tensor(type_: LogicalTensor = _UNTYPED, ranks: Ranks | None = None) -> Abstract:
    """A tensor or array."""
    return Abstract(frozenset((ARRAY,)), type_, ranks)


def ufunc(type_: LogicalTensor = _UNTYPED, ranks: Ranks | None = None) -> Abstract:
    """What a ufunc gives: a number of NumPy's iff its rank is 0."""
    return Abstract(frozenset((UFUNC,)), type_, ranks)


def terms_of(rank: int) -> Terms:
    """A rank that is known, in terms."""
    return frozenset(((None, -rank),)) if rank else _NO_TERMS


def of_constant(value: Any) -> Abstract:
    """What a constant of Python's is: a number, or None. Anything else is TOP."""
    if value is None:
        return _NOTHING
    name = type(value).__name__
    return _CONSTANTS[name] if type(value) in (bool, int, float, complex) else TOP


def join(a: Abstract, b: Abstract) -> Abstract:
    """What stands for the values of either. Equal records are not equal contents: what is one of two is not fixed."""
    if not a.kinds or not b.kinds:
        return a if a.kinds else b
    if a is b or a == b:
        return a.with_(fixed=False) if a.fixed else a
    type_ = joined_type(a.type, b.type)
    ranks = None
    if type_.dims is None and (one := a.terms) is not None and (other := b.terms) is not None:
        ranks = one | other if len(one | other) <= MOST else None
    return Abstract(a.kinds | b.kinds, type_, ranks, a.stopped and b.stopped)


def join_all(values: Iterable[Abstract]) -> Abstract:
    """The join of several; BOTTOM of none."""
    found = BOTTOM
    for value in values:
        found = join(found, value)
    return found


def at_most(a: Abstract, b: Abstract) -> bool:
    """Whether b stands for all that a stands for."""
    return join(a, b).with_(fixed=False) == b.with_(fixed=False)


def joined_type(a: LogicalTensor, b: LogicalTensor) -> LogicalTensor:
    """What holds of either type."""
    dims = None
    if a.dims is not None and b.dims is not None and len(a.dims) == len(b.dims):
        dims = tuple([x if host.same(x, y) else None for x, y in zip(a.dims, b.dims)])
    return LogicalTensor(a.dtype if a.dtype == b.dtype else None, dims, weak=a.weak and b.weak)


_CONSTANTS = {kind: number(kind).with_(fixed=True) for kind in PYTHON}
_NOTHING = Abstract(frozenset((NONE,)), fixed=True)
