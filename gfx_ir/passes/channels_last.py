"""Channels last: convolutions and pooling over (N, ..., C), with what stands between them; arguments and results stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..control import is_call
from ..dependence import pinned
from ..edited import take_place
from ..graph import Graph, Node, Value
from ..infer import retype
from ..op import Trait, lookup
from ..program import Program
from ..trees import leaves, tree_map
from .arranged import in_last
from .axes import Axes, rank_of, to_last
from .base import Context, Pass, with_regions
from .crossing import cancelled_across_calls
from .inline import callees_first, inlined, size
from .sweep import written

_EACH = Trait.ELEMENTWISE | Trait.TOTAL


class ChannelsLast(Pass):
    """Gives ops over channels and places their form for (N, ..., C), and moves axes only where something needs them in order.

    Functions take and give channels last where their callers then move nothing. Kernels that a convolution alone takes are
    turned once, in the parameters. It needs types: bind and infer the program first.
    """

    name = "channels_last"

    def run(self, program: Program, context: Context) -> bool:
        if not any(map(_has_places, (node for graph in program.graphs for node in graph.walk()))):
            return False
        axes = Axes(program)
        axes.changed = inlined(program, lambda callee: size(callee) == 1 and not callee.parameters)
        for graph in callees_first(program):
            for inner in reversed(with_regions((graph,))):
                _Walk(axes, graph, inner).run()
            if graph is not program.entry:
                axes.offer(graph)
        axes.clean()
        axes.changed |= cancelled_across_calls(program)
        if axes.changed:
            retype(program)
        return axes.changed


class _Walk:
    """One graph, whose parameters are those of `root`."""

    def __init__(self, axes: Axes, root: Graph, graph: Graph) -> None:
        self.axes, self.root, self.graph = axes, root, graph
        self.kept, self.fixed = written(graph, lambda node: not _may_turn(node)), pinned(graph)

    def run(self) -> None:
        nodes = list(self.graph)
        ahead = self.ahead(nodes)
        for node in nodes:
            if node in ahead:
                self.last(node.args[0], node)
            if is_call(node):
                self.call(node)
            elif self.turns(node):
                self.one(node)

    def turns(self, node: Node) -> bool:
        """Whether a node may be written anew."""
        free = node not in self.fixed and not node.regions and bool(node.values)
        return free and _may_turn(node) and self.kept.isdisjoint(_values(node))

    def ahead(self, nodes: list[Node]) -> set[Node]:
        """What stands between a value and the one node that wants it with channels last: axes are moved before it, where a function
        then takes what its callers have."""
        found: set[Node] = set()
        for node in reversed(nodes):
            for value in self.wished(node, found):
                if value.uses == {node: 1} and self.turns(value.node) and _on_its_own(value.node):
                    found.add(value.node)
        return found

    def wished(self, node: Node, ahead: set[Node]) -> list[Value]:
        """Which values a node wants with channels last; `ahead`: the nodes behind it that are written so."""
        if is_call(node):
            takes, _ = self.axes.interface.get(self.axes.program.callee(node.args[0]), ({}, {}))
            return [node.args[2][at] for at in takes if type(node.args[2][at]) is Value]
        return [node.args[0]] if node in ahead or (self.turns(node) and _has_places(node)) else []

    def one(self, node: Node) -> None:
        """One node, by what its row says of axes."""
        if node.op.channels_last is not None:
            self.over_channels(node)
        elif node.op.traits & Trait.PERMUTES:
            self.axes.moved_by_author(node)
        elif any(type(leaf) is Value and leaf in self.axes.last for leaf in leaves(node.args)):
            if node.op.traits & Trait.AXES:
                self.along_axes(node)
            elif node.op.traits & _EACH and len(node.values) == 1:
                self.each_element(node)
            elif type(node.args[0]) is Value and (args := in_last(node)) is not None:
                made = Node(node.op, (self.last(node.args[0], node), *args), _kinds(node), node.span)
                self.put(node, made, rank_of(node.value))

    # ------------------------------------------------------------------ rules
    def over_channels(self, node: Node) -> None:
        row, rank = node.op.channels_last, rank_of(node.args[0])
        if row is None or rank is None or not _has_places(node):
            return
        named = dict(zip(node.op.params, node.args))
        named[node.op.params[0]] = self.last(node.args[0], node)
        for name in row.kernels:
            named[name] = self.axes.kernel(named[name], rank, self.root, self.graph, node)
        self.put(node, Node(lookup(row.op), tuple(named.values()), _kinds(node), node.span), rank)

    def along_axes(self, node: Node) -> None:
        """Its axis under the number that it has now. A reduction may leave no more to be put in order."""
        named = dict(zip(node.op.params, node.args))
        ranks = {rank_of(leaf) for leaf in _values(node)}
        rank = ranks.pop() if len(ranks) == 1 else None
        axis, keeps = named["axis"], named.get("keepdims", True)
        if rank is None or type(keeps) is not bool or not _is_axis(axis):
            return
        place = {axis: at for at, axis in enumerate(to_last(rank))}
        over = [at % rank for at in ((axis,) if type(axis) is int else axis or ())]
        if not keeps and axis is not None:
            rest = [place[at] for at in range(rank) if at not in over]
            if rest != sorted(rest):
                return
        named["axis"] = (
            axis if axis is None else place[over[0]] if type(axis) is int else tuple(sorted(place[at] for at in over))
        )
        args = tree_map(lambda leaf: self.last(leaf, node) if type(leaf) is Value else leaf, tuple(named.values()))
        self.put(node, Node(node.op, args, _kinds(node), node.span), rank if keeps else None)

    def each_element(self, node: Node) -> None:
        rank = rank_of(node.value)
        tensors = [leaf for leaf in _values(node) if leaf.is_tensor]
        ranks = [rank_of(leaf) for leaf in tensors]
        if rank is None or None in ranks or not all(type(leaf) is Value or not _holds(leaf) for leaf in node.args):
            return
        if max((found for leaf, found in zip(tensors, ranks) if leaf in self.axes.last and found), default=0) < rank:
            return
        args = tuple(
            [self.wide(leaf, rank, node) if type(leaf) is Value and leaf.is_tensor else leaf for leaf in node.args]
        )
        self.put(node, Node(node.op, args, _kinds(node), node.span), rank)

    def wide(self, value: Value, rank: int, node: Node) -> Value:
        """An operand with channels last, as many axes as the result has; one without axes as it is."""
        own = rank_of(value)
        if not own:
            return value
        for _ in range(rank - own):
            made = self.graph.insert(Node(lookup("expand_dims"), (value, 0), ("tensor",), node.span), node)
            value = made.value
        return self.last(value, node, rank)

    def call(self, node: Node) -> None:
        callee = self.axes.program.callee(node.args[0])
        takes, gives = self.axes.interface.get(callee, ({}, {}))
        name, prefix, given = node.args
        if not takes and not gives and callee is not None and any(leaf in self.axes.last for leaf in _values(node)):
            ranks = {rank_of(leaf) for leaf in _values(node) if leaf.is_tensor} - {0}
            if len(ranks) == 1 and None not in ranks and _each_element(callee):
                takes = {at: rank for at, leaf in enumerate(given) if (rank := rank_of(leaf))}
                gives = {at: rank for at, value in enumerate(node.values) if (rank := rank_of(value))}
                self.axes.changed = True
        if takes:
            new = [self.last(leaf, node, takes[at]) if at in takes else leaf for at, leaf in enumerate(given)]
            node.set_args((name, prefix, tuple(new)))
        after = node.next
        for at, rank in gives.items():
            self.axes.back(node.values[at], rank, self.graph, after)

    # ------------------------------------------------------------------ values
    def last(self, value: Value, before: Node, rank: int | None = None) -> Value:
        """A value with channels last."""
        return self.axes.of(value, self.graph, before, rank)

    def put(self, node: Node, made: Node, rank: int | None) -> None:
        """Put a node in the place of another one; `rank`: of its values that have channels last, None where they have no order to change."""
        self.axes.changed, made.in_place = True, node.in_place
        self.graph.insert(made, node)
        take_place(made.values, node.values)
        for old, new in zip(node.values, made.values):
            if rank is not None and (rank_of(old) == rank or len(node.values) == 1):
                self.axes.back(new, rank, self.graph, node)
        self.graph.erase(node)


def _kinds(node: Node) -> tuple[str, ...]:
    return tuple([value.kind for value in node.values])


def _values(node: Node) -> list[Value]:
    return [leaf for leaf in leaves(node.args) if type(leaf) is Value]


def _holds(arg: Any) -> bool:
    return any(type(leaf) is Value for leaf in leaves(arg))


def _is_axis(axis: Any) -> bool:
    return axis is None or type(axis) is int or (type(axis) is tuple and all(type(at) is int for at in axis))


def _has_places(node: Node) -> bool:
    """Whether a node has a form for channels last, and is given axes of places."""
    row, rank = node.op.channels_last, rank_of(node.args[0]) if node.args else None
    if row is None or rank is None or rank < 3:
        return False
    return row.places is None or row.places(node.op.named(node.args)) == rank - 2


def _on_its_own(node: Node) -> bool:
    """Whether a node arranges one tensor, or computes each of its elements of the one that stands there."""
    if len(node.values) != 1 or type(node.args[0]) is not Value or (rank_of(node.args[0]) or 0) < 3:
        return False
    alone = sum(leaf.is_tensor for leaf in _values(node)) == 1 and rank_of(node.value) == rank_of(node.args[0])
    return alone and (bool(node.op.traits & _EACH) or in_last(node) is not None)


def _each_element(graph: Graph) -> bool:
    """Whether a function computes each element of what stands there in its arguments: in whatever order their axes stand."""
    return not graph.parameters and all(
        node.op.traits & _EACH and not any(np.ndim(leaf) for leaf in leaves(node.args) if type(leaf) is not Value)
        for node in graph
    )


def _may_turn(node: Node) -> bool:
    """Whether a node may go over to values with channels last; what its author wrote in place, where each element is on its own."""
    return not node.in_place or bool(node.op.traits & _EACH and rank_of(node.args[0]) == rank_of(node.value))
