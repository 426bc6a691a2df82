"""Truths: which of Python's own truths a value may be where compiled code runs as it is, as under `jax.disable_jit`.

There tests and loops hand on what they are given: `~` of an array of booleans is its opposite, and of Python's True it is -2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph import Value
from .fixpoint import Fixpoint
from .flow import Flow
from .same import handed

Truth = frozenset[bool]
_BOTH: Truth = frozenset((False, True))
_NONE: Truth = frozenset()


class Truths:
    """Answers for the values of a program. `numbers`: whether an op makes what is Python's of what is Python's."""

    def __init__(self, flow: Flow, numbers: Callable[[Value], bool]) -> None:
        self._flow, self._numbers = flow, numbers
        self._found = Fixpoint[Truth](self._parts, self._truths, _NONE, _BOTH)

    def of(self, leaf: Any) -> Truth:
        """Those that it may be; none of an array."""
        return self._found.of(leaf) if type(leaf) is Value else _constant(leaf)

    def _parts(self, value: Value) -> list[Value]:
        return [leaf for leaf in handed(value, self._flow) or () if type(leaf) is Value]

    def _truths(self, value: Value) -> Truth:
        given = handed(value, self._flow)
        if given is None:
            return _BOTH if self._numbers(value) else _NONE
        return _NONE.union(*[self._found.now(leaf) if type(leaf) is Value else _constant(leaf) for leaf in given])


def _constant(leaf: Any) -> Truth:
    return frozenset((leaf,)) if type(leaf) is bool else _NONE
