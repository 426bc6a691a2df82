"""Calls that a framework's own tracer recorded, made again in the capture: as nodes, in the scopes of the author's calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import CodeType, FrameType
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.control import is_holder, is_parameter
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Value
from gfx_ir.making import Called
from gfx_ir.source import Scope
from gfx_ir.types import LogicalTensor

from ..interfaces import Capturing
from ..python.attempts import Mark, attempt
from ..values.proxy import Proxy


@dataclass(frozen=True)
class Place:
    """Where in a function that has returned something was called: what a capture asks of a frame."""

    f_code: CodeType
    f_globals: dict[str, Any]
    f_lasti: int = 0
    f_back: None = None

    @property
    def f_locals(self) -> dict[str, Any]:
        """Its variables are gone."""
        return {}


class Making:
    """See `gfx_ir.making.Making`."""

    def __init__(self, tracer: Capturing, backend: Backend) -> None:
        self._tracer, self._backend = tracer, backend
        self._site: FrameType | Place | None = tracer.site

    def call(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call at the place of the one that was recorded, which the framework has done: none of its nodes fails."""
        self._tracer.site = self._site  # type: ignore[assignment]  # what asks a tensor for an attribute leaves its own
        before = self._tracer.graph.last
        made = self._tracer.calls.call(fn, tuple(args), dict(kwargs))
        node = self._tracer.graph.last
        while node is not None and node is not before:
            self._tracer.raising.sound.add(node)
            node = node.prev
        return made

    def constant(self, x: Any) -> Any:
        """An array that the record holds."""
        return self._tracer.arrays.array_proxy(x)

    def attempt(self, work: Callable[[], Any]) -> Any:
        """What work() gives. Raises MissingOp where a call without a row is among it, held as it is or not, and what work raises."""
        return attempt(self._tracer, lambda mark: _held(mark, whole(mark, work())))

    @contextmanager
    def entered(self, call: Called) -> Iterator[None]:
        """Inside, nodes belong to a call."""
        tracer = self._tracer
        outer, before = tracer.scopes.scope, self._site
        tracer.site = before  # type: ignore[assignment]
        given = tuple((name, x.value) for name, x in call.given if type(x) is Proxy)
        path = call.path or (outer.path if outer is not None and call.kind == "function" else "")
        scope = Scope(call.name, call.kind, path, call.key, outer, tracer.span(), given, call.doc)
        tracer.within, self._site = scope, Place(call.code, call.names)
        try:
            yield
        finally:
            scope.left()
            tracer.within, self._site = outer, before

    def at(self, lasti: int) -> None:
        """The instruction that nodes are of, of the function that was entered."""
        if type(self._site) is Place:
            self._site = replace(self._site, f_lasti=lasti)

    def path(self, x: Any) -> str:
        """The path of a parameter, or of an array that is one."""
        if type(x) is not Proxy:
            return self._tracer.tensor_paths.get(id(x), "")
        value = x.value
        return value.node.args[0] if isinstance(value, Value) and is_parameter(value.node) else ""

    def type_of(self, x: Any) -> LogicalTensor | None:
        """What the record of the capture tells of a tensor."""
        if type(x) is not Proxy:
            return None
        record = self._tracer.record
        return LogicalTensor(record.dtype(x.value), record.told_dims(x.value))

    def named(self, x: Any, name: str) -> None:
        """Name the value of a node that has none yet."""
        value = x.value if type(x) is Proxy else None
        if isinstance(value, Value) and value.name is None and value.node.span is not None and name != "_":
            value.name = name


def whole(mark: Mark, made: Any) -> Any:
    """What was made since the mark. Raises MissingOp where a call without a row is among it."""
    lacking = list(mark.tracer.missing)[mark.missing :]
    if lacking:
        raise MissingOp(f"GFX has no row for {lacking[0]}")
    return made


def _held(mark: Mark, made: Any) -> Any:
    held = next((node for node in mark.nodes() if is_holder(node)), None)
    if held is not None:
        raise MissingOp(f"GFX has no row for {held.arg('target')}")
    return made
