"""Lowering: a pass that brings the printer's copy of a program nearer to what one target has."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...attributes import Attribute
from ...backend import Backend
from ...errors import GfxError
from ...graph import Graph
from ...infer.facts import Facts
from ...infer.handed import Handed
from ...passes import Context, Pass, PassError, PassRegistry
from ...program import Program
from ..style import Style
from ..unrolling import Unrolling
from .calls import bottom_up
from .numbered import Lists

HANDED = Attribute("handed", Handed, of_nodes=True)
"""What the graphs of the program hand each other, as it was when a pass found it; a copy has to find it anew."""
ORDER = Attribute("order", list, derived=True)
"""The graphs that the entry needs, callees first, the entry last."""

HOSTED = Attribute("hosted", frozenset, of_nodes=True)
"""The nodes that NumPy computes in the source of another framework; an attribute of the entry."""

LOWERINGS = PassRegistry("gfx.lowerings")
"""The passes that a target may list, and those of the packages that are installed with GFX."""


@dataclass
class Emission(Context):
    """What the passes of one emission share: whom they lower for. Unless it is `checked`, no pass tells whether it edited something,
    which would cost a walk each.

    `max_trips`: the trips that a loop which data ends is promised to take at most; `lists` are those of the parameter tree,
    `instances` the full paths of the parameters of one call of each function.
    """

    backend: Backend = field(kw_only=True)
    style: Style = field(kw_only=True)
    unrolling: Unrolling = field(kw_only=True)
    max_trips: int | None = field(kw_only=True)
    lists: Lists = field(kw_only=True)
    instances: dict[str, str] = field(kw_only=True)


class Lowering(Pass):
    """Subclass it, and say in `rewrite` what is done to one graph and its regions, callees first, or in `lower` what is done to the
    program. Its errors are those of the emission: they name the user's line."""

    preserves: tuple = (ORDER,)

    def run(self, program: Program, context: Context) -> bool:
        """Lower it; whether that edited it. Raises PassError where nothing says for which target."""
        if not isinstance(context, Emission):
            raise PassError(
                f"{self.name!r} lowers for a target", hint="Style.lowering lists it; emission runs that list"
            )
        before = program.version if context.checked else None
        self.lower(program, context)
        return before is None or program.version != before

    def lower(self, program: Program, emission: Emission) -> None:
        """Change the program in place."""
        for graph in order(program):
            self.rewrite(graph, program, emission)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Change one graph and its regions in place."""
        raise NotImplementedError

    def holders(self, program: Program) -> list[Graph]:
        """What has attributes: no region."""
        return program.graphs

    def failed(self, error: Exception, context: Context) -> Exception:
        """An error of the program that is written stays what it is."""
        return error if isinstance(error, GfxError) else super().failed(error, context)


def order(program: Program) -> list[Graph]:
    """The graphs that the entry needs, callees first, the entry last."""
    if not program.entry.has(ORDER):
        program.entry.set(ORDER, bottom_up(program.entry, program.functions))
    found: list[Graph] = program.entry.get(ORDER)
    return found


def facts_of(graph: Graph, program: Program, numbers: bool = False) -> Facts:
    """What is known of the values of a graph as it is now: of a pass that requires HANDED. `numbers`: see `Handed.facts`."""
    handed: Handed = program.entry.get(HANDED)
    return handed.facts(graph, numbers)
