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
        new = rewrite(f, hooks.TABLE, tracer.overloading.overloads_in(f.__globals__))
        if new is not f and new.__defaults__:
            _plain_shapes(new, tracer.overloading.shape_types)
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


def _plain_shapes(new: Any, kinds: set[type]) -> None:
    """Let defaults that are shapes of a framework's be tuples, to which sizes can be added that are open."""
    if not kinds.isdisjoint(map(type, new.__defaults__)):
        new.__defaults__ = tuple([tuple(x) if type(x) in kinds else x for x in new.__defaults__])


def foreign(f: Any, frameworks: Sequence[Backend]) -> bool:
    """Whether a callable belongs to a framework: with captured data it needs a row."""
    module = own_attribute(f, "__module__") or type(f).__module__
    package = str(module).partition(".")[0]
    for backend in frameworks:
        if package in backend.packages:
            return not isinstance(f, type)
    return False
