"""What a captured function gives: values of its own, what it is given, constants, and containers that it makes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gfx_ir.control import is_placeholder
from gfx_ir.graph import Node, Value
from gfx_ir.op import active

from ..heap.aliases import Doubt, doubt, memory
from ..heap.contents import attributes_of, row_of
from ..values.either import Either
from ..values.facts import Facts
from ..values.nest import branches, is_record, part_name, rebuilt
from ..values.proxy import HostProxy, Proxy
from .signatures import FEW, FIXED, NoCall, Open

_MAY_BE = "a function gives it, and it may be a view of what the function is given"


@dataclass(frozen=True)
class Own:
    """One of the values that a function gives. `shares`: the positions of the open values whose memory it may have."""

    at: int
    shares: tuple[int, ...] = ()


@dataclass(frozen=True)
class Passed:
    """One of the open values that a function is given, or (`whole`) of the containers and functions."""

    at: int
    whole: bool = False


@dataclass(frozen=True)
class Tree:
    """A container that a function makes anew in each call."""

    like: Any
    parts: tuple


class Outputs:
    """The values that a captured body gives, in their order, and the tree that its result is of them. `here`: whether a node is one of the
    body's own; `given`: containers that it is given, by their positions. `doubts`: whether one of the values may share memory with what
    the function is given."""

    def __init__(
        self, facts: Facts, here: Callable[[Node], bool], places: Sequence[Open], given: Mapping[int, Any]
    ) -> None:
        self._facts, self._here, self._places, self._given = facts, here, places, given
        self.values: list[Value] = []
        self.like: list[Open] = []
        self.writes: list[tuple[int, int]] = []  # which of the open values are written, and which value tells what
        self.names: dict[int, str] = {}  # what a container that is given calls one of the values
        self.doubts = False
        self._memory: set[int] = set()  # what the tensors that it gives are made of, by id
        self.containers: dict[int, Any] = {}  # which can be written; to be told: that the body has made them

    # ------------------------------------------------------------------ the body's side
    def of(self, x: Any) -> Any:
        """The tree of a result. Raises NoCall."""
        kind = type(x)
        if kind in FIXED:
            return x
        if kind is Proxy or kind is HostProxy:
            return self._open(x)
        for at, made in self._given.items():
            if made is x:
                return Passed(at, whole=True)
        parts = branches(x)
        if parts is None or not self._is_tree(x):
            raise NoCall
        return Tree(x, tuple([self._part(part_name(x, key), item) for key, item in parts]))

    def _part(self, name: str, item: Any) -> Any:
        """A part of a container, which has a name for it, that it is called by if the code has none."""
        part = self.of(item)
        if type(part) is Own and name:
            value = self.values[part.at]
            value.name = self.names[part.at] = value.name or name
        return part

    def flat(self, result: Any, count: int) -> bool:
        """Whether a result, as `of` gives it, is one value, a tuple of such or of few values, and of `count` open values none is written."""
        parts = result.parts if type(result) is Tree and type(result.like) is tuple else (result,)
        few = len(self.values) <= FEW or not any(type(part) is Tree for part in parts)
        return few and all(at >= count for at, _ in self.writes)

    def _is_tree(self, x: Any) -> bool:
        """Whether x is a container, that stands at one place of the result alone."""
        if isinstance(x, tuple):
            return type(x) is tuple or hasattr(x, "_fields")
        plain = type(x) in (list, dict) or (is_record(x) and row_of(type(x)) is None and _has_fields_alone(x))
        if not plain or id(x) in self.containers:
            return False
        self.containers[id(x)] = x
        return True

    def _open(self, x: Open) -> Any:
        for at, place in enumerate(self._places):
            if place is x:
                return Passed(at)
        for at, known in enumerate(self.like):
            if known is x:
                return Own(at)
        value = x.read()
        if type(value) is not Value or not self._here(value.node):
            raise NoCall
        if not isinstance(x, Proxy) or value.kind == "key":
            return Own(self._added(value, x))
        if value.kind != "tensor" or value in self.values or x.own is not None:
            raise NoCall
        shares = self._shares(x)
        self.doubts |= bool(shares)
        return Own(self._added(value, x), shares)

    def _added(self, value: Value, like: Open) -> int:
        self.values.append(value)
        self.like.append(like)
        return len(self.values) - 1

    def _shares(self, x: Proxy) -> tuple[int, ...]:
        """Which of the open values a tensor may share memory with. Raises NoCall where that may be another one from outside, or another
        one of the result."""
        held = memory(x)
        if any(item.base is not None and not isinstance(item.base, (Doubt, Either)) for item in held):
            raise NoCall
        shared = tuple([at for at, place in enumerate(self._places) if any(item is place for item in held)])
        own = [item for item in held if not any(item is place for place in self._places)]
        if not self._memory.isdisjoint(map(id, held)) or not all(self._inside(item.value) for item in own):
            raise NoCall
        self._memory.update(map(id, held))
        return shared

    def _inside(self, value: Any) -> bool:
        """Whether a value was made in this body, or in a region of it."""
        node = self._facts.root(value).node if type(value) is Value else None
        if node is not None and is_placeholder(node) and self._here(node):
            return False
        while node is not None and not self._here(node):
            node = node.graph.owner if node.graph is not None else None
        return node is not None

    def written(self, at: int, place: Proxy) -> None:
        """The open value at that position was written: what it is now is another value that the function gives. Raises NoCall."""
        value = place.value
        if not self._here(value.node) or value.kind not in ("tensor", "key"):
            raise NoCall
        self.writes.append((at, self.values.index(value) if value in self.values else self._added(value, place)))

    # ------------------------------------------------------------------ the caller's side
    def given(self, tree: Any, made: Sequence[Open], values: Sequence[Open], containers: Sequence[Any]) -> Any:
        """What a call gives: `made` are its own values, `values` and `containers` what it was given."""
        kind = type(tree)
        if kind is Own:
            x = made[tree.at]
            if tree.shares and type(x) is Proxy and x.base is None:
                doubt(x, [y for y in map(values.__getitem__, tree.shares) if type(y) is Proxy], _MAY_BE, chosen=True)
            return x
        if kind is Passed:
            return containers[tree.at] if tree.whole else values[tree.at]
        if kind is Tree:
            found = rebuilt(tree.like, [self.given(part, made, values, containers) for part in tree.parts])
            return active.builder.journal.made.note(found)
        return tree


def _has_fields_alone(x: Any) -> bool:
    """Whether all that a record holds is in its fields."""
    return attributes_of(x).keys() <= {f.name for f in dataclasses.fields(x)}
