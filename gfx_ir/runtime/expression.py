"""Expression: ops applied to values that are not data yet, and how all that one value needs is evaluated at once."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Hashable, Sequence
from typing import Any

from ..applied import Typed
from ..copies import copy_program
from ..errors import GfxError
from ..graph import Graph, Node
from ..infer import retype
from ..keys import constant_key, tree_key
from ..op import OpDef
from ..program import Program
from ..reach import needed_first
from ..source import Span
from ..trees import leaves, tree_map
from .application import Application
from .cache import Cache
from .device import Executable
from .dispatch import Dispatch

UNSET = object()
_WORTH = 4  # ops of an expression that is worth compiling once it is met again
_SEEN = 1024
_MANY = 64


class Deferred(Typed):
    """One result of an expression, or data that one begins with. `handle` is the Value that users hold, as long as they do."""

    __slots__ = ("application", "data", "handle", "users")

    def __init__(self, type_: Any, application: Expression | None = None, data: Any = UNSET) -> None:
        self.kind, self.type = "tensor", type_
        self.application, self.data = application, data
        self.handle: Any = None
        self.users: list[Any] = []

    def hand_over(self, value: Any) -> None:
        """Let another Value be the one that users hold."""
        self.handle = weakref.ref(value)

    def taken_by(self, user: Expression) -> None:
        """Note an expression that takes it."""
        if len(self.users) >= _MANY:
            self.users = [ref for ref in self.users if ref() is not None]
        self.users.append(weakref.ref(user))

    def asked(self, inside: set[Expression]) -> bool:
        """Whether someone may ask for it who is not among these."""
        if self.handle is not None and self.handle() is not None:
            return True
        return any(user is not None and user not in inside for user in (ref() for ref in self.users))


class Expression(Application):
    """An op on Deferred values. `forward` gives futures of its results."""

    __slots__ = ("builder", "__weakref__")

    values: tuple[Deferred, ...]

    def __init__(self, builder: Any, op: OpDef, args: tuple, types: Sequence[Any], span: Span | None) -> None:
        super().__init__(op, args, span)
        self.builder = builder
        self.values = tuple([Deferred(type_, self) for type_ in types])
        for leaf in leaves(args):
            if type(leaf) is Deferred:
                leaf.taken_by(self)

    def forward(self) -> tuple[Any, ...]:
        """Values that are computed once they are asked for."""
        return tuple([self.builder.future(deferred) for deferred in self.values])


def users_line() -> Span | None:
    """The line of the innermost frame that is not GFX's own."""
    frame: Any = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "gfx_ir":
        frame = frame.f_back
    return None if frame is None else Span(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


class Evaluator:
    """Evaluates expressions on one device: node by node at first, compiled where the same one is met again."""

    def __init__(self, dispatch: Dispatch) -> None:
        self.dispatch = dispatch
        self.compiled: Cache[Any] = Cache(256)
        self._seen: dict[Hashable, None] = {}

    def run(self, wanted: Deferred) -> None:
        """Compute what a value needs, each once. What others may ask for, too, stays."""
        assert wanted.application is not None
        order = needed_first(wanted.application, _needed)
        inside = set(order)
        kept = [d for e in order for d in e.values if d is wanted or d.asked(inside)]
        if len(order) < _WORTH or not self._as_one(order, kept):
            self._one_by_one(order, kept)
        for deferred in kept:
            deferred.application = None

    def _one_by_one(self, order: list[Expression], kept: list[Deferred]) -> None:
        last = {leaf: e for e in order for leaf in leaves(e.args) if type(leaf) is Deferred}
        ends: dict[Expression, list[Deferred]] = {}
        for leaf, e in last.items():
            ends.setdefault(e, []).append(leaf)
        staying = set(map(id, kept))
        for e in order:
            args = tree_map(lambda leaf: leaf.data if type(leaf) is Deferred else leaf, e.args)
            try:
                found = self.dispatch.run(e.op, args)
            except Exception as error:
                if e.span is not None:
                    error.add_note(f"in {e.span.place()}: {e.span.text}")
                raise
            for deferred, x in zip(e.values, (found,) if len(e.values) == 1 else found):
                deferred.data = x
            for leaf in ends.get(e, ()):
                if leaf.application is not None and id(leaf) not in staying:
                    leaf.data = UNSET

    # ------------------------------------------------------------------ compiled
    def _as_one(self, order: list[Expression], kept: list[Deferred]) -> bool:
        """Whether it was evaluated as one function."""
        starts, key = _structure(order, kept)
        if key not in self._seen:
            if len(self._seen) >= _SEEN:
                self._seen.clear()
            self._seen[key] = None
            return False
        code = self.compiled.get(key, lambda: self._compile(order, kept, starts) or _NOTHING)
        if code is _NOTHING:
            return False
        try:
            found = code.run([start.data for start in starts], {}, None)
        except Exception:  # which op it was is told node by node
            return False
        for deferred, x in zip(kept, found):
            deferred.data = x
        return True

    def _compile(self, order: list[Expression], kept: list[Deferred], starts: list[Deferred]) -> Executable | None:
        graph, made = Graph("expression"), dict[Deferred, Any]()
        for at, start in enumerate(starts):
            made[start] = graph.add_placeholder(f"x{at}", "tensor", start.type)
        for e in order:
            args = tree_map(lambda leaf: made[leaf] if type(leaf) is Deferred else leaf, e.args)
            node = graph.append(Node(e.op, args, ("tensor",) * len(e.values), e.span))
            made.update(zip(e.values, node.values))
        graph.result = tuple([made[deferred] for deferred in kept])
        program = copy_program(Program(graph, promotion=self.dispatch.promotion, flavour=self.dispatch.promotion))
        try:
            retype(program)
            return self.dispatch.place.compile(program, ())
        except GfxError:
            return None


_NOTHING = object()


def _needed(e: Expression) -> list[Expression]:
    found = (leaf for leaf in leaves(e.args) if type(leaf) is Deferred and leaf.data is UNSET)
    return [leaf.application for leaf in found if leaf.application is not None]


def _structure(order: list[Expression], kept: list[Deferred]) -> tuple[list[Deferred], Hashable]:
    """The values that it begins with, and a key that is equal for equal expressions."""
    numbers: dict[Any, int] = {}
    starts: list[Deferred] = []

    def leaf_key(leaf: Any) -> Hashable:
        if type(leaf) is not Deferred:
            return constant_key(leaf)
        if leaf not in numbers:
            numbers[leaf] = len(numbers)
            starts.append(leaf)
            return "start", leaf.type
        return "%", numbers[leaf]

    rows = []
    for e in order:
        rows.append((e.op, tree_key(e.args, leaf_key)))
        for deferred in e.values:
            numbers[deferred] = len(numbers)
    return starts, (tuple(rows), tuple([numbers[deferred] for deferred in kept]))
