"""Loop fusion: loops over the same trips, of which none needs what another gives, become one; so do scans.

Source: Kennedy and McKinley, "Maximizing Loop Parallelism and Improving Data Locality via Loop Fusion and Distribution" (1993).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ..control import is_for
from ..edited import take_place
from ..graph import Graph, Node, Value
from ..keys import constant_key, tree_key
from ..program import Program
from ..trees import leaves, tree_map
from .base import Context, Pass
from .effects import Effects
from .moves import relink, results_of
from .trips import length


class FuseLoops(Pass):
    """Makes one loop of each group of `for` loops that nothing else keeps apart, those of nested bodies too.

    A loop with a `break` stays alone. Of two that act on the world each acts in its own time, so they stay two, and no loop
    moves past what acts between them.
    """

    name = "fuse_loops"

    def run(self, program: Program, context: Context) -> bool:
        effects, changed = Effects(program), False
        waiting = [program.entry, *program.functions.values()]
        for graph in waiting:
            group = _Group(effects)
            for node in list(graph):
                if not group.take(node):
                    changed |= group.fuse()
                    group = _Group(effects)
                    group.take(node)
            changed |= group.fuse()
            waiting += [region for node in graph for region in node.regions]
        return changed


class _Group:
    """Loops that can be one, in order, and what stands among or behind them and needs one of them."""

    def __init__(self, effects: Effects) -> None:
        self.effects, self.acts = effects, False
        self.loops: list[Node] = []
        self.later: list[Node] = []
        self.among = 0  # how many of these stand before the last loop
        self.made: set[Value] = set()
        self.trips: Hashable = None

    def take(self, node: Node) -> bool:
        """Let a node join, or stand among them; False: the group ends before it."""
        trips = _trips(node) if not self.effects.ordered(node) else None
        if not self.loops:
            return trips is None or self._join(node, trips)
        needs = any(type(leaf) is Value and leaf in self.made for leaf in leaves(node.args))
        if trips is not None:
            same = trips == self.trips and node.op is self.loops[0].op
            return same and not needs and not (self.acts and self.effects.node(node)) and self._join(node, trips)
        if node.in_place or self.effects.node(node):
            return False
        if needs:
            self.later.append(node)
            self.made.update(node.values)
        return True

    def _join(self, node: Node, trips: Hashable) -> bool:
        self.loops.append(node)
        self.among = len(self.later)
        self.made.update(node.values)
        self.trips, self.acts = trips, self.acts or self.effects.node(node)
        return True

    def fuse(self) -> bool:
        """Put one loop in the place of the last of them, and what needs one of them behind it."""
        if len(self.loops) < 2:
            return False
        graph, last = self.loops[-1].graph, self.loops[-1]
        assert graph is not None
        fused = _fused(graph, self.loops)
        for node in self.later[: self.among]:
            graph.detach(node)
            graph.insert(node, last)
        for node in self.loops:
            graph.erase(node)
        relink(graph)
        relink(fused.regions[0])
        return True


def _trips(node: Node) -> Hashable:
    """What tells how often a loop runs, which ends of itself alone: a number where that is known; None for any other node."""
    if not is_for(node) or node.arg("exit") is not None or not node.arg("items"):
        return None
    if any(inner.in_place for inner in node.regions[0]):
        return None
    lengths = [length(item) for item in node.arg("items")]
    known = [found for found in lengths if found is not None]
    return min(known) if len(known) == len(lengths) else tree_key(node.arg("items"))


def _fused(graph: Graph, loops: list[Node]) -> Node:
    """One loop, before the last of them, that gives what they gave."""
    body = _Body([loop.regions[0] for loop in loops])
    counts = [len(loop.arg("init")) for loop in loops]
    items = body.shared([(loop.arg("items"), 0) for loop in loops])
    init = [leaf for loop in loops for leaf in loop.arg("init")]
    for loop, count in zip(loops, counts):
        body.own(loop.regions[0], len(loop.arg("items")), count)
    operands = body.shared(
        [(loop.arg("operands"), len(loop.arg("items")) + count) for loop, count in zip(loops, counts)]
    )
    given = [results_of(loop.regions[0], loop) for loop in loops]
    carried = [leaf for found, count in zip(given, counts) for leaf in found[:count]]
    stacked = [leaf for found, count in zip(given, counts) for leaf in found[count:]]
    region = body.merged((*carried, *stacked))
    values = [value for loop, count in zip(loops, counts) for value in loop.values[:count]]
    values += [value for loop, count in zip(loops, counts) for value in loop.values[count:]]
    kinds = tuple([value.kind for value in values])
    made = Node(loops[0].op, (items, tuple(init), operands, None), kinds, loops[0].span, (region,))
    graph.insert(made, loops[-1])
    take_place(made.values, values)
    return made


class _Body:
    """A body that is made of several: what each placeholder of theirs is in it."""

    def __init__(self, bodies: list[Graph]) -> None:
        self.bodies = bodies
        self.region = Graph(bodies[0].name, bodies[0].doc)
        self.places: dict[Value, Value] = {}

    def own(self, body: Graph, first: int, count: int) -> None:
        """Placeholders of one body alone."""
        for value in body.placeholders[first : first + count]:
            self.places[value] = self._placeholder(value)

    def shared(self, given: list[tuple[tuple, int]]) -> tuple:
        """Placeholders for what each body takes from its `first` one on; what is the same for several is one. What they stand for."""
        found: dict[Hashable, Value] = {}
        kept = []
        for body, (outer, first) in zip(self.bodies, given):
            for leaf, value in zip(outer, body.placeholders[first : first + len(outer)]):
                key = tree_key(leaf, constant_key), value.kind
                if key not in found:
                    found[key] = self._placeholder(value)
                    kept.append(leaf)
                self.places[value] = found[key]
        return tuple(kept)

    def _placeholder(self, value: Value) -> Value:
        made = self.region.add_placeholder(value.name or "", value.kind, value.type)
        made.name = value.name
        return made

    def merged(self, result: tuple) -> Graph:
        """The region, with the nodes of all bodies in it."""
        for body in self.bodies:
            for path, value in body.parameters.items():
                self.places[value] = self.region.add_parameter(path, value.type)
            body.result = None
            for node in list(body):
                body.detach(node)
                node.args = self._inner(node.args)
                self.region.append(node)
        self.region.result = self._inner(result)
        return self.region

    def _inner(self, tree: Any) -> Any:
        return tree_map(lambda leaf: self.places.get(leaf, leaf) if type(leaf) is Value else leaf, tree)
