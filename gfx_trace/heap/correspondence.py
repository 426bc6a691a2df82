"""Structural correspondence of modules: what of one stands for what of another, where they hold the same but for their tensors."""

from __future__ import annotations

import functools
import types
from collections import OrderedDict
from typing import Any

from gfx_ir.probing import is_module

from ..values.gated import Gated
from ..values.proxy import Captured, Undefined, Unusable
from .contents import MODULE_TABLES, WITHOUT_PARTS, attributes_of

OF_THE_CAPTURE = (Captured, Gated, Unusable, Undefined)
"""What stands in an object for what is only known when the code runs."""
_TENSORS = MODULE_TABLES[:2]
_ASKED_OF_TENSORS = ("dtype", "shape", "requires_grad", "device", "layout", "is_leaf", "grad", "_backward_hooks")


class Correspondence:
    """`there`: by the id of what the first holds, what the other has in its place; `modules` and `tensors`: those that correspond, in
    pairs; `differ`: the attributes, by the id of the first one's owner and name, that are other constants."""

    def __init__(self) -> None:
        self.there: dict[int, Any] = {}
        self._back: dict[int, int] = {}
        self.modules: list[tuple[Any, Any]] = []
        self.tensors: list[tuple[Any, Any]] = []
        self.differ: set[tuple[int, str]] = set()

    def of(self, a: Any, b: Any) -> bool:
        """Whether what the first holds corresponds to what the other holds in its place."""
        kind = type(a)
        if kind is not type(b):
            return False
        if kind in WITHOUT_PARTS:
            return _equal(a, b)
        if id(a) in self.there:
            return self.there[id(a)] is b
        if self._back.get(id(b), id(a)) != id(a):
            return False
        self.there[id(a)], self._back[id(b)] = b, id(a)
        if is_module(a):
            return self._modules(a, b)
        if issubclass(kind, OF_THE_CAPTURE):  # what it is may have changed
            return False
        if kind is dict or kind is OrderedDict:
            return _same_keys(a, b) and all(map(self.of, a.values(), b.values()))
        if kind is list or issubclass(kind, tuple):
            return len(a) == len(b) and all(map(self.of, a, b))
        if a is b:  # of the containers above, the modules and tensors in them count
            return True
        if kind is set or kind is frozenset:
            return WITHOUT_PARTS.issuperset(map(type, a)) and bool(a == b)
        if kind is types.MethodType:
            return self.of(a.__func__, b.__func__) and self.of(a.__self__, b.__self__)
        if kind is functools.partial:
            return all(map(self.of, (a.func, a.args, a.keywords), (b.func, b.args, b.keywords)))
        return False

    def _modules(self, a: Any, b: Any) -> bool:
        self.modules.append((a, b))
        own, others = attributes_of(a), attributes_of(b)
        if not _same_keys(own, others):
            return False
        for name, held in own.items():
            other = others[name]
            if held is other and type(held) in WITHOUT_PARTS:
                continue
            if name in _TENSORS:
                if not (_same_keys(held, other) and all(map(self._tensors, held.values(), other.values()))):
                    return False
            elif type(held) in WITHOUT_PARTS and type(other) in WITHOUT_PARTS:
                if not (type(held) is type(other) and _equal(held, other)):
                    self.differ.add((id(a), name))
            elif not self.of(held, other):
                return False
        return True

    def _tensors(self, a: Any, b: Any) -> bool:
        """Whether registered tensors correspond: all that code may ask of them at the capture is the same."""
        if a is None or b is None:
            return a is b
        if id(a) in self.there:
            return self.there[id(a)] is b
        if self._back.get(id(b), id(a)) != id(a) or type(a) is not type(b):
            return False
        self.there[id(a)], self._back[id(b)] = b, id(a)
        self.tensors.append((a, b))
        return a is b or (
            all(_plain(getattr(a, name), getattr(b, name)) for name in _ASKED_OF_TENSORS)
            and a.stride() == b.stride()
            and self.of(attributes_of(a), attributes_of(b))
        )


def _equal(a: Any, b: Any) -> bool:
    return a is b or bool(a == b and repr(a) == repr(b))


def _plain(a: Any, b: Any) -> bool:
    """Whether what is asked of two tensors is the same; their gradients and hooks only where they have none."""
    return a is b or (a is not None and b is not None and not hasattr(a, "grad") and bool(a == b))


def _same_keys(a: dict, b: dict) -> bool:
    return len(a) == len(b) and all(
        key is other or (type(key) is type(other) and type(key) in WITHOUT_PARTS and key == other)
        for key, other in zip(a, b)
    )
