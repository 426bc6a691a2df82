"""Bound: how far a size may be open where code is refused with any."""

from __future__ import annotations

from math import lcm
from typing import NamedTuple


class Bound(NamedTuple):
    """How far a size may be open: from `least` to `most` (None: without end), and where it is a multiple of `step`."""

    least: int = 1
    most: int | None = None
    step: int = 1

    def takes(self, size: int) -> bool:
        """Whether it may be this one."""
        return size % self.step == 0 and size >= self.least and (self.most is None or size <= self.most)

    def narrowed(self, to: Bound) -> Bound:
        """What is left of it where the size, over its step, is open as far as `to` says."""
        most = None if to.most is None else to.most * self.step
        return self.met(Bound(to.least * self.step if to.least > 1 else 1, most, self.step * to.step))

    def met(self, other: Bound) -> Bound:
        """How far a size may be open that is within both."""
        most = min((end for end in (self.most, other.most) if end is not None), default=None)
        return Bound(max(self.least, other.least), most, lcm(self.step, other.step))

    def told(self) -> str:
        """It in words; "" where it says nothing."""
        several = f"a multiple of {self.step}" if self.step > 1 else ""
        ends = f"at least {self.least}" if self.least > 1 else "", "" if self.most is None else f"at most {self.most}"
        return " and ".join(filter(None, (several, *ends)))
