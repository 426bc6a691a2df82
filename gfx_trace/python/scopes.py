"""The calls that are open during a capture, as nodes know them, and what is refused where they are more than Python's stack holds."""

from __future__ import annotations

import inspect
import types
from typing import Any, TypeAlias

from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.naming import called
from gfx_ir.probing import is_module
from gfx_ir.source import Scope, Span, docstring

from ..interfaces import Capturing
from ..values.proxy import HostProxy, Proxy

Opened: TypeAlias = Scope | list[Any]
"""A call that is open: its Scope, or what the Scope will be made of."""


class Scopes:
    """The part of the Tracer that knows which call is open."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    @property
    def scope(self) -> Scope:
        """The call that is open, as nodes know it."""
        within = self.tracer.within
        return within if isinstance(within, Scope) else self.scope_of(within)

    def scope_of(self, opened: Opened) -> Scope:
        """The Scope of a call, made when somebody asks for it: many a small function records nothing of its own.

        What it was called with is as it was then: a write makes a node, and a node asks.
        """
        if isinstance(opened, Scope):
            return opened
        if len(opened) > 1:
            outer, site, lasti, f, args, kwargs = opened
            opened[:] = [self._callee_scope(self.scope_of(outer), site, lasti, f, args, kwargs)]
        return opened[0]

    def _callee_scope(
        self, scope: Scope, site: Any, lasti: int, f: types.FunctionType, args: tuple, kwargs: dict
    ) -> Scope:
        """The scope of a function that is entered."""
        name, path = called(f.__qualname__), scope.path
        if self._of_module(path, f, args):
            return scope
        for arg in args:
            if type(arg) is dict or type(arg) is list:
                path = self.tree_path(arg) or path
        span = None if site is None else scope.span(site.f_code, lasti)
        return Scope(
            name, "function", path, f.__code__, scope, span, self.scope_args(f, args, kwargs), docstring(f.__doc__)
        )

    def is_own_forward(self, f: types.FunctionType, args: tuple) -> bool:
        """Whether f is the forward, behind decorators, of the module whose scope is open: that is its scope, too."""
        return f.__name__ == "forward" and self._of_module(self.scope.path, f, args)

    def _of_module(self, path: str, f: types.FunctionType, args: tuple) -> bool:
        module = args[0] if f.__name__ == "forward" and args else None
        return is_module(module) and self.tracer.module_paths.get(id(module)) == path

    def scope_args(self, f: types.FunctionType, args: tuple, kwargs: dict) -> tuple:
        """(name, argument) pairs of a call, as far as positions and keywords tell: those of the function that a wrapper is for."""
        code = getattr(inspect.unwrap(f), "__code__", f.__code__)
        named = [*zip(code.co_varnames, args[: code.co_argcount]), *kwargs.items()]
        return tuple([(name, arg.value) for name, arg in named if type(arg) is Proxy or type(arg) is HostProxy])

    def tree_path(self, tree: Any) -> str | None:
        """The path under which a tree of parameters stands: `layers.3` for the dictionary of that layer."""
        keys: list[str] = []
        while isinstance(tree, (dict, list)) and tree:
            key, tree = next(iter(tree.items())) if isinstance(tree, dict) else (0, tree[0])
            keys.append(str(key))
        path = self.tracer.tensor_paths.get(id(tree))
        suffix = ".".join(["", *keys])
        return path[: -len(suffix)] if path is not None and path.endswith(suffix) else None

    def encloses(self, value: Value) -> bool:
        """Whether the scope that is open called the one in which `value` was made: then its name for it is the user's."""
        scope = value.node.span.scope if value.node.span is not None else None
        here = self.scope
        if scope is None or scope is here:
            return False
        while scope is not None and scope is not here:
            scope = scope.parent
        return scope is not None

    def made_here(self, value: Value) -> bool:
        """Whether no other scope than the open one made `value`: it is no variable of a caller's or a sister's."""
        span = value.node.span
        return span is None or span.scope is None or span.scope is self.tracer.within or span.scope is self.scope


def open_recursion(name: str, span: Span | None) -> UnsupportedConstruct:
    """The error for a function that calls itself as long as what is open says so."""
    return _recursion(name, "to a depth that is only known when the code runs", span)


def _recursion(name: str, how: str, span: Span | None) -> UnsupportedConstruct:
    what = f"GFX cannot convert this recursion: {name!r} calls itself {how}"
    return UnsupportedConstruct(what, span, "write it as a loop")


def without_end(f: types.FunctionType, scope: Scope, span: Span | None) -> UnsupportedConstruct:
    """The error for calls without end: names the function that the chain of calls goes through most often."""
    calls: dict[object, int] = {f.__code__: 1}
    names: dict[object, tuple[str, Span | None]] = {f.__code__: (f.__name__, scope.site)}
    open_: Scope | None = scope
    while open_ is not None:
        calls[open_.key] = calls.get(open_.key, 0) + 1
        names[open_.key] = (open_.name, open_.site)
        open_ = open_.parent
    most = max(calls, key=calls.__getitem__)
    name, site = names[most]
    if calls[most] <= 2:  # of f itself both counts tell
        return nested(f.__name__, span)
    return _recursion(name, "deeper than Python's recursion limit, which sys.setrecursionlimit sets", site)


def nested(name: str, span: Span | None) -> UnsupportedConstruct:
    """The error for tests and loops within each other."""
    return UnsupportedConstruct(
        f"GFX cannot convert this: so many tests and loops of {name!r} stand each within the one before (behind an early return, too) "
        "that Python's stack is too short to capture them", span,
        "split it into several functions, or give Python a longer stack: sys.setrecursionlimit(10_000)",
    )  # fmt: skip


def values_of(result: Any) -> tuple:
    """The values of a tuple or dictionary that a call gives, in their order."""
    if type(result) is not tuple and type(result) is not dict:
        return ()
    found, met = list[Any](), set[int]()
    todo: list[Any] = [result]
    while todo:
        item = todo.pop()
        kind = type(item)
        if kind is Proxy:
            found.append(item.value)
        elif (kind is tuple or kind is dict) and id(item) not in met:
            met.add(id(item))
            todo += reversed(item.values() if kind is dict else item)
    return tuple(found)
