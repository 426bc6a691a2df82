"""Tests that are told at capture: whether they hold for all inputs, by what the record has of their content, and by bounds of sizes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gfx_ir.control import host_operator
from gfx_ir.graph import Value
from gfx_ir.host import Dim, Expr, bounds, compared, divide, sub
from gfx_ir.infer.sequences import as_truth
from gfx_ir.python_numbers import COMPARISONS

from .record import Record

_SIGNS = COMPARISONS - {"not"}


class Decided:
    """The tests of one capture."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.loops = 0  # how many tests of loops are being asked

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Inside, nothing is told: a loop whose first test is would be run trip by trip at capture."""
        self.loops += 1
        try:
            yield
        finally:
            self.loops -= 1

    def truth(self, value: Value) -> bool | None:
        """Whether a test holds for all inputs, or for none; None where that is not told."""
        return None if self.loops else as_truth(self.record.content(value))

    def number(self, value: Value) -> int | None:
        """The whole number that the one element of a tensor is for all inputs; None where that is not told."""
        held = None if self.loops else self.record.content(value)
        if not isinstance(held, np.ndarray) or held.size != 1:
            return None
        number = held.item()
        return int(number) if number == int(number) else None

    def of_sizes(self, value: Value) -> bool | None:
        """Whether a test of Python's numbers holds for all sizes that the arguments may have, or for none; None where that is not told."""
        sign = "!=" if value.kind == "int" else host_operator(value.node)
        if self.loops or sign is None or sign not in _SIGNS:
            return None
        a, b = (value, 0) if value.kind == "int" else value.node.args[1]
        if type(a) is type(b) is tuple:
            return self._of_shapes(a, b, sign)
        sides = self._size(a), self._size(b)
        return None if None in sides else compared(sign, *sides)

    def _of_shapes(self, a: tuple, b: tuple, sign: str) -> bool | None:
        """Whether two tuples of sizes are, or are not, the same."""
        sizes = [(self._size(x), self._size(y)) for x, y in zip(a, b)]
        if sign not in ("==", "!=") or any(None in pair for pair in sizes):
            return None
        same = [len(a) == len(b), *(compared("==", *pair) for pair in sizes)]
        equal = False if False in same else None if None in same else True
        return equal if equal is None or sign == "==" else not equal

    def trips(self, start: Any, stop: Any, step: Any) -> int | None:
        """How many numbers a range has, where that is the same for all sizes that the arguments may have; None where it is not told."""
        a, b, by = (self._size(part) for part in (start, stop, step))
        if None in (a, b, by):
            return None
        length = sub(b, a)
        if type(length) is type(by) is int:
            return len(range(0, length, by)) if by else None
        least, count = bounds(by)[0], divide(length, by)
        return count if type(count) is int and count >= 0 and least is not None and least > 0 else None

    def _size(self, part: Any) -> Any:
        """A number in terms of sizes that are open; None where it is none of these."""
        known = self.record.facts.root(part).type if type(part) is Value and part.kind == "int" else part
        return known if type(known) in (int, Dim, Expr) else None
