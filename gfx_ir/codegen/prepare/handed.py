"""What the functions of a program hand each other, found before rewrites of one graph after the other ask for it."""

from __future__ import annotations

from ...dtypes import framework_of
from ...infer.handed import Handed
from ...program import Program
from .base import HANDED, Emission, Lowering


class FindHanded(Lowering):
    """Edits nothing: leaves HANDED, which those passes require that ask for facts."""

    name = "handed"

    def lower(self, program: Program, emission: Emission) -> None:
        """Find it for the program as it is now."""
        across = framework_of(program.promotion) != emission.backend.promotion
        found = Handed(program.entry, program.functions, program.promotion, emission.style.of_numbers, across)
        program.entry.set_not_owned(HANDED, found)
