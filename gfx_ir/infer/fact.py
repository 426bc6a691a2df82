"""A fact: what the program as it is emitted has at one place, an element of the lattice that `Facts` solves its equations in."""

from __future__ import annotations

from typing import NamedTuple

from .abstract import ARRAYS, NUMBERS, Kinds
from .elements import ANYTHING, NOTHING, UNTOLD, Elements


class Fact(NamedTuple):
    """What is known of a value. `kinds`: what Python may have there; `elements`: the dtypes that it may have; `bare`: whether it may
    be a number where the program is called with numbers in the places of arrays; `first`: whether it may be one at first, until
    the target has settled the loops around it."""

    kinds: Kinds
    elements: Elements
    bare: bool = False
    first: bool = False


def either(a: Fact, b: Fact) -> Fact:
    """What holds of one of the two."""
    return Fact(a.kinds | b.kinds, a.elements | b.elements, a.bare or b.bare, a.first or b.first)


BOTTOM = Fact(frozenset(), NOTHING)
TOP = Fact(ARRAYS | NUMBERS, ANYTHING, True, True)
HOST = Fact(frozenset(("other",)), UNTOLD, True)
"""A host value that is no number."""
