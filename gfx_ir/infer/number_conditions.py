"""Conditions on the ranks of arguments under which an abstract value is a scalar of NumPy's, where shapes are not known.

An element, a sum and what is computed from them alone are scalars, which nothing writes: `s += 1` makes a new number of a number,
and writes an array in place. It hangs on the rank of x whether `x[0]` is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..graph import Value
from .abstract import ARRAY, ARRAYS, ELEMENTS, NUMBERS, SCALAR, Kinds, Ranks

Conditions = frozenset[tuple[Value | None, int | None]]
"""Arguments with the rank that each must have; one with None must be a number of NumPy's itself. No argument: never known."""
SURE: Conditions = frozenset()
NEVER: Conditions = frozenset(((None, 0),))
"""A number or an array, which nothing tells: what a loop begins with a number and goes on with as an array."""
SCALARS: Kinds = NUMBERS | {SCALAR}


def at_ranks(kinds: Kinds, ranks: Ranks | None, least: Mapping[Any, int]) -> Conditions | None:
    """When what has one of these ranks is a number; None: it is an array. `least`: how many axes an argument has at least.

    An array that a ufunc takes is one with axes, unless more is known.
    """
    if ranks is None:
        return NEVER
    arrays = [any(k is not None and (a is None or k <= 0 or k < least.get(a, 0)) for a, k in terms) for terms in ranks]
    if all(arrays) and kinds <= ARRAYS | ELEMENTS:
        return None
    return NEVER if any(arrays) or ARRAY in kinds else frozenset().union(*ranks)


def every(found: Iterable[Conditions | None]) -> Conditions | None:
    """When all of several are numbers."""
    made = SURE
    for conditions in found:
        if conditions is None:
            return None
        made |= conditions
    return made
