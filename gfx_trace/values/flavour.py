"""Whose semantics a function has: the framework of its annotations, of its arguments, or of the globals that its code loads."""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import types
import typing
from collections.abc import Iterator
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.codegen import origin
from gfx_ir.errors import BackendError
from gfx_ir.fields import record_fields
from gfx_ir.installed import required
from gfx_ir.loading import backend, loaded
from gfx_ir.probing import closed_over, is_module, own_attribute

_LOADS = ("LOAD_GLOBAL", "LOAD_NAME")
_ORDER = ("torch", "jax", "numpy")


def flavour_of(target: Any, args: tuple, kwargs: dict, asked: str | None) -> Backend | None:
    """The backend whose meaning methods and operators have; None where nothing tells (then only what is common to all)."""
    if asked is not None:
        return backend(asked)
    if is_module(target):
        return backend("torch")
    names = set(_annotated(target))
    if not names:
        names = set(_of_arguments(target, args, kwargs))
    if not names:
        names = set(_named_frameworks(target))
    for name in (*_ORDER, *sorted(names - set(_ORDER))):
        if name in names:
            return backend(name)
    return None


def loaded_frameworks() -> list[Backend]:
    """Every backend whose framework is imported already: only their arrays and functions can occur in captured code.
    Those of others than the project itself are among them once they were asked for."""
    found = []
    for name in _ORDER:
        if name in sys.modules:
            try:
                found.append(backend(name))
            except BackendError:  # without a backend, or out of our range: its arrays are then no arrays to us
                continue
    return found + [known for known in loaded() if known.name not in _ORDER]


def _of_arguments(target: Any, args: tuple, kwargs: dict) -> Iterator[str]:
    """Frameworks of what a function is given, by a partial too, in whatever an argument is taken apart into."""
    stack, seen = [*args, *kwargs.values()], set()
    while isinstance(target, functools.partial):
        stack += [*target.args, *target.keywords.values()]
        target = target.func
    while stack:
        item = stack.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        found, parts = _framework(type(item).__module__), record_fields(item)
        if found is not None:
            yield found
        elif parts is not None:
            stack += parts.values()
        elif isinstance(item, (dict, list, tuple)):
            stack += item.values() if isinstance(item, dict) else item


def _annotated(target: Any) -> Iterator[str]:
    """Frameworks whose arrays the annotations of a function name."""
    while isinstance(target, functools.partial):
        target = target.func
    fn = inspect.unwrap(own_attribute(target, "__func__", target))
    stack = list(getattr(fn, "__annotations__", {}).values())
    while stack:
        hint = stack.pop()
        found = _written(hint, getattr(fn, "__globals__", {})) if isinstance(hint, str) else hint
        stack.extend(typing.get_args(found))
        if isinstance(found, type):
            yield from (owner.name for owner in loaded_frameworks() if issubclass(found, owner.tensor_types))


def _written(hint: str, names: dict[str, Any]) -> Any:
    """What a dotted name in an annotation's text stands for; None where it is more than a name, or not there."""
    first, *rest = hint.split(".")
    return functools.reduce(lambda held, name: getattr(held, name, None), rest, names.get(first))


def _named_frameworks(target: Any) -> Iterator[str]:
    """Frameworks that a function's annotations and code refer to, its own helpers' code included."""
    seen: set[Any] = set()
    stack = [target]
    while stack:
        item = stack.pop()
        if isinstance(item, functools.partial):
            stack.append(item.func)
            continue
        fn = own_attribute(item, "__func__", item)
        if not isinstance(item, types.FunctionType):
            bases = type(own_attribute(item, "__self__", item)).__mro__
            yield from filter(None, (_framework(base.__module__) for base in bases))
        wrapped = own_attribute(fn, "__wrapped__")
        if callable(wrapped) and wrapped is not fn:  # a wrapper of a framework's making is the framework's
            stack.append(wrapped)
            made_by = fn.__globals__.get("__name__") if isinstance(fn, types.FunctionType) else type(fn).__module__
            yield from filter(None, [_framework(str(made_by))])
        if not isinstance(fn, types.FunctionType):
            fn = own_attribute(type(item), "__call__")
        if not isinstance(fn, types.FunctionType) or fn in seen:
            continue
        seen.add(fn)
        for hint in fn.__annotations__.values():
            module = hint if isinstance(hint, str) else own_attribute(hint, "__module__", "")
            yield from filter(None, [_framework(str(module))])
        stack.extend(_references(fn))
        for value in _references(fn):
            if own_attribute(type(value), "called_in_capture") is not None and value.promotion != "array_api":
                yield value.flavour  # of what was captured
            emitted = origin(value)
            if emitted is not None and emitted.terms is not None:
                yield emitted.terms.owner
            owner = value.__name__ if isinstance(value, types.ModuleType) else own_attribute(value, "__module__") or ""
            found = _framework(str(owner))
            if found:
                yield found


def _framework(module: str) -> str | None:
    """The framework that a module is of (the classes of JAX's arrays live in its compiled package), or its library is built on."""
    package = module.partition(".")[0]
    for name in _ORDER:
        if package == name:
            return name
    found = next((known for known in loaded_frameworks() if package in known.packages), None) or builds_on(module)
    return found.name if found is not None else None


def builds_on(module: str) -> Backend | None:
    """The framework, of those whose arrays nothing writes, that a library is built on which a module is of."""
    found = [known for known in loaded_frameworks() if not known.views]
    needs = required(module.partition(".")[0]) if found else frozenset()
    return next((known for known in found if needs & set(known.packages)), None)


def loaded_names(fn: types.FunctionType) -> list[str]:
    """The globals that the code of a function loads, and that of the functions written in it."""
    found: list[str] = []
    codes = [fn.__code__]
    while codes:
        code = codes.pop()
        codes.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
        loads = (step.argval for step in dis.get_instructions(code) if step.opname in _LOADS)
        found += [name for name in dict.fromkeys(loads) if name in fn.__globals__]
    return list(dict.fromkeys(found))


def _references(fn: types.FunctionType) -> list[Any]:
    return [*(fn.__globals__[name] for name in loaded_names(fn)), *closed_over(fn)]
