"""Parameters of a target: the arrays that a partial or a method binds to it, and those that it closes over, by their names there."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator, Mapping
from typing import Any

from gfx_ir.probing import is_module, own_attribute

from ..frameworks.free_variables import variables
from ..heap.journal import containers
from ..interfaces import Capturing
from ..values.called import compiled
from .modules import register_loose

_TRAINED = "params"
"""The collection of a model's variables, or the argument, that is trained, where there are several: the others hold statistics and caches."""
_Found = list[tuple[tuple, Any]]


def name_bound(tracer: Capturing, bound: Mapping[str, Any]) -> None:
    """Arrays that a partial or a method binds to the target are parameters: named by their place in the one tree that holds them,
    else by argument too."""
    _name(tracer, {name: tracer.arrays.arrays_in(tree) for name, tree in bound.items()}, bound)


def apart(tracer: Capturing, bound: Any) -> Any:
    """What is bound to a target, each array at one place alone where the framework tells arrays apart by their places."""
    held = bound if tracer.backend is None else tracer.backend.apart(bound)
    if held is not bound:
        tracer.copied |= containers(held) - containers(bound)
    return held


def bound_to(tracer: Capturing, held: Any) -> Any:
    """The object that a target is, or is a method of, its arrays named as those of `self`."""
    held = apart(tracer, held)
    name_bound(tracer, {"self": held})
    return held


def name_closed_over(tracer: Capturing, target: types.FunctionType) -> None:
    """Arrays of a tree that a target closes over are parameters, however small, where one of them can be trained. So is one that
    stands alone, where its framework says that it is trained, or others are parameters; elsewhere a small one is a constant.
    Those of a module have its paths."""
    if tracer.backend is None or tracer.root is not None:
        return
    free = closed_over(target)
    for module in filter(is_module, free.values()):
        register_loose(tracer, module)
    held = {name: tracer.arrays.arrays_in(x) for name, x in free.items() if not is_module(x)}
    trees = {name: found for name, found in held.items() if any(path for path, _ in found)}
    _name(tracer, {name: found for name, found in trees.items() if any(_trained(tracer, x) for _, x in found)}, free)
    alone = {name: found[0][1] for name, found in held.items() if found and name not in trees}
    alone = {name: x for name, x in alone.items() if tracer.backend.is_tensor(x) and _trained(tracer, x)}
    sure = any(tracer.backend.trained(x) or not tracer.arrays.is_small(x) for x in alone.values())
    for name, x in alone.items() if sure or tracer.bound_arrays else ():
        tracer.tensor_paths.setdefault(id(x), name)


def _name(tracer: Capturing, held: Mapping[str, _Found], trees_of: Mapping[str, Any]) -> None:
    """Name arrays by their place in the one tree that holds them all, else by variable too. What is one array at two places is one.
    `trees_of`: what holds them."""
    owner = tracer.backend
    beside = {id(x) for name in held for x in (owner.statistics_of(trees_of[name]) if owner is not None else ())}
    trees = [name for name, found in held.items() if any(path for path, _ in found)]
    single = trees if not tracer.bound_arrays else []
    places = {name: [path if single == [name] else (name, *path) for path, _ in found] for name, found in held.items()}
    collections = {place[0] for found in places.values() for place in found if place}
    for name, found in held.items():
        for place, (_, leaf) in zip(places[name], found):
            full = ".".join(map(str, place))
            statistics = id(leaf) in beside or (_TRAINED in collections and len(place) > 1 and place[0] != _TRAINED)
            first = tracer.tensor_paths.setdefault(id(leaf), full)
            if first != full:
                tracer.notes.append(
                    f"{full} is the array of {first}, and one parameter with it: give a copy of it to train them apart"
                )
            elif not statistics:
                tracer.bound_arrays[full] = leaf


def _trained(tracer: Capturing, x: Any) -> bool:
    """Whether an array is trained, or may be where its framework does not say."""
    owner, told = tracer.arrays.array_owner(x), tracer.backend.trained(x) if tracer.backend is not None else False
    floating = owner is not None and (dtype := owner.dtype_of(x)) is not None and dtype.kind in "fc"
    return floating and told is not False


# ---------------------------------------------------------------------- free variables
def closed_over(target: types.FunctionType) -> dict[str, Any]:
    """What a target, and the functions that it names, hold, by the name of the variable; the first of a name that stands for several."""
    found: dict[str, Any] = {}
    seen: set[int] = set()
    waiting = [target]
    while waiting:
        function = waiting.pop(0)
        if id(function) in seen:
            continue
        seen.add(id(function))
        for variable in variables(function):
            inner = list(_functions(variable.old))
            waiting += inner
            if not inner:
                found.setdefault(variable.name, variable.old)
    return found


def _functions(held: Any) -> Iterator[types.FunctionType]:
    """The Python function that a variable holds, wrapped or not."""
    inner = held
    while isinstance(inner, functools.partial):
        inner = inner.func
    if isinstance(inner, types.FunctionType):
        yield inner
    elif callable(inner) and not isinstance(inner, type) and own_attribute(inner, "__wrapped__") is not None:
        yield from _functions(compiled(inner))
