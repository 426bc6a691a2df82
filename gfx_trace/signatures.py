"""What a function that stays one is called with, and what it gives: keys of arguments that one capture stands for, and results
that a call can give.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gfx_ir.graph import Graph, Value
from gfx_ir.probing import is_module

from .aliases import Doubt, memory
from .either import Either
from .interfaces import Capturing
from .profiles import Profile, Profiles
from .proxy import Proxy

_LASTING = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
_FIXED = (bool, int, float, complex, str, bytes, type(None))


class NoCall(Exception):
    """The arguments, body or result of a function are such that a call of it cannot stand for it."""


@dataclass(frozen=True)
class Output:
    """A place in a result: one of the values that the function gives, or one of its arguments."""

    at: int
    argument: bool = False


class Given:
    """The tensors among the arguments of a call, each once, and the key of all that it is given."""

    def __init__(self, profiles: Profiles, f: types.FunctionType, args: tuple, kwargs: dict) -> None:
        self.proxies: list[Proxy] = []
        self.profiles: list[Profile] = []
        self.names: list[str] = []  # of the parameters that they are given to
        self._known = profiles
        self._memory: set[int] = set()
        code = f.__code__
        named = [*zip([*code.co_varnames[: code.co_argcount], *[""] * len(args)], args), *kwargs.items()]
        self.key = (
            code, tuple(map(self._cell, f.__closure__ or ())), self._of(f.__defaults__ or ()),
            self._of(tuple((f.__kwdefaults__ or {}).items())), len(args), *[self._given(*item) for item in named],
        )  # fmt: skip

    def _given(self, name: str, x: Any) -> Any:
        """The key of an argument."""
        before = len(self.proxies)
        key = name, self._of(x)
        self.names += [name] * (len(self.proxies) - before)
        return key

    def _cell(self, cell: types.CellType) -> Any:
        found = content_of(cell)
        return ("cell", id(cell)) if type(found) is Proxy else self._of(found)

    def _of(self, x: Any) -> Any:
        kind = type(x)
        if kind in _FIXED:
            return kind, repr(x)
        if kind is tuple:
            return (tuple, *map(self._of, x))
        if kind is Proxy:
            return self._tensor(x)
        if kind in _LASTING or isinstance(x, type) or is_module(x):
            return "object", id(x)
        raise NoCall

    def _tensor(self, x: Proxy) -> Any:
        for at, known in enumerate(self.proxies):
            if known is x:
                return "same", at
        value = x.read()
        profile = self._known.of(value) if type(value) is Value and value.kind == "tensor" else None
        held = {id(item) for item in memory(x)}
        if profile is None or not (type(x.base) in (Proxy, type(None)) or self._memory.isdisjoint(held)):
            raise NoCall  # whether it is another argument is open
        if any(
            type(other.base) not in (Proxy, type(None)) and held & set(map(id, memory(other))) for other in self.proxies
        ):
            raise NoCall
        self.proxies.append(x)
        self.profiles.append(profile)
        self._memory |= held
        return "tensor", x.backend.name if x.backend is not None else "", profile

    def filled(self, x: Any, places: list[Proxy]) -> Any:
        """The arguments with others in the places of these tensors."""
        if type(x) is tuple:
            return tuple(self.filled(item, places) for item in x)
        found = [place for place, known in zip(places, self.proxies) if known is x]
        return found[0] if found else x


class Outputs:
    """What a captured body gives: its own tensors, its arguments, and constants."""

    def __init__(self, tracer: Capturing, graph: Graph, places: Sequence[Proxy]) -> None:
        self.tracer, self.graph, self.places = tracer, graph, places
        self.values: list[Value] = []
        self.backends: list[Any] = []
        self._known: list[Proxy] = []
        self._memory: set[int] = set()  # what the tensors that it gives are made of, by id

    def _own(self, x: Proxy) -> bool:
        """Whether the memory of a tensor is of this body, and of no other tensor that it gives."""
        held = memory(x)
        if any(item.base is not None and not isinstance(item.base, (Doubt, Either)) for item in held):
            return False
        if not self._memory.isdisjoint(map(id, held)) or any(item is place for item in held for place in self.places):
            return False
        self._memory.update(map(id, held))
        return all(self._inside(item.value) for item in (x, *held))

    def _inside(self, value: Any) -> bool:
        """Whether a value was made in this body, or in a region of it."""
        root = self.tracer.facts.root(value) if type(value) is Value else None
        graph = None if root is None or root in self.graph.placeholders else root.node.graph
        while graph is not None and graph is not self.graph:
            graph = graph.owner.graph if graph.owner is not None else None
        return graph is not None

    def of(self, x: Any) -> Any:
        """The tree of a result. Raises NoCall."""
        if type(x) is tuple:
            return tuple(map(self.of, x))
        if type(x) in _FIXED:
            return x
        if type(x) is not Proxy:
            raise NoCall
        for at, place in enumerate(self.places):
            if place is x:
                return Output(at, argument=True)
        for at, known in enumerate(self._known):
            if known is x:
                return Output(at)
        value = x.read()
        if value.kind != "tensor" or value.node.graph is not self.graph or value in self.values or not self._own(x):
            raise NoCall
        self.values.append(value)
        self.backends.append(x.backend)
        self._known.append(x)
        return Output(len(self.values) - 1)


def content_of(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a variable that is set later
        return NoCall
