"""Casting in place: what the arguments of a capture have to hold, where an array of an open dtype is written. Stated as guards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any, Protocol

from gfx_ir import dtypes, ops
from gfx_ir.build import either
from gfx_ir.dtypes import DType, holds
from gfx_ir.errors import GfxError
from gfx_ir.graph import Graph, Value, values_in
from gfx_ir.infer.abstract import Terms
from gfx_ir.op import Trait
from gfx_ir.passes.moves import relink
from gfx_ir.program import HELD, Guard
from gfx_ir.promotion import as_type
from gfx_ir.rules import UNKNOWN
from gfx_ir.source import Span
from gfx_ir.trees import tree_map
from gfx_ir.types import LogicalTensor

from .interfaces import Assuming
from .record import Record

_NUMBERS = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
_LOW = (dtypes.bool_, dtypes.int64)
_WHOLE = dtypes.DTYPES["uint8"]  # what every array of whole numbers holds
_NO_NAMES: frozenset[str] = frozenset()
_REFUSED = (GfxError, TypeError, ValueError, IndexError, AttributeError)


def higher(a: DType, b: DType) -> DType:
    """The dtype of the higher kind."""
    return a if holds(a, b) else b


def _check(guard: Guard, x: Value | None) -> None:
    """The line of a guard in the source, for an argument that is there."""
    if x is not None:
        holds_ = ops.can_cast(guard.value, ops.dtype_of(x), guard.kind == "holds_signed")
        ops.check(holds_, "", "AssertionError")


def lower(a: DType, b: DType) -> DType:
    """The dtype of the lower kind."""
    return b if holds(a, b) else a


def _higher(a: Terms, b: Terms) -> bool:
    """Whether one rank is surely above another, which follows from that of one argument."""
    if len(b) != 1:
        return False
    ((argument, fewer),) = b
    return fewer is not None and any(x is argument and k is not None and k < fewer for x, k in a)


class Capture(Protocol):
    """What is asked of the capture at work."""

    graph: Graph
    stack: list[tuple[Graph, dict[Value, Value]]]
    record: Record

    @property
    def assumed(self) -> Assuming:
        """What was taken as given."""

    def span(self) -> Span | None:
        """The author's place."""


