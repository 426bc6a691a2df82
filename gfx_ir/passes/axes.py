"""Where values have channels last: what the walks of ChannelsLast over the graphs of a program share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..control import is_parameter
from ..graph import Graph, Node, Value
from ..op import lookup
from ..program import Program
from ..regions import join_path
from ..trees import BRANCHES
from ..types import LogicalTensor
from .params import data_of, like, prefixes_of, users_of_parameters
from .shapes import order_of

Ranks = dict[int, int]


def to_last(rank: int) -> tuple[int, ...]:
    """The order of axes that puts channels last."""
    return (0, *range(2, rank), 1)


def to_first(rank: int) -> tuple[int, ...]:
    """The order that undoes it."""
    return (0, rank - 1, *range(1, rank - 1))


def of_kernel(rank: int) -> tuple[int, ...]:
    """(O, I, ...) as (..., I, O)."""
    return (*range(2, rank), 1, 0)


def rank_of(leaf: Any) -> int | None:
    """The rank of a tensor value, where it is known."""
    type_ = leaf.type if type(leaf) is Value else None
    return len(type_.dims) if isinstance(type_, LogicalTensor) and type_.dims is not None else None


class Axes:
    """`last` has, for values with channels behind the batch, the same with channels last. `interface`: of functions, which
    arguments and which results have channels last, with the number of their axes."""

    def __init__(self, program: Program) -> None:
        self.program, self.changed = program, False
        self.last: dict[Value, Value] = {}
        self.interface: dict[Graph | None, tuple[Ranks, Ranks]] = {}
        self._prefixes = prefixes_of(program)
        self._users = users_of_parameters(self._prefixes)
        self._moves: list[Node] = []
        self._kernels: dict[Value, Value] = {}

    # ------------------------------------------------------------------ moves
    def of(self, value: Value, graph: Graph, before: Node, rank: int | None = None) -> Value:
        """A value with channels last, moved before a node where it is not at hand."""
        found = self.last.get(value)
        if found is None:
            found = self.last[value] = self._move(value, to_last(rank or rank_of(value) or 0), graph, before)
            found.name = value.name
        return found

    def back(self, value: Value, rank: int, graph: Graph, before: Node | None) -> None:
        """Let all who took a value take it with channels behind the batch; those that are made now may have it as it is."""
        users = value.users()
        first = self._move(value, to_first(rank), graph, before)
        first.type = value.type
        for user in users:
            user.replace_input(value, first)
        self.last[first] = value

    def moved_by_author(self, node: Node) -> None:
        """A permutation that the author wrote: what it gives, or what it was given, may have channels last already."""
        order, x = order_of(node), node.args[0]
        if order is None or len(order) < 3:
            return
        if order == to_last(len(order)) and x in self.last:
            node.value.replace_by(self.last[x])
            self._moves.append(node)
            self.changed = True
        elif order == to_first(len(order)):
            self.last.setdefault(node.value, x)

    def _move(self, value: Value, order: tuple[int, ...], graph: Graph, before: Node | None) -> Value:
        made = graph.insert(Node(lookup("permute_dims"), (value, order), ("tensor",), value.node.span), before)
        self._moves.append(made)
        return made.value

    def clean(self) -> None:
        """Take out the moves that nobody takes, and those that only these took."""
        moves, left = set(self._moves), list(self._moves)
        while left:
            node = left.pop()
            if node.graph is not None and not node.value.uses:
                before = node.args[0].node
                node.graph.erase(node)
                left += [before] if before in moves else []

    # ------------------------------------------------------------------ kernels
    def kernel(self, weight: Value, rank: int, root: Graph, graph: Graph, before: Node) -> Value:
        """A kernel as (..., I, O): its data turned where it is a parameter that nothing else takes."""
        if is_parameter(weight.node) and weight.graph is graph:
            paths = [join_path(prefix, weight.node.args[0]) for prefix in self._prefixes.get(root, ())]
            params = self.program.params
            if paths and all(p in params and p not in self.program.writes and self._users[p] == 1 for p in paths):
                for path in paths:
                    data = data_of(params[path])
                    params[path] = like(params[path], np.ascontiguousarray(data.transpose(of_kernel(data.ndim))))
                weight.type = permuted(weight.type, of_kernel(rank))
                return weight
        found = self._kernels.get(weight)
        if found is None:
            found = self._kernels[weight] = self._move(weight, of_kernel(rank), graph, before)
        return found

    # ------------------------------------------------------------------ functions
    def offer(self, graph: Graph) -> None:
        """Let a function take channels last what it moves so, and give channels last what it moved back."""
        takes: Ranks = {}
        for at, value in enumerate(graph.placeholders):
            moved, rank = self.last.get(value), rank_of(value)
            if moved is not None and moved.uses and rank is not None:
                takes[at] = rank
                self.back(value, rank, graph, graph.first)
                moved.replace_by(value)
        given = graph.result if type(graph.result) is tuple else (graph.result,)
        gives: Ranks = {}
        if not any(type(leaf) in BRANCHES for leaf in given):
            gives = {
                at: rank_of(leaf) or 0 for at, leaf in enumerate(given) if type(leaf) is Value and leaf in self.last
            }
        if gives:
            new = tuple([self.last[leaf] if at in gives else leaf for at, leaf in enumerate(given)])
            graph.result = new if type(graph.result) is tuple else new[0]
        self.interface[graph] = takes, gives
        self.changed |= bool(takes or gives)


def permuted(type_: Any, order: tuple[int, ...]) -> Any:
    """The type of a value whose axes stand in another order."""
    if not isinstance(type_, LogicalTensor) or type_.dims is None:
        return type_
    return type_.with_(dims=tuple([type_.dims[at] for at in order]), strides=None)
