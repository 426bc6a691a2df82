"""Suppositions: what values are where all that is open has one dtype and rank. What holds under each of them needs no check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

from gfx_ir import dtypes, ops
from gfx_ir.dtypes import DType, holds
from gfx_ir.graph import Graph, Value
from gfx_ir.host import same
from gfx_ir.infer.demand import Rule
from gfx_ir.passes.moves import relink
from gfx_ir.program import HELD, Guard
from gfx_ir.source import Span
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

from .interfaces import Assuming
from .record import Record

_FLOAT, _INT, _BOOL = dtypes.float32, dtypes.int64, dtypes.bool_
_UNIFORM = ((_FLOAT, 2), (_INT, 1), (_BOOL, 3))
"""A dtype and a rank, that of every argument."""
_SIZE = 5040
"""Sizes are multiples of what many numbers divide, each axis has its own: of open dims shape rules assume that they are one."""
_LAYERS = (3, 4)  # ranks of what convolutions take
_BITS = 2
_WHOLE = dtypes.DTYPES["uint8"]  # what every array of whole numbers holds


class Supposed(Record):
    """The record of a capture under a supposition about the types of its arguments."""

    def __init__(self, record: Record, element: Callable[[Value], DType], rank: int, channels: bool = False) -> None:
        """All arguments have one shape; `channels`: as many along axis 1 as a layer takes."""
        super().__init__(record.facts, record.rules.promotion, record.is_argument, record.type_of)
        self.plain, self.rules = record, record.rules
        self.stated, self.like, self.rows_of, self.begins = record.stated, record.like, record.rows_of, record.begins
        self.one, self.axes, self.channels = element, rank, channels

    def given(self, value: Value) -> LogicalTensor | None:
        """The type that the capture knows, filled up for an argument."""
        known = super().given(value)
        if not self.is_argument(value):
            return known
        known = known or LogicalTensor()
        dims = known.dims
        if dims is None:
            sizes = [_SIZE * axis for axis in range(1, self.axes + 1)]
            dims = tuple([None if self.channels and axis == 1 else size for axis, size in enumerate(sizes)])
        return LogicalTensor(known.dtype or self.one(value), dims, weak=known.weak)

    def _element(self, value: Value) -> Rule:
        """What is known without a supposition holds under it."""
        plain = self.plain.element
        known = plain.ask(value) if value.node.op.name == "parameter" else plain.known.get(value)
        return known if known is not None and known.dtype is not None else (yield from super()._element(value))

    def source(self, value: Value) -> Any:
        """Of what a loop carries or leaves also what it begins with."""
        node, found = value.node, self.like.get(value, self.begins.get(value))
        if found is None and "init" in node.op.params and 0 < value.index <= len(node.arg("init")):
            found = node.arg("init")[value.index - 1]
        return found

    def written_dtype(self, new: Value) -> DType | None:
        """The dtype of what is about to be written in place: behind the write it is that of the array."""
        found = self.dtype(new)
        if found is not None:
            self.element.known.pop(self.facts.root(new))
        return found

    def shape(self, value: Value) -> tuple | None:
        """The dims of a value."""
        found: tuple | None = self.dims.ask(self.facts.root(value))
        return found

    def written_shape(self, new: Value) -> tuple | None:
        """The dims of what is about to be written in place."""
        found = self.shape(new)
        if found is not None:
            self.dims.known.pop(self.facts.root(new))
        return found


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

    def outermost(self) -> AbstractContextManager[None]:
        """Inside, nodes are added to the captured function's own graph."""


