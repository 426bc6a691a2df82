"""State of a framework's own objects (modules, optimizers, schedules), and of generators of random numbers: a method that capture runs as it
stands must leave it alone.

Such a method would run once, at capture, where the author's runs at each call: what it writes is put back, and it is refused.
"""

from __future__ import annotations

import pickle
import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.errors import BackendError
from gfx_ir.probing import is_module

from ..rewrite.packages import framework, of_package
from .contents import attributes_of, children, contents_of, fill, has_attributes, only_reads, row_of
from .reached import reached_from

_GENERATOR = 0x20  # inspect.CO_GENERATOR: a call of one runs nothing yet


def stateful(f: Any, args: tuple) -> bool:
    """Whether a framework's function gets an object of the framework's first, and may write to it."""
    runs = isinstance(f, types.FunctionType) and not f.__code__.co_flags & _GENERATOR and not only_reads(f.__name__)
    return runs and bool(args) and framework(f.__globals__.get("__name__", "")) and _holds(args[0])


def remembers(code: types.FrameType | None, table: Any, value: Any) -> bool:
    """Whether code of a framework's keeps a function in a table of its module, to find it the next time, as kl_divergence does: what it
    finds is the same."""
    if code is None or type(table) is not dict or not isinstance(value, types.FunctionType):
        return False
    return of_package(code.f_globals.get("__name__", "")) and any(held is table for held in code.f_globals.values())


def begins(f: Any, args: tuple) -> bool:
    """Whether a framework's method gets an object that holds nothing yet: one that the captured code makes, and it begins."""
    return stateful(f, args) and row_of(type(args[0])) is None and not attributes_of(args[0])


def run_unwritten(f: Callable[..., Any], args: tuple, kwargs: dict, backend: Backend) -> Any:
    """f(*args, **kwargs). Raises BackendError where it changes what its object holds, which is put back."""
    before = [(held, dict(attributes_of(held)), _items(held)) for held in stateful_parts(args[0], backend)]
    conditions = [
        (x, condition)
        for held, _, _ in before
        for x in children(held)
        if backend.is_tensor(x) and (condition := backend.condition_of(x)) is not None
    ]
    try:
        result = f(*args, **kwargs)
    finally:
        changed = _put_back(before, conditions)
    if changed:
        raise BackendError(f"it changes a {type(args[0]).__name__} that lives outside of the captured code")
    return result


def _put_back(before: list[tuple[Any, dict[str, Any], Any]], conditions: list[tuple[Any, Any]]) -> bool:
    """Make objects and tensors what they were: whether any was something else."""
    moved = [(x, condition) for x, condition in conditions if not condition.holds(x)]
    for x, condition in moved:
        condition.restore(x)
    changed = bool(moved)
    for held, attributes, items in before:
        if not _same(attributes_of(held), attributes) or not _same(_items(held), items):
            changed = True
            attributes_of(held).clear()
            attributes_of(held).update(attributes)
            if items is not None:
                fill(held, items)
    return changed


def _holds(x: Any) -> bool:
    """Whether something holds what a method may write."""
    kind = type(x)
    if row_of(kind) is not None:
        return True
    return has_attributes(x) and (is_module(x) or framework(kind.__module__)) and not hasattr(kind, "__array__")


def stateful_parts(owner: Any, backend: Backend) -> Iterator[Any]:
    """An object of a framework's, and what it holds, that a method may write, tensors apart."""
    level, seen = [owner], {id(owner)}
    while level:
        held = level.pop()
        yield held
        for inner in children(held):
            if id(inner) not in seen and _holds(inner) and not backend.is_tensor(inner):
                seen.add(id(inner))
                level.append(inner)


def _items(held: Any) -> Any:
    return None if row_of(type(held)) is None else contents_of(held)


def _same(a: Any, b: Any) -> bool:
    """Whether two contents are of the same objects."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_one(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_one, a, b))
    return a is b or bool(a == b)


def _one(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, (int, float, str)) and a == b)


GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)


def states(roots: tuple) -> list[tuple[Any, bytes]]:
    """The generators that a call reaches, those of the modules among them, with their states."""
    shared = random.random.__self__, np.random.random_sample.__self__  # type: ignore[attr-defined]
    found = [held for held in reached_from((*roots, *shared), -1) if isinstance(held, GENERATORS)]
    return [(held, pickle.dumps(held)) for held in found]


def drawn(before: list[tuple[Any, bytes]]) -> Any:
    """A generator of which something was drawn since; None where there is none."""
    return next((held for held, state in before if pickle.dumps(held) != state), None)
