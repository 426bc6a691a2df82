"""Where a node comes from: the user's file, line and function, and the calls that led there."""

from __future__ import annotations

import functools
import inspect
import linecache
import sys
from bisect import bisect_right
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from .naming import snake


def declared_at() -> str:
    """`file:line` of what is being declared: of the module of GFX that is being run, else of whoever called it."""
    frame = sys._getframe(1)
    while _within(frame) and frame.f_back is not None:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _within(frame: FrameType) -> bool:
    """Whether it is a call of a function of GFX or of a backend of it."""
    return frame.f_code.co_name != "<module>" and str(frame.f_globals.get("__name__")).startswith("gfx_")


def defined_at(fn: Any) -> str:
    """`file:line` of a function's definition, "" of what is none."""
    code = getattr(getattr(fn, "func", fn), "__code__", None)
    return "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


_LONGEST_DOC = 24


@functools.lru_cache(maxsize=512)
def docstring(text: str | None, of_class: bool = False) -> str:
    """What a graph keeps of a docstring: of a manual page its first paragraph, and of that of a class, which goes on to tell how its
    objects are made."""
    text = inspect.cleandoc(text or "").rstrip()
    return text.partition("\n\n")[0] if of_class or text.count("\n") >= _LONGEST_DOC else text


class Scope:
    """One call of a Python function or module during capture: the frame that nodes belong to.

    `kind` is "entry", "function" or "module"; `path` the module's path in the parameter tree; `key` what tells
    callees apart (a code object, a module class); `args` the (name, value tree) pairs it was entered with; `gives` the values of a
    container that it gives, in their order.
    """

    __slots__ = ("name", "kind", "path", "key", "parent", "site", "args", "gives", "spans", "lines", "doc")

    def __init__(
        self,
        name: str,
        kind: str = "entry",
        path: str = "",
        key: object = None,
        parent: Scope | None = None,
        site: Span | None = None,
        args: tuple = (),
        doc: str = "",
    ) -> None:
        self.name, self.kind, self.path, self.key = name, kind, path, key
        self.parent, self.site, self.args, self.doc = parent, site, args, doc
        self.gives: tuple = ()
        self.spans: dict[tuple[int, int], Span] = {}
        self.lines: dict[int, tuple[list[int], list[int]]] | None = None  # made when it is asked for

    @property
    def title(self) -> str:
        """Its name as that of a function."""
        return snake(self.name, getattr(self.key, "__module__", None) or "")

    def span(self, code: CodeType, lasti: int) -> Span:
        """The one Span of an instruction within this call."""
        key = (id(code), lasti)  # hashing a code object reads all of it; the Span keeps it alive, so its id stays
        found = self.spans.get(key)
        if found is None:
            found = self.spans[key] = Span(code.co_filename, None, None, self, code, lasti)
        return found

    def left(self, gives: tuple = ()) -> None:
        """Say that the call has returned, with these values: its Spans need not be found again."""
        self.spans, self.gives = {}, gives

    def __deepcopy__(self, memo: dict) -> Scope:
        return self

    def __reduce__(self) -> tuple:
        """A file keeps what is told of a call: neither the code that ran nor what it was given."""
        return Scope, (self.name, self.kind, self.path, None, self.parent, self.site, (), self.doc)


class Span:
    """A line of source: file, line, text, name of the function, and the lines of its callers."""

    __slots__ = ("file", "_line", "_name", "scope", "_code", "_lasti")

    def __init__(
        self,
        file: str,
        line: int | None,
        name: str | None = "",
        scope: Scope | None = None,
        code: CodeType | None = None,
        lasti: int = 0,
    ) -> None:
        self.file, self._line, self._name, self.scope = file, line, name, scope
        self._code, self._lasti = code, lasti

    def __deepcopy__(self, memo: dict) -> Span:
        return self

    def __reduce__(self) -> tuple:
        return Span, (self.file, self.line, self.name, self.scope)

    @property
    def name(self) -> str:
        """The function's name, read from its code on demand."""
        if self._name is None:
            self._name = "" if self._code is None else _name_of(self._code)
        return self._name

    @property
    def line(self) -> int:
        """Line number, from 1 (0: unknown). Looked up on demand: it costs a scan of the code's line table."""
        if self._line is None:
            self._line = 0
            if self._code is not None:
                self._line = _line_at(self._code, self._lasti, self.scope)
        return self._line

    @property
    def step(self) -> tuple:
        """What tells one operation of the author's code, in one call of it, from all others of the capture."""
        return (self.file, self.line) if self._code is None else (id(self._code), self._lasti, id(self.scope))

    @property
    def text(self) -> str:
        """The line itself, stripped."""
        return linecache.getline(self.file, self.line).strip()

    def within(self, scope: Scope) -> Span:
        """The same instruction in another call."""
        return (
            Span(self.file, self._line, self._name, scope)
            if self._code is None
            else scope.span(self._code, self._lasti)
        )

    def callers(self) -> Iterator[Span]:
        """The call sites that led here, innermost first."""
        scope = self.scope
        while scope is not None and scope.site is not None:
            yield scope.site
            scope = scope.site.scope

    def place(self) -> str:
        """`file:line in function`."""
        return f"{self.file}:{self.line} in {self.name}" if self.name else f"{self.file}:{self.line}"

    def trace(self) -> list[str]:
        """The user's line, then the lines of its callers, each with its place when it differs from this one."""
        lines = [self.text] if self.text else []
        sites = dict.fromkeys(
            f"called from {site.place()}: {site.text}" for site in self.callers()
        )  # a recursion's once
        return lines + list(sites)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span) and (self.file, self.line, self.name) == (other.file, other.line, other.name)

    def __hash__(self) -> int:
        return hash((self.file, self.line, self.name))

    def __repr__(self) -> str:
        return f"Span({self.place()})"


def _name_of(code: CodeType) -> str:
    """The function as its author sees it: lambdas and comprehensions in it are it."""
    text = code.co_qualname
    while text.endswith(">") and ".<locals>." in text:
        text = text.rpartition(".<locals>.")[0]
    return text.rpartition(".")[2]


def _line_at(code: CodeType, lasti: int, scope: Scope | None) -> int:
    """The line of an instruction. A scope keeps the tables of its code, so that many look-ups cost one scan of each."""
    found = scope.lines.get(id(code)) if scope is not None and scope.lines is not None else None
    if found is None:
        table = [(start, line or 0) for start, _, line in code.co_lines()]
        found = [start for start, _ in table], [line for _, line in table]
        if scope is not None:
            scope.lines = scope.lines or {}
            scope.lines[id(code)] = found
    at = bisect_right(found[0], lasti) - 1
    return found[1][at] if at >= 0 else 0
