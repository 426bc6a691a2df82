"""Channels last: convolutions and pooling over (N, ..., C), with what stands between them; arguments and results stay as they are."""

from __future__ import annotations

from typing import Any

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
from .inline import callees_first
from .sweep import written

_EACH = Trait.ELEMENTWISE | Trait.TOTAL


class ChannelsLast(Pass):
    """Gives ops over channels and places their form for (N, ..., C), and moves axes only where something needs them in order.

    Functions take and give channels last where their callers then move nothing. Kernels that a convolution alone takes are
    turned once, in the parameters. It needs types: bind and infer the program first.
    """

    name = "channels_last"

    def run(self, program: Program, context: Context) -> bool:
        axes = Axes(program)
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
        for node in list(self.graph):
            if is_call(node):
                self.call(node)
            elif node in self.fixed:
                continue
            elif not node.regions and node.values and _may_turn(node) and self.kept.isdisjoint(_values(node)):
                self.one(node)

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
        assert row is not None
        if rank is None or rank < 3 or (row.places is not None and row.places(node.op.named(node.args)) != rank - 2):
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


def _may_turn(node: Node) -> bool:
    """Whether a node may go over to values with channels last; what its author wrote in place, where each element is on its own."""
    return not node.in_place or bool(node.op.traits & _EACH and rank_of(node.args[0]) == rank_of(node.value))
