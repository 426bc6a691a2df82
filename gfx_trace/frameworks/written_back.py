"""Write-back: what staged code left in its copy of an object goes to the object itself, as writes of the captured code."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..heap.contents import attributes_of
from ..interfaces import Capturing
from ..values.proxy import Proxy


def write_back(tracer: Capturing, root: Any, leaves: list[Any], new: Mapping[int, Any]) -> None:
    """Give the leaves of `root` at these positions what staged code left there. Raises UnsupportedConstruct for one that several
    places hold, or none that can be found."""
    for at, value in new.items():
        leaf = leaves[at]
        alone = sum(other is leaf for other in leaves) == 1
        if type(leaf) is Proxy and alone:
            leaf.write(tracer.unwrap(value))
            continue
        places = [(owner, key, kind) for owner, key, kind, held in _held(root) if held is leaf]
        if not alone or len(places) != 1:
            raise tracer.error(
                "GFX cannot convert this write: JAX's own tracer writes an array that several objects hold, or none that GFX finds",
                "let each of them have an array of its own, or return what is computed",
            )
        owner, key, kind = places[0]
        name = str(key).lstrip("_")
        tracer.journal.record(owner, key, kind, name, tracer.span())
        next(slot for slot in tracer.journal.frames[-1].values() if slot.id == (id(owner), kind, key)).set(value)


def _held(root: Any) -> Iterator[tuple[Any, Any, str, Any]]:
    """(object, key, kind, value) of each item and attribute that can be reached from containers and objects."""
    waiting, seen = [root], set()
    while waiting:
        owner = waiting.pop()
        if id(owner) in seen or isinstance(owner, (Proxy, str, int, float, type, types.ModuleType, types.FunctionType)):
            continue
        seen.add(id(owner))
        if isinstance(owner, types.MethodType):
            waiting.append(owner.__self__)
            continue
        for key, kind, value in _parts(owner):
            waiting.append(value)
            yield owner, key, kind, value


def _parts(owner: Any) -> list[tuple[Any, str, Any]]:
    """(key, kind, value) of what an object itself holds, in slots of its class too."""
    pairs = list(owner.items()) if isinstance(owner, dict) else []
    pairs = list(enumerate(owner)) if isinstance(owner, (list, tuple)) else pairs
    own = dict(attributes_of(owner))
    slots = (pair for kind in type(owner).__mro__ for pair in vars(kind).items())
    for name, member in slots:
        if isinstance(member, types.MemberDescriptorType):
            with suppress(AttributeError):  # it holds nothing
                own[name] = member.__get__(owner)
    return [(key, "item", value) for key, value in pairs] + [(key, "attribute", value) for key, value in own.items()]
