"""The rewritten form of functions that are entered."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.probing import own_attribute
from gfx_ir.source import Scope

from ..rewrite import NoSource, is_converted
from ..rewrite import convert as rewrite
from . import hooks


def converted(f: types.FunctionType) -> bool:
    """Whether f is rewritten already: made by `convert`, or defined inside such a function."""
    return is_converted(f.__code__)


def convert(f: types.FunctionType, tracer: Any) -> Callable[..., Any]:
    """The rewritten form of f; f itself where it has no source."""
    try:
        new = rewrite(f, hooks.TABLE, tracer.overloading.overloads_in(f))
        if new is not f and (new.__defaults__ or new.__kwdefaults__):
            _met_defaults(new, tracer)
        return new
    except UnsupportedConstruct as error:
        if error.span is not None and error.span.scope is None:  # the construct's own line first, then what called it
            error.span.scope = Scope(
                f.__name__, "function", key=f.__code__, parent=tracer.scopes.scope, site=tracer.span()
            )
        raise
    except NoSource as error:
        if f.__code__.co_filename.startswith("<frozen"):
            raise
        tracer.notes.append(f"{f.__qualname__} has no source and is traced as it is: {error.what}")
        return f


def _met_defaults(new: Any, tracer: Any) -> None:
    """Let defaults be what captured code meets: parameters those of the graph, and shapes of a framework's tuples, to which sizes can be
    added that are open."""
    kinds = tracer.overloading.shape_types
    met = lambda x: tuple(x) if type(x) in kinds else tracer.arrays.in_graph(x)
    given = new.__defaults__ or ()
    found = tuple(map(met, given))
    if any(x is not default for x, default in zip(found, given)):
        new.__defaults__ = found
    if new.__kwdefaults__:
        new.__kwdefaults__ = {name: met(x) for name, x in new.__kwdefaults__.items()}


def foreign(f: Any, frameworks: Sequence[Backend]) -> bool:
    """Whether a callable belongs to a framework: with captured data it needs a row."""
    module = own_attribute(f, "__module__") or type(f).__module__
    package = str(module).partition(".")[0]
    for backend in frameworks:
        if package in backend.packages:
            return not isinstance(f, type)
    return False
