"""Families of small programs: each state of Python's, in each way that code uses it, in each place of control flow, against plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from family_checks import Program, filled, run_families
from fuzz_families_parts import CHOICES, HELPERS, PLACES, STATES, USES


def written() -> Iterator[Program]:
    """A state, changed in a place, and asked behind it."""
    for (state, (made, use, told)), (place, body) in itertools.product(STATES.items(), PLACES.items()):
        yield Program(f"{state} {place}", HELPERS + filled(body, MADE=made, USE=use, TOLD=told))


def chosen() -> Iterator[Program]:
    """One of two objects, as an open test says, and a use of it."""
    for (choice, (first, second)), (use, text) in itertools.product(CHOICES.items(), USES.items()):
        for kind, body in (("statement", _STATEMENT), ("expression", _EXPRESSION)):
            yield Program(f"{choice} {use} {kind}", HELPERS + filled(body, FIRST=first, SECOND=second, USE=text))


_STATEMENT = """
def f(x, n: int):
    s = FIRST
    r = s
    if n > 1:
        r = SECOND
    return x * (USE)
"""
_EXPRESSION = """
def f(x, n: int):
    s = FIRST
    r = s if n < 2 else SECOND
    return x * (USE)
"""


if __name__ == "__main__":
    raise SystemExit(run_families({"written": written, "chosen": chosen}, (HELPERS,), __doc__))
