"""Compose: what bodies, or authors, wrote out becomes the one op again."""

from __future__ import annotations

from ..patterns import compose
from ..program import Program
from .base import Context, Pass


class Compose(Pass):
    """Puts softmax, layer_norm, gelu, attention, conv with its bias … in the place of what they are made of.

    Attribute `ops`: their names (None: all that can be composed). With `near` also forms that differ in rounding alone.
    """

    name = "compose"

    def run(self, program: Program, context: Context) -> bool:
        return compose(program, self.get("ops"), near=self.get("near", False)) > 0
