"""Tests that are told at capture: whether they hold for all inputs, by what the record has of their content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gfx_ir.graph import Value
from gfx_ir.infer.sequences import as_truth

from .record import Record


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
