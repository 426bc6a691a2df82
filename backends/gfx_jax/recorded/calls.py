"""A recording: the calls that run while JAX traces, as a tree, each with the variables that its equations define."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, TypeAlias

import jax

from gfx_ir.naming import called
from gfx_ir.source import docstring

from .modules import Leaves, arrays_in, arrays_of, documented
from .names import BATCHING, DERIVING, MOVING, code_of, defined, equations, hooks, variable

_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
Kind = Callable[[FrameType], "str | None"]
"""What a recording asks of the frame of a function that is no public one: "module", "function", or None where it is no scope."""


@dataclass(eq=False)
class Public:
    """A call of a function that has a row, and what it was given and gave, arrays of the trace among it; `at`: the
    instruction that made the call, of the function that was entered around it."""

    parent: Item | None
    function: Any
    args: tuple
    kwargs: dict
    result: Any = None
    at: int = 0


@dataclass(eq=False)
class Entered:
    """A call of a module or of a function of the user's. `given`: (name, argument) pairs."""

    parent: Item | None
    kind: str
    name: str
    code: CodeType
    given: list[tuple[str, Any]]
    owner: Any = None
    arrays: Leaves = ()
    doc: str = ""
    globals: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    at: int = 0


Item: TypeAlias = "Public | Entered"


@dataclass(eq=False)
class _Open:
    """A call that has not returned yet: where its equations are written, and how many there were."""

    frame: FrameType
    item: Item
    written: Any
    before: int
    outer: _Open | None


class Functions:
    """Public functions that have a row, by the code that a call of them begins with."""

    def __init__(self, functions: Mapping[Any, Any]) -> None:
        self.rows = functions
        self.by_code: dict[CodeType, Any] = {}
        shared = set[CodeType]()
        for f in functions:
            code = code_of(f)
            if code is not None and self.by_code.setdefault(code, f) is not f:
                shared.add(code)
        for code in shared:  # what several functions begin with tells none of them
            del self.by_code[code]


@dataclass
class Recording:
    """What was called: the innermost call that defines a variable, and what the author calls a variable."""

    functions: Functions
    kind: Kind
    owner: dict[Any, Item] = field(default_factory=dict)
    names: dict[Any, str] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)  # arrays of a trace have their variable as long as they live
    _open: _Open | None = None
    _passed: FrameType | None = None  # the outermost call that differentiates, or moves the axis of a batch

    def chain(self, variable: Any) -> list[Item]:
        """The calls that a variable is defined in, the outermost first."""
        found, item = list[Item](), self.owner.get(variable)
        while item is not None:
            found.append(item)
            item = item.parent
        return found[::-1]

    # ------------------------------------------------------------------ what Python tells
    def told(self, frame: FrameType, event: str, arg: Any) -> None:
        """Python enters or leaves a function."""
        if self._passed is not None:
            if event == "return" and frame is self._passed:
                self._passed = None
        elif event == "call":
            code = frame.f_code
            module = frame.f_globals.get("__name__")
            if module == DERIVING or (module == BATCHING and code.co_name in MOVING):
                self._passed = frame
            elif not code.co_flags & _RESUMED:
                self._enter(frame, code)
        elif event == "return" and self._open is not None and self._open.frame is frame:
            self._leave(self._open, arg)

    def _enter(self, frame: FrameType, code: CodeType) -> None:
        hook = hooks().get(code)
        item = self._hooked(frame, hook) if hook is not None else self._plain(frame, code)
        written = equations() if item is not None else None
        if item is None or written is None:
            return
        outer = self._open
        item.parent = outer.item if outer is not None and outer.written is written else None
        if outer is not None and isinstance(outer.item, Entered):
            item.at = outer.frame.f_lasti
            self._name(outer.frame, outer.item)
        self._open = _Open(frame, item, written, len(written), outer)

    def _leave(self, left: _Open, arg: Any) -> None:
        self._open = left.outer
        compiled = hooks().get(left.frame.f_code) == "compiled" and arg is not None
        left.item.result = arg[0] if compiled else arg
        if isinstance(left.item, Entered):
            self._name(left.frame, left.item)
        for var in defined(left.written[left.before :]):
            self.owner.setdefault(var, left.item)
        self.kept.append(left.item)

    def _name(self, frame: FrameType, item: Entered) -> None:
        """Note what the author's variables are called; those of a library are not the user's."""
        for name, x in frame.f_locals.items() if item.kind != "layer" else ():
            if isinstance(x, jax.core.Tracer) and (var := variable(x)) is not None:
                self.names.setdefault(var, name)
                self.kept.append(x)

    # ------------------------------------------------------------------ what is called
    def _hooked(self, frame: FrameType, hook: str) -> Item | None:
        held = frame.f_locals
        if hook == "item":
            plain = [name for name, x in held.items() if name not in ("arr", "idx") and x not in (None, False)]
            if any(name not in ("normalize_indices", "strategy") for name in plain):
                return None
            return Public(None, _item, (held["arr"], held["idx"]), {})
        f = self.functions.by_code.get(code_of(held["fun"])) if hook == "compiled" else held["self"]  # type: ignore[arg-type]
        try:
            known = f is not None and f in self.functions.rows
        except TypeError:
            return None
        return Public(None, f, tuple(held["args"]), dict(held.get("kwargs", {}))) if known else None

    def _plain(self, frame: FrameType, code: CodeType) -> Item | None:
        f = self.functions.by_code.get(code)
        if f is not None:
            return None if hasattr(f, "lower") else _public(f, frame, code)
        kind = self.kind(frame)
        if kind is None:
            return None
        given = [(name, frame.f_locals[name]) for name in _arguments(code) if name in frame.f_locals]
        if kind == "function":
            trees = [x for _, x in given if not isinstance(x, jax.Array)]
            arrays = [pair for x in trees for pair in arrays_in(x)]
            return Entered(None, kind, called(code.co_qualname), code, given, None, arrays, _doc(code), frame.f_globals)
        (_, owner), *given = given
        doc = documented(type(owner)) if kind == "module" else ""
        return Entered(None, kind, type(owner).__name__, code, given, owner, arrays_of(owner), doc, frame.f_globals)


def _item(x: Any, index: Any) -> Any:
    return x[index]


def _doc(code: CodeType) -> str:
    """The docstring of a function: its first constant, where later versions of Python do not say that it has none."""
    told = getattr(inspect, "CO_HAS_DOCSTRING", 0)
    first = code.co_consts[0] if code.co_consts and (not told or code.co_flags & told) else None
    return docstring(first) if isinstance(first, str) else ""


def _arguments(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _public(f: Any, frame: FrameType, code: CodeType) -> Public:
    held = frame.f_locals
    named = code.co_varnames[: code.co_argcount]
    args, kwargs = [held[name] for name in named], {}
    at = code.co_argcount + code.co_kwonlyargcount
    for name in code.co_varnames[code.co_argcount : at]:
        kwargs[name] = held[name]
    if code.co_flags & inspect.CO_VARARGS:
        args += held[code.co_varnames[at]]
        at += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        kwargs.update(held[code.co_varnames[at]])
    return Public(None, f, tuple(args), kwargs)


@contextmanager
def recording(functions: Functions, kind: Kind) -> Iterator[Recording]:
    """Records what runs inside; who profiles the process goes on behind it. Beside a profiler in C, which Python cannot put back,
    nothing is recorded."""
    made, before = Recording(functions, kind), sys.getprofile()
    if not hooks() or not (before is None or callable(before)):
        yield made
        return
    sys.setprofile(made.told)
    try:
        yield made
    finally:
        sys.setprofile(before)
