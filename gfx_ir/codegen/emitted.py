"""Module: what emission gives, and how it is loaded."""

from __future__ import annotations

import functools
import hashlib
import linecache
import threading
import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from ..source import Span
from ..terms import Terms


class _Texts:
    """The texts of loaded modules, where tracebacks and `inspect` look for them: each as long as a function of it lives."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.held: Counter[str] = Counter()

    def hold(self, filename: str, text: str, function: Callable[..., Any]) -> None:
        with self.lock:
            self.held[filename] += 1
            linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        weakref.finalize(function, self.release, filename).atexit = False

    def release(self, filename: str) -> None:
        with self.lock:
            self.held[filename] -= 1
            if not self.held[filename]:
                del self.held[filename]
                linecache.cache.pop(filename, None)


_TEXTS = _Texts()
_ORIGIN = "__gfx_module__"


def origin(fn: Any) -> Module | None:
    """The module that a function was loaded from, by way of what wraps it too; None for any other."""
    found = getattr(fn, "__dict__", {}).get(_ORIGIN)
    return found if isinstance(found, Module) else None


@dataclass
class Module:
    """Standalone source. `entry` is the function to call; `source_map` gives the user's place of a line (from 1);
    `static_argnames` are the arguments that jax.jit must be told to take as Python values. `errors` gives what the author
    called an exception class that the source defines; where `classes` has the author's own, it is raised once loaded.
    `terms` is what the calls of the loaded entry are held against."""

    source: str
    entry: str
    source_map: list[tuple[int, Span]] = field(default_factory=list)
    static_argnames: tuple[str, ...] = ()
    errors: dict[str, str] = field(default_factory=dict)
    classes: dict[str, type] = field(default_factory=dict)
    terms: Terms | None = None

    @functools.cached_property
    def filename(self) -> str:
        """What tracebacks call the source."""
        return f"<gfx {self.entry} {hashlib.sha256(self.source.encode()).hexdigest()[:12]}>"

    def load(self) -> Callable[..., Any]:
        """The entry, compiled in memory; tracebacks show its lines. It holds each call against what the capture took as given:
        raises GuardError, or ArgumentError where the arguments are not the author's."""
        return self._checked

    def bare(self) -> Callable[..., Any]:
        """The entry as the source has it: it checks nothing."""
        return self._loaded

    @functools.cached_property
    def _checked(self) -> Callable[..., Any]:
        made = self._loaded if self.terms is None else self.terms.checked(self._loaded)
        vars(made)[_ORIGIN] = self
        return made

    @functools.cached_property
    def _loaded(self) -> Callable[..., Any]:
        module = ModuleType(self.entry)
        module.__file__ = self.filename
        exec(compile(self.source, self.filename, "exec"), module.__dict__)
        for called, name in self.errors.items():
            module.__dict__[called] = self.classes.get(name, module.__dict__[called])
        del module.__dict__["__name__"]  # torch.compile imports the module of that name to read a function's globals
        function = module.__dict__[self.entry]
        _TEXTS.hold(self.filename, self.source, function)
        return function

    def places(self, line: int) -> list[Span]:
        """The user's calls that a line stands for, outermost first; none in a helper, which spells a construct."""
        at = bisect_right(self.source_map, line, key=lambda pair: pair[0]) - 1
        if at < 0:
            return []
        mapped, span = self.source_map[at]
        if any(text.startswith("def ") for text in self.source.splitlines()[mapped:line]):
            return []
        return [*reversed(list(span.callers())), span]
