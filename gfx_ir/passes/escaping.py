"""Escape analysis: the values whose memory a caller may get, as a result or as a part of one.

Source: Choi et al., "Escape Analysis for Java" (1999); flow-insensitive, one walk along use-def edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ..control import calls_function, is_given, is_loop
from ..graph import Graph, Node, Value, values_in
from ..op import Trait
from ..program import Program
from ..reach import reached
from ..regions import outputs_of
from .base import every_graph
from .trips import surely_runs


class Escaping:
    """Answers for the values of one program as it was at the first question, and for what `moves` tells since then.

    Where such a value gives way to memory that the caller has already, two results, or a result and an argument, become one,
    and a write to either one is to both.
    """

    def __init__(self, program: Program) -> None:
        self.program = program

    def __contains__(self, value: Value) -> bool:
        return value in self.values

    def moves(self, old: Value, new: Any) -> bool:
        """Whether one value may take the place of another that has memory of its own; if so, it escapes as that did."""
        if old not in self.values:
            return True
        free = type(new) is Value and bool(new.node.op.traits & Trait.APART) and new not in self.values
        if free:
            self.values.add(new)
        return free

    @cached_property
    def values(self) -> set[Value]:
        """All of them."""
        graphs = every_graph(self.program)
        roots: list[Any] = [self.program.entry.result]
        self.calls: dict[Graph, list[Node]] = {}
        for graph in graphs:
            for node in graph:
                if node.op.effect and not node.regions:  # it may write what it is given, or keep it
                    roots.append(node.args)
                if calls_function(node) and (callee := self.program.callee(node.args[0])) is not None:
                    self.calls.setdefault(callee, []).append(node)
        return set(reached(values_in(tuple(roots)), self._shared))

    def _shared(self, value: Value) -> list[Value]:
        """The values whose memory one may have a part of."""
        node = value.node
        if is_given(node):
            return list(values_in(tuple(self._given(value))))
        if calls_function(node):
            callee = self.program.callee(node.args[0])
            return list(values_in((node.args if callee is None else callee.result,)))
        if node.regions:
            return list(values_in(tuple(_given_by_regions(node, value.index - 1))))
        return [] if node.op.traits & Trait.APART else list(values_in((node.args,)))

    def _given(self, value: Value) -> Iterator[Any]:
        """What a placeholder stands for."""
        graph = value.graph
        owner = graph.owner if graph is not None else None
        if graph is None or value not in graph.placeholders:
            return
        at = graph.placeholders.index(value)
        if owner is not None:
            yield from _fed(owner, graph, at)
        for call in self.calls.get(graph, ()):
            yield call.args


def _fed(owner: Node, region: Graph, at: int) -> Iterator[Any]:
    """What one placeholder of a region stands for, in any trip."""
    control = owner.op.control
    feeds = control.feeds(owner) if control is not None else ()
    place = owner.regions.index(region)
    found = feeds[place] if place < len(feeds) else owner.args
    yield found[at] if found is not None and len(found) == len(region.placeholders) else owner.args
    carried = control.carried(owner) if control is not None else range(0)
    if at in carried:
        yield outputs_of(owner.regions[-1].result, len(owner.values), owner.span)[at - carried.start]


def _given_by_regions(node: Node, at: int) -> Iterator[Any]:
    """What a value of a node with regions may be."""
    control = node.op.control
    gives = control.gives(node) if control is not None else ()
    if len(gives) != len(node.regions):
        yield node.args
        gives = (len(node.values),) * len(node.regions)
    for region, count in zip(node.regions, gives):
        if count is not None:
            found = outputs_of(region.result, count, node.span)
            yield found[at] if count == len(node.values) else found
    if is_loop(node) and not surely_runs(node):
        yield node.arg("init")[at : at + 1]
