"""Shapes where none are known: whether a number may become an array, and whether two values have one shape."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..graph import Node, Value
from ..types import LogicalTensor
from .control import IFS, LOOPS
from .copying import outputs_of
from .liveness import Liveness, loop_results

_ALONG = frozenset("cumulative_sum cumulative_prod sort argsort topk topk_total".split())
"""Ops of the family of reductions that give as many elements as they take."""
_DEEP = 32


class Ranks:
    """Answers for the values of one function."""

    def __init__(self, liveness: Liveness) -> None:
        self.liveness = liveness
        self._tested: set[Value] | None = None
        self._parts: set[frozenset[Any]] | None = None
        self._shapes: dict[Value, frozenset[Any]] = {}

    def grows(self, node: Node) -> bool:
        """Whether a carried number of a loop may become an array."""
        numbers = (
            at
            for at in self.liveness.carried(node)
            if isinstance(self.liveness.resolve(node.arg("init")[at]), (bool, int, float, complex))
        )
        return any(at != node.arg("exit") and self._may_be_array(loop_results(node)[at]) for at in numbers)

    def alike(self, first: Any, second: Any) -> bool:
        """Whether two values have one shape for all inputs, as the ops that made them tell: x * 2 and tanh(x), x[0] and x[1]."""
        return self._shape(first) == self._shape(second)

    def _shape(self, leaf: Any, depth: int = 0) -> frozenset[Any]:
        """What a shape is made of: nothing for a number; dimensions; or values, and parts of them, of unknown shape."""
        value = self.liveness.resolve(leaf)
        if type(value) is not Value or not value.is_tensor or value in self._scalars():
            return frozenset()
        if value not in self._shapes:
            known = value.type.dims if isinstance(value.type, LogicalTensor) else None
            if known is not None and None not in known:
                found: frozenset[Any] = frozenset((known,) if known else ())
            elif depth > _DEEP:
                found = frozenset((value,))
            else:
                found = self._made_of(value, functools.partial(self._shape, depth=depth + 1))
            self._shapes[value] = found
        return self._shapes[value]

    def _made_of(self, value: Value, shape: Callable[[Any], frozenset[Any]]) -> frozenset[Any]:
        unknown = frozenset((value,))
        phi = self.liveness.phis.get(value)
        node, at = phi if phi is not None else (value.node, value.index - 1)
        if phi is not None and at < 0:
            rows = node.args[0][at]
            return frozenset() if type(rows) is tuple else self._part(shape(rows), frozenset())
        if node.op.name in LOOPS:
            init = node.arg("init")[at] if at < len(node.arg("init")) else value
            grows = type(self.liveness.resolve(init)) is not Value and self._may_be_array(value)
            return unknown if grows or init is value else shape(init)
        if node.op.name in IFS:
            one, other = (shape(outputs_of(region.result, len(node.values))[at]) for region in node.regions)
            return one if one == other else unknown
        if node.op.family == "elementwise":
            return frozenset().union(*map(shape, node.args))
        if node.op.name == "getitem" and type(node.args[1]) in (int, Value):
            return self._part(shape(node.args[0]), shape(node.args[1]))
        return frozenset() if _gives_scalar(node) else unknown

    def _part(self, whole: frozenset[Any], index: frozenset[Any]) -> frozenset[Any]:
        """The shape of a part of an array, which is none where a test asks such a part for its truth."""
        part = frozenset(((whole, index),))
        if self._parts is None:
            self._parts = set()
            self._parts.update([self._made_of(value, self._shape) for value in self._scalars()])
            self._shapes.clear()  # found before these were known
        return frozenset() if part in self._parts else part

    def _may_be_array(self, root: Any) -> bool:
        todo, seen = [root], set()
        while todo:
            value = self.liveness.resolve(todo.pop())
            if type(value) is not Value or not value.is_tensor or value in seen or value in self._scalars():
                continue
            seen.add(value)
            known = value.type
            if isinstance(known, LogicalTensor) and known.dims is not None:
                if known.dims:
                    return True
                continue
            sources = self._sources(value)
            if sources is None:
                return True
            todo.extend(sources)
        return False

    def _sources(self, value: Value) -> list[Any] | None:
        """The values that have the rank of this one, or a higher one; None where it may have any."""
        phi = self.liveness.phis.get(value)
        node, at = phi if phi is not None else (value.node, value.index - 1)
        if phi is not None and at < 0:  # an item: the index of a range, or a row
            return [] if type(node.args[0][at]) is tuple else None
        if node.op.name in LOOPS:
            return [node.arg("init")[at], loop_results(node)[at]] if at < len(node.arg("init")) else None
        if node.op.name in IFS:
            return [outputs_of(region.result, len(node.values))[at] for region in node.regions]
        if node.op.family == "elementwise":
            return list(node.args)
        return [] if _gives_scalar(node) else None

    def _scalars(self) -> set[Value]:
        """Values that a test asks for their truth, or compares, and bounds of ranges: of one element."""
        if self._tested is None:
            self._tested = set()
            todo: list[Any] = []
            for node in self.liveness.live:
                if node.op.name == "cond":
                    todo.append(node.args[0])
                elif node.op.name == "while":
                    todo.extend(outputs_of(node.regions[0].result, 1))
                elif node.op.name in ("for", "host_for"):
                    todo.extend(bound for over in node.args[0] if type(over) is tuple for bound in over[1:])
            while todo:
                value = self.liveness.resolve(todo.pop())
                if type(value) is Value and value not in self._tested:
                    self._tested.add(value)
                    todo.extend(value.node.args if value.node.op.family == "elementwise" else ())
        return self._tested


def _gives_scalar(node: Node) -> bool:
    """Whether an op gives one number whatever it takes."""
    op = node.op
    if op.family == "number":
        return True
    if op.name in ("constant", "as_tensor"):
        return isinstance(node.args[0], (bool, int, float, complex))
    if "reduction" in op.params:
        return node.arg("reduction") in ("mean", "sum")
    keeps = "keepdims" in op.params and node.arg("keepdims") is not False
    reduces = op.family == "reduce" and "axis" in op.params and op.name not in _ALONG
    return reduces and node.arg("axis") is None and not keeps
