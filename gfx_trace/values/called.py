"""What functions are called by those who use them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from gfx_ir.probing import own_attribute, stated_name

from ..rewrite.packages import OURS


def compiled(f: Any) -> Any:
    """What a wrapper in C computes, as jax.jit and functools.cache make them, or gfx.trace: what it wraps. None of anything else."""
    inner, call = own_attribute(f, "__wrapped__"), own_attribute(type(f), "__call__")
    in_python = isinstance(f, FunctionType) or (isinstance(call, FunctionType) and not own(call.__module__))
    return inner if callable(inner) and not in_python else None


def called_name(f: Any) -> str:
    """What a function is called by those who use it."""
    module, name = own_attribute(f, "__module__"), stated_name(f, stated_name(f), "__qualname__")
    owner = own_attribute(f, "__self__")
    if name and not module and owner is not None and not isinstance(owner, ModuleType):
        return f"{(owner if isinstance(owner, type) else type(owner)).__name__}.{own_attribute(f, '__name__')}"
    if isinstance(module, str) and "._" in f"{module}.{name}":
        module, name = _public_name(f, module.partition(".")[0]) or (module, name)
    return f"{module}.{name}" if module and name else name or f"a {type(f).__name__}"


def _public_name(f: Any, package: str) -> tuple[str, str] | None:
    """(module, name) under which a package shows a function that one of its private modules holds."""
    for key in sorted(sys.modules, key=len):
        if (key == package or key.startswith(f"{package}.")) and "._" not in key:
            for name, held in list(vars(sys.modules[key]).items()):
                if held is f and not name.startswith("_"):
                    return key, name
    return None


def own(module: str | None) -> bool:
    """Whether a module, told by its name, is GFX's."""
    return (module or "").partition(".")[0] in OURS


def implementations(f: FunctionType) -> Callable[[type], Any] | None:
    """Which function a generic function of functools runs for an argument of a class, as singledispatch and singledispatchmethod make
    them. None of any other."""
    if f.__globals__ is not vars(functools):
        return None
    found = own_attribute(f, "dispatch")
    if found is not None:
        return found
    held = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
    generic = held["self"].cell_contents if held.keys() >= {"self", "obj", "cls"} else None
    if not isinstance(generic, functools.singledispatchmethod):
        return None
    bound = held["obj"].cell_contents, held["cls"].cell_contents
    return lambda kind: generic.dispatcher.dispatch(kind).__get__(*bound)