class Suppositions:
    """The suppositions of a capture: one dtype and rank for all arguments, or a dtype for some of them and another for the rest."""

    def __init__(self, tracer: Capture) -> None:
        self.tracer = tracer
        self.sources: dict[Value, frozenset[str]] = {}
        self.uniform = [Supposed(tracer.record, partial(_same, element), rank) for element, rank in _UNIFORM]
        self.alike = [Supposed(tracer.record, partial(_same, _FLOAT), rank) for _, rank in _UNIFORM]
        self.layers = [Supposed(tracer.record, partial(_same, _FLOAT), rank, True) for rank in _LAYERS]
        self.mixed = [
            Supposed(tracer.record, partial(_either, bit, side), 1) for bit in range(_BITS) for side in (0, 1)
        ]

    def keeps_shape(self, base: Value, new: Value) -> bool:
        """Whether what is made of an array has its shape where all arguments have one shape."""
        for cases in (self.alike, self.layers):
            made = [(case, case.written_shape(new)) for case in cases]
            pairs = [(case.shape(base), dims) for case, dims in made if dims is not None]
            told = [(a, b) for a, b in pairs if a is not None]  # a rank may be none that the code takes
            if told:
                return any(len(a) == len(b) and all(map(_fits, a, b)) for a, b in told)
        return False

    def require_dtype(self, base: Value, new: Value, other: Value | None, signs: bool) -> None:
        """Take it as given that an array can be written with what is made of it, where that hangs on the dtypes of arguments."""
        found = self._too_high(self.uniform, base, new)
        if found is None or len({case.dtype(base) for case in self.uniform}) == 1:
            several = len(self._arguments()) > 1
            if found is None and (not several or self._too_high(self.mixed, base, new) is None):
                return
            found = None
        beside = new if other is None else other
        to = self._as_argument(base) or self._sources(base)
        of = found or self._as_argument(beside) or self._sources(beside)
        into = self.tracer.record.dtype(base)
        if to and of:
            self.tracer.assumed.guard(Guard("holds_signed" if signs else "holds", to, of, self.tracer.span()))
        elif into is not None and isinstance(of, str) and of:
            self.tracer.assumed.guard(Guard("held", of, into, self.tracer.span()))

    @staticmethod
    def _too_high(cases: Sequence[Supposed], base: Value, new: Value) -> DType | None:
        """The highest dtype that an array would be written with and cannot hold."""
        types = [(case.dtype(base), case.written_dtype(new)) for case in cases]
        found = [made for old, made in types if old is not None and made is not None and not holds(old, made)]
        highest = max(found, key=lambda made: "biufc".index(made.kind), default=None)
        return _WHOLE if highest is not None and highest.kind == "i" else highest

    def _outermost(self) -> Graph:
        tracer = self.tracer
        return tracer.stack[0][0] if tracer.stack else tracer.graph

    def _arguments(self) -> list[Value]:
        return [value for value in self._outermost().placeholders if value.is_tensor]

    def _as_argument(self, value: Value) -> str:
        """The name of an argument that has the dtype of a value in every case; "" where none has."""
        cases = (*self.uniform, *self.mixed)
        own = [case.dtype(value) for case in cases]
        names = (a.node.args[0] for a in self._arguments() if [case.dtype(a) for case in cases] == own)
        return next(names, "")

    def _sources(self, value: Value) -> str:
        """The names of the arguments that a value is made of: one of them has to have its dtype, or a higher one."""
        facts, known, waiting = self.tracer.record.facts, self.sources, [value]
        while waiting:
            root = facts.root(waiting[-1])
            parts = [facts.root(leaf) for leaf in leaves(root.node.args) if type(leaf) is Value and leaf.is_tensor]
            missing = [part for part in parts if part not in known and part is not root]
            waiting += missing
            if not missing:
                own = root.node.args[:1] if root.node.op.name == "placeholder" and root in self._arguments() else ()
                known[root] = frozenset((*own, *(name for part in parts for name in known.get(part, ()))))
                waiting.pop()
        return ", ".join(sorted(known[facts.root(value)]))

    def _required(self) -> list[Guard]:
        """The highest dtype that each argument has to hold, where that is not one of whole numbers: these lines the source has, too."""
        found: dict[str, Guard] = {}
        for guard in self.tracer.assumed.guards:
            single = ", " not in guard.subject
            if guard.kind in HELD and single and isinstance(guard.value, DType) and guard.value.kind in "fc":
                if guard.subject not in found or not holds(found[guard.subject].value, guard.value):
                    found[guard.subject] = guard
        return list(found.values())

    def state(self, graph: Graph) -> None:
        """Put what was required of arguments in front of a finished graph: it fails where another dtype would be computed."""
        first, last = graph.first, graph.last
        named = {value.node.args[0]: value for value in graph.placeholders}
        for guard in self._required():
            to = ops.dtype_of(named[guard.subject])
            ops.check(ops.can_cast(guard.value, to, guard.kind == "holds_signed"), "", "AssertionError")
            node = graph.last if last is None else last.next
            while node is not None:
                node.span, following = guard.span, node.next
                graph.detach(node)
                graph.insert(node, first)
                node = following
        relink(graph)


def _fits(size: Any, made: Any) -> bool:
    """Whether an axis is no smaller than the same axis of what is written: of other sizes than 1 the frameworks raise by themselves."""
    return size != 1 or same(size, made) is not False


def _same(element: DType, _: Value) -> DType:
    return element


def _either(bit: int, side: int, argument: Value) -> DType:
    """The dtype of one of several arguments: any two of them have two in one of the cases."""
    return (_FLOAT, _INT)[(_place(argument) >> bit & 1) ^ side]


def _place(argument: Value) -> int:
    assert argument.graph is not None
    return argument.graph.placeholders.index(argument)
