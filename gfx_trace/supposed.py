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
from gfx_ir.infer.abstract import NUMBERS, Abstract, tensor
from gfx_ir.passes.moves import relink
from gfx_ir.program import HELD, Guard
from gfx_ir.promotion import as_type
from gfx_ir.source import Span
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

from .interfaces import Assuming
from .record import Record

_NUMBERS = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
_FLOAT, _INT, _BOOL = dtypes.float32, dtypes.int64, dtypes.bool_
_UNIFORM = ((_FLOAT, 2), (_INT, 1), (_BOOL, 3))
"""A dtype and a rank, that of every argument."""
_SIZE = 5040
"""Sizes are multiples of what many numbers divide, each axis has its own: of open dims shape rules assume that they are one."""
_BITS = 2
_WHOLE = dtypes.DTYPES["uint8"]  # what every array of whole numbers holds


class Supposed(Record):
    """The record of a capture under a supposition about the types of its arguments."""

    def __init__(self, record: Record, element: Callable[[Value], DType], rank: int, open_sizes: bool = True) -> None:
        """`open_sizes`: shapes agree wherever they must; else all arguments have one shape."""
        super().__init__(record.facts, record.rules.promotion, record.is_argument, self.supposed)
        self.told, self.like, self.rows_of, self.begins = record.told, record.like, record.rows_of, record.begins
        self.typed, self.element, self.axes, self.open = record.type_of, element, rank, open_sizes

    def supposed(self, value: Value) -> LogicalTensor | None:
        """The type that the capture knows, filled up for an argument."""
        known = self.typed(value) or LogicalTensor()
        if not self.is_argument(value):
            return known
        dims = known.dims
        if dims is None:
            dims = tuple(None if self.open else _SIZE * axis for axis in range(1, self.axes + 1))
        return LogicalTensor(known.dtype or self.element(value), dims, weak=known.weak)

    def made(self, new: Value) -> LogicalTensor:
        """The type of what is about to be written in place: behind the write it is that of the array."""
        found = self.of(new).type
        self.known.pop(self.facts.root(new))
        return found

    def _begins(self, value: Value) -> Any:
        """What a loop begins with, of what it carries or leaves; None for any other value."""
        node, begins = value.node, self.begins.get(value)
        if begins is None and "init" in node.op.params and 0 < value.index <= len(node.arg("init")):
            begins = node.arg("init")[value.index - 1]
        return begins

    def _parts(self, value: Value) -> list[Value]:
        begins = self._begins(value)
        if begins is None:
            return super()._parts(value)
        return [self.facts.root(leaf) for leaf in leaves(begins) if type(leaf) is Value and leaf.is_tensor]

    def _made(self, value: Value) -> Abstract:
        begins = self._begins(value)
        if begins is None or value in self.told:
            return super()._made(value)
        if type(begins) is Value and begins.is_tensor:
            return self.known[self.facts.root(begins)]
        return tensor(as_type(begins, self.rules.promotion)) if isinstance(begins, (bool, int, float)) else tensor()

    def _seen(self, leaf: Any) -> Any:
        """Numbers of Python's give way to the dtypes that they meet."""
        if type(leaf) is not Value:
            return leaf
        kind = self.known[self.facts.root(leaf)].kind if leaf.is_tensor else leaf.kind if leaf.kind != "int" else ""
        return as_type(_NUMBERS[kind], self.rules.promotion) if kind in NUMBERS else super()._seen(leaf)


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
        self.alike = [Supposed(tracer.record, partial(_same, _FLOAT), rank, False) for _, rank in _UNIFORM]
        self.mixed = [
            Supposed(tracer.record, partial(_either, bit, side), 1) for bit in range(_BITS) for side in (0, 1)
        ]

    def keeps_shape(self, base: Value, new: Value) -> bool:
        """Whether what is made of an array has its shape where all arguments have one shape."""
        pairs = [(case.of(base).type.dims, case.made(new).dims) for case in self.alike]
        told = [(a, b) for a, b in pairs if a is not None and b is not None]  # a rank may be none that the code takes
        return any(len(a) == len(b) and all(map(_fits, a, b)) for a, b in told)

    def require_dtype(self, base: Value, new: Value, other: Value | None, signs: bool) -> None:
        """Take it as given that an array can be written with what is made of it, where that hangs on the dtypes of arguments."""
        found = self._too_high(self.uniform, base, new)
        if found is None or len({case.of(base).type.dtype for case in self.uniform}) == 1:
            several = len(self._arguments()) > 1
            if found is None and (not several or self._too_high(self.mixed, base, new) is None):
                return
            found = None
        beside = new if other is None else other
        to = self._as_argument(base) or self._sources(base)
        of = found or self._as_argument(beside) or self._sources(beside)
        into = self.tracer.record.of(base).type.dtype
        if to and of:
            self.tracer.assumed.guard(Guard("holds_signed" if signs else "holds", to, of, self.tracer.span()))
        elif into is not None and isinstance(of, str) and of:
            self.tracer.assumed.guard(Guard("held", of, into, self.tracer.span()))

    @staticmethod
    def _too_high(cases: Sequence[Supposed], base: Value, new: Value) -> DType | None:
        """The highest dtype that an array would be written with and cannot hold."""
        types = [(case.of(base).type.dtype, case.made(new).dtype) for case in cases]
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
        own = [case.of(value).type.dtype for case in cases]
        names = (a.node.args[0] for a in self._arguments() if [case.of(a).type.dtype for case in cases] == own)
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
