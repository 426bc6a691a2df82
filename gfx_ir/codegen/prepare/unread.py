"""Arguments of functions that no body reads, as devices where the target has none, are not given."""

from __future__ import annotations

from ...passes.dead_arguments import drop_unread
from ...program import Program
from .base import Emission, Lowering


class Unread(Lowering):
    """Functions take what their bodies read."""

    name = "unread"

    def lower(self, program: Program, emission: Emission) -> None:
        """Take the others from the functions, and from the calls of them."""
        drop_unread(program)