class Castable:
    """The arguments of a capture whose dtypes arrays have that are written in place."""

    def __init__(self, tracer: Capture) -> None:
        self.tracer = tracer
        self.alone: dict[Value, tuple | None] = {}
        self.made: dict[Value, frozenset[str]] = {}
        self.known: dict[Value, tuple[frozenset[str], DType]] = {}

    def require(self, base: Value, new: Value, other: Value | None, signs: bool) -> None:
        """Take it as given that an array can be written with what one op makes of it, where that hangs on dtypes that are open."""
        beside = new if other is None else other
        if other is not None and self.made_of(other) <= self.made_of(base):
            return  # of one dtype, where the arguments are
        into = self.tracer.record.dtype(base)
        if into is not None:
            self._guard("held", self.sources(beside), into)
            return
        held, kind = self.sources(base), "holds_signed" if signs else "holds"
        found = self._too_high(base, new)
        self._guard(kind, held, found)
        if found is not None and found != _WHOLE:
            return
        if other is not None and self.tracer.record.dtype(beside) is None and not self.sources(beside) <= held:
            self._guard(kind, held, ", ".join(sorted(self.sources(beside))))

    def outranks(self, new: Value, base: Value) -> bool:
        """Whether a value surely has more axes than another, whatever the arguments have."""
        more, fewer = (self.tracer.record.ranks_of(x) for x in (new, base))
        return bool(more and fewer) and all(_higher(a, b) for a in more or () for b in fewer or ())

    def own_dims(self, value: Value) -> tuple | None:
        """The dims of a value that its type has, or that the op tells whose elements it has, whatever that is given."""
        record, passed = self.tracer.record, list[Value]()
        found, top = None, record.facts.root(value)
        while top not in self.alone:
            passed.append(top)
            given = record.given(top)
            tensors = self._parts(top)
            if given is not None:
                found = given.dims
                break
            if not top.node.op.traits & Trait.ELEMENTWISE or len(tensors) != 1:
                found = self._alone(top)
                break
            top = record.facts.root(tensors[0])
        else:
            found = self.alone[top]
        self.alone.update(dict.fromkeys(passed, found))
        return found

    def _alone(self, value: Value) -> tuple | None:
        """The dims that an op gives of tensors of which nothing is known."""
        unknown = tree_map(lambda x: UNKNOWN if type(x) is Value and x.is_tensor else x, value.node.args)
        made = self._inferred(value, unknown)
        return None if made is None else made.dims

    def _inferred(self, value: Value, args: tuple) -> LogicalTensor | None:
        if value.node.regions or (value.node.op.infer is None and value.node.op.body is None):
            return None
        try:
            made = self.tracer.record.rules.infer(value.node.op, args)[value.index - 1]
        except _REFUSED:
            return None
        return made if isinstance(made, LogicalTensor) else None

    def _guard(self, kind: str, subject: frozenset[str], value: DType | str | None) -> None:
        if subject and value:
            self.tracer.assumed.guard(Guard(kind, ", ".join(sorted(subject)), value, self.tracer.span()))

    def _too_high(self, base: Value, new: Value) -> DType | None:
        """The highest dtype that an op gives of arrays of a low one, which these could not hold."""
        found = None
        for open_ in _LOW:
            at_least = lambda value, open_=open_: higher(self.lowest(value), open_)
            made, old = self._given(new, at_least), at_least(base)
            if made is not None and not holds(old, made):
                found = _WHOLE if made.kind == "i" else made
        return found

    def _given(self, new: Value, dtype_of: Callable[[Value], DType]) -> DType | None:
        """The dtype that an op gives where its tensors have these; None where that is not told."""
        record = self.tracer.record

        def typed(leaf: Any) -> Any:
            if type(leaf) is not Value:
                return leaf
            kind = record.weak(leaf) if leaf.is_tensor else leaf.kind
            if kind in _NUMBERS:
                return as_type(_NUMBERS[kind], record.rules.promotion)
            return LogicalTensor(record.dtype(leaf) or dtype_of(leaf)) if leaf.is_tensor else leaf

        made = self._inferred(new, tree_map(typed, new.node.args))
        return None if made is None else made.dtype

    def made_of(self, value: Value) -> frozenset[str]:
        """The names of the arguments that a value is made of."""
        root, known = self.tracer.record.facts.root, self.made
        value = root(value)
        if value in known:
            return known[value]
        arguments, parts = self._arguments(), {value: [root(part) for part in self._parts(value)]}
        waiting = [value]
        while waiting:
            missing = [part for part in parts[waiting[-1]] if part not in known and part not in parts]
            for part in missing:
                parts[part] = [root(inner) for inner in self._parts(part)]
            waiting += missing
            if not missing:
                top = waiting.pop()
                own = top.node.args[:1] if top in arguments else ()
                known[top] = frozenset(own).union(*[known.get(part, _NO_NAMES) for part in parts[top]])
        return known[value]

    def sources(self, value: Value) -> frozenset[str]:
        """The names of the arguments whose dtypes a value has, if its own is not known."""
        return self._of(value)[0]

    def lowest(self, value: Value) -> DType:
        """The dtype that a value has where all these arguments are booleans."""
        return self._of(value)[1]

    def _of(self, value: Value) -> tuple[frozenset[str], DType]:
        record, known = self.tracer.record, self.known
        root, arguments = record.facts.root, self._arguments()
        waiting = [root(value)]
        while waiting:
            top = waiting[-1]
            dtype = record.dtype(top)
            parts = [] if dtype is not None else [root(part) for part in self._parts(top)]
            missing = [part for part in parts if part not in known and part not in waiting]
            waiting += missing
            if not missing:
                own = top.node.args[:1] if top in arguments and dtype is None else ()
                names = frozenset(own).union(*[self._known(part)[0] for part in parts])
                known[top] = names, dtype or self._begun(top) or dtypes.bool_
                waiting.pop()
        return known[root(value)]

    def _known(self, part: Value) -> tuple[frozenset[str], DType]:
        return self.known.get(self.tracer.record.facts.root(part), (frozenset(), dtypes.bool_))

    def _begun(self, value: Value) -> DType | None:
        """The lowest dtype of what an op gives, of what a test leaves on a side, or of what a loop begins with."""
        if value not in self.tracer.record.begins and not value.node.regions:
            return self._given(value, lambda part: self._known(part)[1])
        found = [self._known(part)[1] for part in self._parts(value)]
        return reduce(lower, found) if found else None

    def _parts(self, value: Value) -> list[Value]:
        """The tensors that a value is made of; of what a loop carries, what that begins with, of a test, what its sides leave."""
        record = self.tracer.record
        begins = value in record.begins
        found = (record.begins[value],) if begins else tuple(record.sides(value)) or value.node.args
        return [leaf for leaf in values_in(found) if leaf.is_tensor]

    def _arguments(self) -> frozenset[Value]:
        tracer = self.tracer
        outermost = tracer.stack[0][0] if tracer.stack else tracer.graph
        return frozenset(value for value in outermost.placeholders if value.is_tensor)

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
