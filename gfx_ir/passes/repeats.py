"""Outline: equal runs of nodes become one function, and calls stand for them.

Runs are told by what their nodes are, letter by letter: positions whose next 2, 4, 8 … letters are the same have one rank
(Karp, Miller and Rosenberg, "Rapid identification of repeated patterns in strings", 1972). The longest are taken first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..control import is_call
from ..dependence import pinned
from ..graph import Graph, Node, Value
from ..keys import constant_key
from ..program import Program
from ..regions import with_regions
from ..trees import leaves
from .base import Context, Pass, every_graph
from .blocks import Blocks
from .fingerprint import fingerprint
from .inline import callees_first
from .moves import relink
from .sweep import written


class Outline(Pass):
    """Makes functions of what stands in a graph, a region or several functions again and again. `Inline` undoes it.

    Attribute `least` (4): of how many nodes a function is worth a name. What is written in place stays where it stands.
    """

    name = "outline"

    def run(self, program: Program, context: Context) -> bool:
        least = max(2, self.get("least", 4))
        blocks, waiting = Blocks(program, least), every_graph(program)
        for graph in waiting:
            repeats = _Repeats(graph, least)
            for found in repeats:
                done = blocks.outline(graph, found)
                waiting += done.made
                repeats.take(done.covered)
            relink(graph)
            for path in [path for path, value in graph.parameters.items() if blocks.changed and not value.uses]:
                del graph.parameters[path]
        if blocks.changed:
            kept = set(callees_first(program))
            program.functions = {name: graph for name, graph in program.functions.items() if graph in kept}
        return blocks.changed


class _Repeats:
    """The runs of one graph that stand there more than once, the longest first; what was taken is in none that follow."""

    def __init__(self, graph: Graph, least: int) -> None:
        self.nodes, self.least = list(graph), least
        self.letters = _letters(graph, self.nodes)
        self.free = np.ones(len(self.nodes), bool)
        self.place = {node: at for at, node in enumerate(self.nodes)}
        self.crossing = _crossing(self.place)

    def take(self, nodes: list[Node]) -> None:
        """Leave these nodes out from now on."""
        self.free[[self.place[node] for node in nodes]] = False

    def __iter__(self) -> Iterator[list[list[Node]]]:
        ranks = _ranks(self.letters, self.least)
        for window, rank in reversed(ranks):
            for positions in _groups(rank, _whole(self.free, window)):
                open_ = [at for at in positions if self.free[at : at + window].all()]
                for starts, length in self._alike(open_, window):
                    if len(starts) > 1 and length >= self.least:
                        yield [self.nodes[at : at + length] for at in starts]

    def _alike(self, positions: list[int], window: int) -> Iterator[tuple[list[int], int]]:
        """Where equal runs start, and how long they are: those that follow on one another first."""
        rest, at = list[int](), 0
        steps = np.diff(positions)
        period = int(steps.min()) if len(steps) else window
        if period >= window:
            yield self._grown(_apart(positions, window), window)
            return
        while at < len(positions):
            last = at
            while last < len(steps) and steps[last] == period:
                last += 1
            if last > at:
                yield self._periodic(positions[at], positions[last] + window, period)
            else:
                rest.append(positions[at])
            at = last + 1
        if rest:
            yield self._grown(_apart(rest, window), window)

    def _periodic(self, start: int, end: int, period: int) -> tuple[list[int], int]:
        """The blocks of a stretch that repeats itself, cut where the fewest values cross from one to the next."""
        length = period * -(-self.least // period)
        phases = range(start, min(start + length, end - 2 * length + 1))
        if not phases:
            return [], length
        first = min(phases, key=lambda at: (self.crossing[at + length], at))
        return list(range(first, end - length + 1, length)), length

    def _grown(self, starts: list[int], length: int) -> tuple[list[int], int]:
        """Equal runs that stand apart, with what is the same behind and before each of them."""
        if len(starts) < 2:
            return starts, length
        while self._same([at + length for at in starts], starts[1:]):
            length += 1
        ends = [at + length for at in starts]
        while self._same([at - 1 for at in starts], [at - 1 for at in ends], back=True):
            starts, length = [at - 1 for at in starts], length + 1
        return starts, length

    def _same(self, places: list[int], bounds: list[int], back: bool = False) -> bool:
        """Whether the nodes at these places are free, alike, and beyond no bound of the run beside."""
        if places[0] < 0 or places[-1] >= len(self.nodes):
            return False
        if back and any(at <= bound for at, bound in zip(places[1:], bounds)):
            return False
        if not back and any(at >= bound for at, bound in zip(places, bounds)):
            return False
        return bool(self.free[places].all()) and len(set(self.letters[places].tolist())) == 1


def _apart(positions: list[int], window: int) -> list[int]:
    """Those of some positions at which windows do not overlap."""
    found: list[int] = []
    for at in positions:
        if not found or at >= found[-1] + window:
            found.append(at)
    return found


# ---------------------------------------------------------------------- letters
def _letters(graph: Graph, nodes: list[Node]) -> np.ndarray:
    """A number for each node: equal for those that one node of a function may stand for."""
    known: dict[object, int] = {}
    kept, fixed = written(graph), pinned(graph)
    letters = [node if node in fixed else _letter(node, kept) for node in nodes]
    return np.array([known.setdefault(letter, len(known)) for letter in letters], np.int64)


def _letter(node: Node, kept: set[Value]) -> object:
    """What a node does, wherever what it takes comes from; one that has to stay where it is has a letter of its own."""
    if node.in_place or not kept.isdisjoint(node.values) or any(map(_is_bound, with_regions(node.regions))):
        return node
    types = tuple([typed(value) for value in node.values])
    if is_call(node):
        return node.args[0], types
    return types, fingerprint([node], (), "\0")[0]


def typed(value: Value) -> object:
    """Kind and type of a value, as a key."""
    return value.kind, value.type if value.is_tensor else tuple(map(constant_key, leaves(value.type)))


def _is_bound(region: Graph) -> bool:
    """Whether a region takes parameters, whose paths are those of the graph around it."""
    return bool(region.parameters) or any(is_call(node) for node in region)


def _crossing(place: dict[Node, int]) -> np.ndarray:
    """How many values of nodes before each place are taken there or later."""
    count = np.zeros(len(place) + 2, np.int64)
    for node, at in place.items():
        for value in node.values:
            if value.uses:
                count[at + 1] += 1
                count[1 + max([place.get(user, len(place)) for user in value.uses])] -= 1
    return count.cumsum()


# ---------------------------------------------------------------------- ranks
def _ranks(letters: np.ndarray, least: int) -> list[tuple[int, np.ndarray]]:
    """For windows of 2, 4, 8 … letters up to what stands there twice: equal numbers where equal windows begin."""
    found: list[tuple[int, np.ndarray]] = []
    rank, window = letters, 1
    while 2 * window <= len(letters) and len(np.unique(rank)) < len(rank):
        pairs = rank[:-window] * (int(rank.max()) + 1) + rank[window:]
        rank, window = np.unique(pairs, return_inverse=True)[1], 2 * window
        if 2 * window > least:
            found.append((window, rank))
    return found


def _whole(free: np.ndarray, window: int) -> np.ndarray:
    """Where a window begins that holds only what is free."""
    taken = np.concatenate(([0], np.cumsum(~free)))
    return taken[window:] == taken[:-window]


def _groups(rank: np.ndarray, wanted: np.ndarray) -> list[list[int]]:
    """Places of equal rank among those wanted, where there are several; by the first of them."""
    places = np.flatnonzero(wanted)
    order = places[np.argsort(rank[places], kind="stable")]
    if not len(order):
        return []
    ends = np.flatnonzero(np.diff(rank[order])) + 1
    groups = [group.tolist() for group in np.split(order, ends) if len(group) > 1]
    return sorted(groups)
