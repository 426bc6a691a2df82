"""Free variables of staged code: the objects that they hold are copied with its arguments, as the framework's own tracer has these."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.probing import own_attribute

from ..heap.reads import UNSET, content_of
from ..heap.slots import Slot
from ..rewrite.packages import users
from ..values.flavour import loaded_names


def held_objects(backend: Backend, f: Any) -> tuple[list[Any], list[tuple[Slot, int]]]:
    """(objects, variables) that a function, and those that it names, do not assign, where the objects are trees of arrays for the
    framework and no containers of Python's; of each variable, which object it holds."""
    objects, slots = list[Any](), list[tuple[Slot, int]]()
    seen, waiting = set[int](), [f]
    while waiting:
        function = _inner(waiting.pop())
        if function is None or id(function) in seen:
            continue
        seen.add(id(function))
        for slot in variables(function):
            if not _is_tree(backend, slot.old):
                waiting.append(slot.old)
                continue
            at = next((at for at, held in enumerate(objects) if held is slot.old), len(objects))
            objects += [slot.old] if at == len(objects) else []
            slots.append((slot, at))
    return objects, slots


@contextmanager
def holding(slots: Sequence[tuple[Slot, int]], objects: Sequence[Any]) -> Iterator[None]:
    """Inside, variables hold these objects in the places of their own."""
    for slot, at in slots:
        slot.set(objects[at])
    try:
        yield
    finally:
        for slot, _ in slots:
            slot.set(slot.old)


def _inner(f: Any) -> types.FunctionType | None:
    """The Python function that a callable comes to."""
    while not isinstance(f, (types.FunctionType, type)):
        inner = own_attribute(f, "func" if isinstance(f, functools.partial) else "__func__")
        f = own_attribute(f, "__wrapped__") if inner is None else inner
        if f is None:
            return None
    return f if isinstance(f, types.FunctionType) else None


def variables(function: types.FunctionType) -> Iterator[Slot]:
    """The variables that a function reads and does not assign; globals of user's functions alone."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if content_of(cell) is not UNSET:
            yield Slot(cell, None, "cell", name, cell.cell_contents)
    if users(function.__globals__):
        for name in loaded_names(function):
            yield Slot(function.__globals__, name, "global", name, function.__globals__[name])


def _is_tree(backend: Backend, x: Any) -> bool:
    if isinstance(x, (tuple, list, dict, type, types.FunctionType, types.ModuleType)):
        return False
    found, _ = backend.flatten(x)
    return not (len(found) == 1 and found[0] is x) and any(map(backend.is_tensor, found))
