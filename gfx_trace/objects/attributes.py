"""Attributes as the user's own classes give them: descriptors, cached properties, `__getattr__` and its like are entered."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from ..heap.contents import attributes_of
from ..heap.slots import MISSING
from ..interfaces import Capturing
from ..rewrite.packages import enterable
from ..values.raised import gfx_handlers

NOT_OWN = object()
"""What stands for: Python finds this attribute itself."""

Giver = Callable[[Any], Any]
"""What gives an attribute of an object."""


class Attributes:
    """The attributes that code of the user's gives."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self.raw: dict[tuple[type, str], Any] = {}  # what a class holds under a name, before any descriptor is asked
        self.givers: dict[
            tuple[type, str], Giver | None
        ] = {}  # the code of the user's that gives it; None: Python finds it itself
        self.inner: dict[tuple[type, str], Giver | None] = {}  # the same where `object` is asked

    def held(self, kind: type, name: str) -> Any:
        """What a class or one of its bases holds under a name, as it stands there; MISSING: nothing."""
        found = self.raw.get((kind, name), self)
        if found is self:
            found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), MISSING)
            self.raw[kind, name] = found
        return found

    def get(self, o: Any, name: str) -> Any:
        """o.name, where code of the user's gives it; else NOT_OWN."""
        give = self.giver(type(o), name)
        return NOT_OWN if give is None else give(o)

    def of_object(self, o: Any, name: str) -> Any:
        """object.__getattribute__(o, name): what is found where the class's own `__getattribute__` and `__getattr__` are not asked."""
        key = type(o), name
        if key not in self.inner:
            self.inner[key] = self._giver_of_class(*key)
        give = self.inner[key]
        given = NOT_OWN if give is None else give(o)
        if given is not NOT_OWN:
            return given
        return self.tracer.arrays.in_graph(self.tracer.objects.attribute(o, name, object.__getattribute__))

    def giver(self, kind: type, name: str) -> Giver | None:
        """What gives an attribute of the objects of a class, where that is code of the user's."""
        key = kind, name
        try:
            return self.givers[key]
        except KeyError:
            give = self.givers[key] = self._giver(*key)
            return give

    def _giver(self, kind: type, name: str) -> Giver | None:
        """The code of the user's that gives an attribute to objects of a class; None where Python finds it itself."""
        call = self.tracer.calls.call
        if kind is super or issubclass(kind, type):
            return None
        whole, absent = (own_function(self.held(kind, asked)) for asked in ("__getattribute__", "__getattr__"))
        first = self._giver_of_class(kind, name) if whole is None else lambda o: call(whole, (o, name), {})
        if absent is None:
            return first
        if first is None and self.held(kind, name) is MISSING:
            return lambda o: NOT_OWN if name in attributes_of(o) else call(absent, (o, name), {})
        first = first or (partial(_slot, name) if type(self.held(kind, name)) is types.MemberDescriptorType else None)
        return None if first is None else partial(self._either, name, first, absent)

    def _either(self, name: str, first: Giver, absent: Any, o: Any) -> Any:
        """What a class's `__getattribute__`, or a descriptor, gives, and its `__getattr__` where that says that there is no such attribute."""
        try:
            with gfx_handlers(lambda: (AttributeError,)):
                return first(o)
        except AttributeError:
            return self.tracer.calls.call(absent, (o, name), {})

    def _giver_of_class(self, kind: type, name: str) -> Giver | None:
        """The same of what the class holds under the name: a property, or another descriptor."""
        call, found = self.tracer.calls.call, self.held(kind, name)
        if type(found) is property and isinstance(found.fget, types.FunctionType):
            return lambda o: call(found.fget, (o,), {})
        if type(found) is functools.cached_property and own_function(found.func) is not None:
            return lambda o: self._cached(o, name, found.func)
        give = own_function(self.held(type(found), "__get__"))
        if give is None:
            return None
        hides = (
            self.held(type(found), "__set__") is MISSING
        )  # what the object itself has goes before a descriptor that does not set
        return lambda o: NOT_OWN if hides and name in attributes_of(o) else call(give, (found, o, kind), {})

    def _cached(self, o: Any, name: str, function: Any) -> Any:
        """A cached property: the object itself keeps nothing of a capture."""
        own, tracer = attributes_of(o), self.tracer
        if name in own:
            return own[name]
        found = tracer.memoised.properties.setdefault((id(o), name), (o, []))[1]
        return tracer.memoised.once(found, lambda: tracer.calls.call(function, (o,), {}), f"cached property {name!r}")

    def forget(self, o: Any, name: str) -> bool:
        """Before a cached property is deleted: whether a part of the code has it."""
        if (id(o), name) not in self.tracer.memoised.properties or name in attributes_of(o):
            return False
        if self.tracer.stack:
            raise self.tracer.error(
                f"GFX cannot delete the cached property {name!r} in a test or loop on captured data"
            )
        return bool(self.tracer.memoised.properties.pop((id(o), name)))

    def has(self, o: Any, name: str) -> bool | None:
        """hasattr(o, name), where code of the user's tells it; else None."""
        try:
            with gfx_handlers(lambda: (AttributeError,)):
                return None if self.get(o, name) is NOT_OWN else True
        except AttributeError:
            return False

    def set(self, o: Any, name: str, value: Any) -> bool:
        """o.name = value, where code of the user's does it: whether it does."""
        kind = type(o)
        whole = own_function(self.held(kind, "__setattr__"))
        if whole is not None:
            self.tracer.calls.call(whole, (o, name, value), {})
            return True
        found = self.held(kind, name)
        put = MISSING if found is MISSING else self.held(type(found), "__set__")
        if own_function(put) is None:
            return False
        self.tracer.calls.call(put, (found, o, value), {})
        return True


def _slot(name: str, o: Any) -> Any:
    """A slot, which Python reads. Raises AttributeError where nothing is in it."""
    object.__getattribute__(o, name)
    return NOT_OWN


def own_function(f: Any) -> Any:
    """A Python function that has a source and is entered; else None."""
    if not isinstance(f, types.FunctionType) or f.__code__.co_filename.startswith("<string>"):
        return None
    return f if enterable(f) else None
