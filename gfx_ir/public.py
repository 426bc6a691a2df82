"""The public functions of a framework, by their dotted names.

A graph names the function of a `holder` by text. It is found again only among those that the backend says it holds, so a
graph file can name nothing else.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, Protocol

from .errors import MissingOp
from .naming import is_name


class Owner(Protocol):
    """What is asked of a backend here."""

    name: str
    public: tuple[str, ...]

    def holds(self, fn: Any) -> bool:
        """Whether a graph may hold calls of this function."""

    def registered(self, fn: Any) -> str:
        """The name of a function that others registered with the framework, else ""."""

    def find(self, target: str) -> Any:
        """What others registered under that name, or None."""

    def functional(self, fn: Any) -> Callable[..., Any]:
        """What they registered, as a function that writes nothing."""


class Unheld(Exception):
    """A call cannot be kept; the text says why."""


@functools.cache
def _place(path: str) -> Any:
    """The public module, or class, of a framework that a dotted name stands for."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        outer, _, last = path.rpartition(".")
        return getattr(_place(outer), last)


def name_of(owner: Owner, fn: Any) -> str:
    """The dotted name under which the framework shows a function that may be kept. Raises Unheld."""
    found = owner.registered(fn)
    if found and not owner.holds(owner.find(found)):
        raise Unheld("it writes to its arguments")
    if found:
        return found
    own = getattr(fn, "__name__", "")
    for path in owner.public:
        place = _place(path)
        for name in (own, *vars(place)):
            shown = getattr(place, name, None) if name and name[0] != "_" else None
            if shown is not None and (shown is fn or getattr(shown, "__wrapped__", None) is fn) and owner.holds(shown):
                return f"{path}.{name}"
    raise Unheld("it is none of the framework's public functions that only compute")


def function_of(owner: Owner, target: Any) -> Callable[..., Any]:
    """The function that a graph names. Raises MissingOp for any other than those that may be kept."""
    found = owner.find(target) if isinstance(target, str) else None
    if found is not None and owner.holds(found):
        return owner.functional(found)
    path, _, name = target.rpartition(".") if isinstance(target, str) else ("", "", "")
    fn = getattr(_place(path), name, None) if path in owner.public and is_name(name) and name[0] != "_" else None
    if fn is None or not owner.holds(fn):
        raise MissingOp(f"{target!r} is no function of {owner.name} that a graph can hold")
    return fn


def named(owner: Owner, fn: Any) -> str:
    """The dotted public name of a function of the framework's own, "" for any other."""
    try:
        return name_of(owner, fn)
    except Unheld:
        return ""
