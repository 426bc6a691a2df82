"""Modules of libraries on JAX, and functions of the user's: which calls are scopes, and where the arrays of a module stand."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any

import jax

from gfx_ir.installed import required
from gfx_ir.source import docstring

from .names import PACKAGES

_FRAMEWORK = frozenset((*PACKAGES, "numpy"))
_OURS = frozenset(("gfx_ir", "gfx_trace", "gfx_numpy", "gfx_torch", "gfx_jax"))
_TRAINED = "Param"
"""The class of variables that are trained, by a library's convention."""
Leaves = Sequence[tuple[tuple[str, ...], Any]]
"""(keys, array) pairs of a module."""


def kind_of(frame: FrameType) -> str | None:
    """What a call is a scope of: "module" of one that the user wrote, "layer" of one of a library's, "function" of the user's;
    None where it is none."""
    code = frame.f_code
    if code.co_name.startswith("<"):
        return None
    package = frame.f_globals.get("__name__", "").partition(".")[0]
    if package in _FRAMEWORK or package in _OURS or package in sys.stdlib_module_names - {"__main__"}:
        return None
    owner = _self(frame, code)
    if owner is not None and made_by_library(type(owner)):  # type: ignore[arg-type]
        if code.co_name != "__call__":
            return None
        return "layer" if of_library(type(owner).__module__) else "module"
    return None if of_library(package) or _installed(package) else "function"


def _self(frame: FrameType, code: CodeType) -> Any:
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount and code.co_varnames[0] == "self" else None


@functools.cache
def made_by_library(cls: type) -> bool:
    """Whether a class is one of a library's, or made of one: its modules, containers and variables are."""
    return any(of_library(base.__module__) for base in cls.__mro__)


@functools.cache
def _installed(package: str) -> bool:
    return "site-packages" in (getattr(sys.modules.get(package), "__file__", None) or "")


@functools.cache
def of_library(module: str) -> bool:
    """Whether a module, by its name, is of a library that is built on JAX."""
    package = module.partition(".")[0]
    return package not in _FRAMEWORK and bool(required(package) & PACKAGES)


def documented(cls: type) -> str:
    """The docstring of a class that its author wrote, not the signature that makes a dataclass's."""
    doc = vars(cls).get("__doc__") or ""
    return "" if doc.startswith(f"{cls.__name__}(") else docstring(doc, of_class=True)


# ---------------------------------------------------------------- the arrays of a module
def arrays_of(module: Any) -> Leaves:
    """The arrays of a module, by their keys below it, as its library has them."""
    try:
        return arrays_in(_tree(module))
    except Exception:  # a library asks for what is not there outside of its own calls
        return []


def arrays_in(tree: Any) -> Leaves:
    """The arrays of a tree, by their keys below it; none of one whose keys JAX cannot sort, or that an author's class is still making."""
    try:
        found = leaves_of(tree)
    except Exception:  # the author's own code takes objects of registered classes apart
        return []
    return [(tuple(map(str, keys)), leaf) for keys, leaf in found if isinstance(leaf, jax.Array)]


def leaves_of(tree: Any) -> list[tuple[tuple, Any]]:
    """(keys, leaf) pairs of a tree. What a library's variable holds stands in the place of the variable: it is no module."""
    found = list[tuple[tuple, Any]]()
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree, is_leaf=is_variable):
        keys = tuple(map(_key, path))
        inner = jax.tree_util.tree_leaves_with_path(leaf) if is_variable(leaf) else [((None,), leaf)]
        found += [((*keys, *map(_key, rest)), x) for (_, *rest), x in inner]
    return found


def is_variable(x: Any) -> bool:
    """Whether it is of a library's class, and all that it holds is its `value`."""
    if not made_by_library(type(x)):  # type: ignore[arg-type]
        return False
    held = jax.tree_util.tree_leaves_with_path(x, is_leaf=lambda part: part is not x)
    return [[_key(key) for key in path] for path, _ in held] == [["value"]]


def statistics_of(tree: Any) -> list[Any]:
    """What variables hold that nobody trains, of a tree that has such as are trained: statistics, caches, counts."""
    found = [x for x in jax.tree.leaves(tree, is_leaf=is_variable) if is_variable(x)]
    trained = [any(base.__name__ == _TRAINED for base in type(x).__mro__) for x in found]
    return jax.tree.leaves([x for x, own in zip(found, trained) if not own]) if any(trained) else []


def _tree(module: Any) -> Any:
    variables = getattr(module, "variables", None)
    if isinstance(variables, Mapping):  # Linen: by collections, which the paths begin with
        return [*variables.values()]
    own = getattr(module, "params_dict", None)
    return _by_module(own()) if callable(own) else module


def _by_module(arrays: Mapping[str, Any]) -> Any:
    """Arrays that a flat name tells, as the module that holds them and its own name of each; those of one module alone by the latter."""
    found: dict[str, dict[str, Any]] = {}
    for name, array in arrays.items():
        owner, _, last = name.rpartition("/")
        found.setdefault(owner, {})[last] = array
    return next(iter(found.values())) if len(found) == 1 else found


def _key(key: Any) -> Any:
    """A key, position or name of a path in a tree of JAX's."""
    return next((getattr(key, kind) for kind in ("key", "idx", "name") if hasattr(key, kind)), str(key))


def prefix(arrays: Leaves, path: Callable[[Any], str]) -> str:
    """The path under which a module's arrays stand: what is left of most of their paths without their keys below the module."""
    found = Counter(_above(keys, path(leaf)) for keys, leaf in arrays)
    del found[""]
    return found.most_common(1)[0][0] if found else ""


def _above(keys: tuple[str, ...], path: str) -> str:
    parts = path.split(".")
    if parts[-1:] != [*keys[-1:]]:
        return ""
    for key in reversed(keys):
        if not parts or parts[-1] != key:
            break
        parts.pop()
    return ".".join(parts)
