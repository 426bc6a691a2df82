"""Whether what a loop carries may become an array, where it starts as a number and no ranks are known."""

from __future__ import annotations

from typing import Any

from ..graph import Node, Value
from ..types import LogicalTensor
from .control import IFS, LOOPS
from .copying import outputs_of
from .liveness import Liveness, loop_results

_ALONG = frozenset("cumulative_sum cumulative_prod sort argsort topk topk_total".split())
"""Ops of the family of reductions that give as many elements as they take."""


class Ranks:
    """Answers for the values of one function."""

    def __init__(self, liveness: Liveness) -> None:
        self.liveness = liveness
        self._tested: set[Value] | None = None

    def grows(self, node: Node) -> bool:
        """Whether a carried number of a loop may become an array."""
        numbers = (
            at
            for at in self.liveness.carried(node)
            if isinstance(self.liveness.resolve(node.arg("init")[at]), (bool, int, float, complex))
        )
        return any(at != node.arg("exit") and self._may_be_array(loop_results(node)[at]) for at in numbers)

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
    if op.name in ("constant", "as_tensor"):
        return isinstance(node.args[0], (bool, int, float, complex))
    if "reduction" in op.params:
        return node.arg("reduction") in ("mean", "sum")
    keeps = "keepdims" in op.params and node.arg("keepdims") is not False
    reduces = op.family == "reduce" and "axis" in op.params and op.name not in _ALONG
    return reduces and node.arg("axis") is None and not keeps
