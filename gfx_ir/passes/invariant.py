"""Loop-invariant motion: what each trip computes anew of what no trip changes is computed once, before the loop."""

from __future__ import annotations

from typing import Any

from ..control import is_parameter
from ..graph import Graph, Node, Value
from ..op import Trait
from ..program import Program
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .base import ALL, Context, Pass, every_graph
from .effects import Effects
from .sweep import written
from .trips import surely_runs


class Invariant(Pass):
    """Moves nodes out of loops, the innermost first. Where a loop may run no trip, only those move that cannot fail."""

    name = "invariant"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        effects, changed = Effects(program), False
        for graph in reversed(every_graph(program)):
            for node in list(graph):
                if node.op.control is not None and node.op.control.carried(node):
                    changed |= _Loop(node, effects).run()
        return changed


class _Loop:
    """One loop: the values of its body that no trip changes, each with what it is outside."""

    def __init__(self, node: Node, effects: Effects) -> None:
        self.node, self.effects, self.body = node, effects, node.regions[-1]
        control = node.op.control
        assert control is not None
        feeds = control.feeds(node)[-1] or ()
        first = control.carried(node).stop
        self.outside: dict[Value, Any] = dict(zip(self.body.placeholders[first:], feeds[first:]))
        self.runs, self.kept = surely_runs(node), written(self.body)

    def run(self) -> bool:
        """Move what can move."""
        moved = [inner for inner in list(self.body) if self._may_move(inner) and self._move(inner)]
        values = [value for inner in moved for value in inner.values]
        taken = [value for value in values if any(user.graph is not self.node.graph for user in value.uses)]
        if taken:
            self._pass_in(taken)
        return bool(moved)

    def _may_move(self, inner: Node) -> bool:
        values = [leaf for leaf in leaves(inner.args) if type(leaf) is Value]
        if inner.in_place or inner.regions or self.effects.node(inner) or not values:
            return False
        if not all(leaf in self.outside or self._parameter(leaf) for leaf in values):
            return False
        if not self.kept.isdisjoint((*values, *inner.values)):
            return False
        return self.runs or _cannot_fail(inner)

    def _parameter(self, value: Value) -> bool:
        return self.body.parameters.get(value.node.args[0]) is value if is_parameter(value.node) else False

    def _move(self, inner: Node) -> bool:
        graph = self.node.graph
        assert graph is not None
        self.body.detach(inner)
        inner.args = tree_map(lambda leaf: self._outer(leaf, graph) if type(leaf) is Value else leaf, inner.args)
        graph.insert(inner, self.node)
        self.outside.update(zip(inner.values, inner.values))
        return True

    def _outer(self, value: Value, graph: Graph) -> Any:
        if value in self.outside:
            return self.outside[value]
        return graph.add_parameter(value.node.args[0], value.type)

    def _pass_in(self, values: list[Value]) -> None:
        """Let every region take values that are made outside now."""
        for region in self.node.regions:
            for value in values:
                place = region.add_placeholder(value.name or "", value.kind, value.type)
                place.name = value.name
                for user in value.users():
                    if user.graph is region:
                        user.replace_input(value, place)
        at = self.node.op.params.index("operands")
        args = self.node.args
        self.node.set_args((*args[:at], (*args[at], *values), *args[at + 1 :]))


def _cannot_fail(node: Node) -> bool:
    """Whether a node gives something whatever its inputs hold: element by element, of floating numbers of known shapes."""
    if not node.op.traits & Trait.ELEMENTWISE:
        return False
    for leaf in (*leaves(node.args), *node.values):
        if type(leaf) is Value:
            type_ = leaf.type
            known = isinstance(type_, LogicalTensor) and type_.dtype is not None and type_.dims is not None
            if not known or type_.dtype.kind not in "fb" or None in type_.dims:
                return False
    return True
