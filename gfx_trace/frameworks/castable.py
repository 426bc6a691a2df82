"""Casting in place: what the arguments of a capture have to hold, where an array of an open dtype is written. Stated as guards."""

from __future__ import annotations

from functools import partial

from gfx_ir import dtypes, ops
from gfx_ir.build import either
from gfx_ir.dtypes import DType, holds
from gfx_ir.graph import Graph, Value
from gfx_ir.infer.abstract import Terms
from gfx_ir.passes.moves import relink
from gfx_ir.program import HELD, Guard

from ..interfaces import Capturing
from ..values.dtype_sources import DtypeSources, higher

_LOW = (dtypes.bool_, dtypes.int64)
_WHOLE = dtypes.DTYPES["uint8"]  # what every array of whole numbers holds


def _check(guard: Guard, x: Value | None) -> None:
    """The line of a guard in the source, for an argument that is there."""
    if x is not None:
        holds_ = ops.can_cast(guard.value, ops.dtype_of(x), guard.kind == "holds_signed")
        ops.check(holds_, "", "AssertionError")


def _higher(a: Terms, b: Terms) -> bool:
    """Whether one rank is surely above another, which follows from that of one argument."""
    if len(b) != 1:
        return False
    ((argument, fewer),) = b
    return fewer is not None and any(x is argument and k is not None and k < fewer for x, k in a)


class Castable:
    """The arguments of a capture whose dtypes arrays have that are written in place."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer, self.sources = tracer, DtypeSources(tracer.record)

    def require(self, base: Value, new: Value, other: Value | None, signs: bool) -> None:
        """Take it as given that an array can be written with what one op makes of it, where that hangs on dtypes that are open."""
        beside = new if other is None else other
        if other is not None and self.sources.made_of(other) <= self.sources.made_of(base):
            return  # of one dtype, where the arguments are
        into = self.tracer.record.dtype(base)
        if into is not None:
            self._guard("held", self.sources.of(beside), into)
            return
        held, kind = self.sources.of(base), "holds_signed" if signs else "holds"
        found = self._too_high(base, new)
        self._guard(kind, held, found)
        if found is not None and found != _WHOLE:
            return
        if other is not None and self.tracer.record.dtype(beside) is None and not self.sources.of(beside) <= held:
            self._guard(kind, held, ", ".join(sorted(self.sources.of(beside))))

    def outranks(self, new: Value, base: Value) -> bool:
        """Whether a value surely has more axes than another, whatever the arguments have."""
        more, fewer = (self.tracer.record.ranks_of(x) for x in (new, base))
        return bool(more and fewer) and all(_higher(a, b) for a in more or () for b in fewer or ())

    def fits(self, new: Value, base: Value) -> bool:
        """Whether what is made of an array and of others surely has its shape, whatever the arguments have."""
        return self.sources.shaped_by(new) <= self.sources.shaped_by(base)

    def _guard(self, kind: str, subject: frozenset[str], value: DType | str | None) -> None:
        if subject and value:
            self.tracer.assumed.guard(Guard(kind, ", ".join(sorted(subject)), value, self.tracer.span()))

    def _too_high(self, base: Value, new: Value) -> DType | None:
        """The highest dtype that an op gives of arrays of a low one, which these could not hold."""
        found = None
        for open_ in _LOW:
            at_least = lambda value, open_=open_: higher(self.sources.lowest(value), open_)
            made, old = self.sources.given(new, at_least), at_least(base)
            if made is not None and not holds(old, made):
                found = _WHOLE if made.kind == "i" else made
        return found

    def _required(self) -> list[Guard]:
        """The highest dtype that each argument has to hold, where that is not one of whole numbers: these lines the source has, too."""
        found: dict[str, Guard] = {}
        for guard in self.tracer.assumed.guards:
            single = ", " not in guard.subject and guard.kind in HELD and guard.kind != "held"
            if single and isinstance(guard.value, DType) and guard.value.kind in "fc":
                if guard.subject not in found or not holds(found[guard.subject].value, guard.value):
                    found[guard.subject] = guard
        return list(found.values())

    def state(self, graph: Graph) -> None:
        """Put what was required of arguments in front of a finished graph: it fails where another dtype would be computed."""
        first, last = graph.first, graph.last
        named = {value.node.args[0]: value for value in graph.placeholders}
        for guard in self._required():
            either(named[guard.subject], partial(_check, guard))
            node = graph.last if last is None else last.next
            while node is not None:
                node.span, following = guard.span, node.next
                graph.detach(node)
                graph.insert(node, first)
                node = following
        relink(graph)
