"""Which functions are entered, and the rewritten form of those that are."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.source import Scope

from . import hooks
from .called import own_attribute
from .rewrite import NoSource, is_converted
from .rewrite import convert as rewrite

_FOREIGN = frozenset(("torch", "jax", "numpy", "scipy", "gfx_ir", "gfx_trace", "gfx_torch", "gfx_jax", "gfx_numpy"))
_STANDARD = frozenset(sys.stdlib_module_names) - {"__main__"}


def converted(f: types.FunctionType) -> bool:
    """Whether f is rewritten already: made by `convert`, or defined inside such a function."""
    return is_converted(f.__code__)


_TAKES_FUNCTIONS = frozenset(("triplet_margin_with_distance_loss",))
"""Functions of torch.nn.functional that call a function of the user's."""


def framework(module: str) -> bool:
    """Whether a module, told by its name, is of a framework or of a library on top of one that is never entered, or ours."""
    package = module.partition(".")[0]
    return package in _FOREIGN or package.startswith("jax")


def users(names: dict[str, Any]) -> bool:
    """Whether a module, told by its names, is the user's: neither of a framework nor of the standard library."""
    name = names.get("__name__", "")
    return name.partition(".")[0] not in _STANDARD and not framework(name)


def enterable(f: Any) -> bool:
    """Whether the source of f is to be entered: a Python function, neither of a framework nor of the standard library.

    Of the frameworks' own packages only the `forward`s of torch.nn and what helps them are entered, and functions of packed sequences.
    """
    if not isinstance(f, types.FunctionType):
        return False
    module = f.__globals__.get("__name__", "")
    package = module.partition(".")[0]
    if framework(module):
        helps = f.__name__.startswith("_") and not f.__name__.startswith("__")
        if module == "torch.nn.functional" or module == "torch.nn.modules.module":
            return (helps or f.__name__ in _TAKES_FUNCTIONS) and module == "torch.nn.functional"
        if module == "torch.nn.utils.rnn":
            return True
        return module.startswith("torch.nn.modules.") and (helps or f.__name__ == "forward")
    return package not in _STANDARD


def convert(f: types.FunctionType, tracer: Any) -> Callable[..., Any]:
    """The rewritten form of f; f itself where it has no source (its tests are then refused when they ask)."""
    try:
        return rewrite(f, hooks.TABLE, tracer.overloads_in(f.__globals__))
    except UnsupportedConstruct as error:
        if error.span is not None and error.span.scope is None:  # the construct's own line first, then what called it
            error.span.scope = Scope(f.__name__, "function", key=f.__code__, parent=tracer.scope, site=tracer.span())
        raise
    except NoSource as error:
        if f.__code__.co_filename.startswith("<frozen"):
            raise
        tracer.notes.append(f"{f.__qualname__} has no source and is traced as it is: {error.what}")
        return f


def foreign(f: Any, frameworks: Sequence[Backend]) -> bool:
    """Whether a callable belongs to a framework: with captured data it needs a row."""
    module = own_attribute(f, "__module__") or type(f).__module__
    package = str(module).partition(".")[0]
    return any(package in backend.packages for backend in frameworks) and not isinstance(f, type)
