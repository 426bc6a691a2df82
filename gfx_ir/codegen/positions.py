"""Until where every value is needed: statements are numbered, uses are ticks (live ranges).

The statements of a graph are numbered from 1. Statement i takes its arguments at tick 2i; what its regions take is taken
at tick 2i + 1, as is what a loop's head reads on every trip.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..control import is_loop
from ..graph import Graph, Node, Value
from ..reach import reached
from .liveness import Liveness


class Positions:
    """`index`: the number of each statement; `last`: for each graph the last tick at which it takes a value."""

    def __init__(self, liveness: Liveness, inside: set[Node], always: set[Node]) -> None:
        """`inside`: nodes written inside another; `always`: written at each use."""
        self._users, self._late, self._phis = liveness.users, liveness.late, liveness.phis
        self._inside, self._always = inside, always
        self.index: dict[Node, int] = {}
        self.last: dict[Graph, dict[Value, int]] = {}
        self._behind: dict[tuple[Value, Graph], bool] = {}  # whether nothing behind a graph takes a value

    def number(self, graph: Graph, order: list[Node]) -> None:
        """Number the statements of a graph; the output stands behind them."""
        self.last[graph] = {}
        for at, node in enumerate([*order, graph.output], 1):
            self.index[node] = at

    def record(self, value: Value) -> None:
        """Note, for every graph around a use of the value, the last tick at which it is used there."""
        home = value.node.graph
        around = lambda use: self._printed(use[0].values[0]) if use[0] in self._always else ()
        for user, late in reached(self._printed(value), around):
            if user in self._always:
                continue
            tick, graph = 2 * self.index[user] + late, user.graph
            while graph is not None:
                table = self.last[graph]
                known = table.get(value)
                if known is None or known < tick:
                    table[value] = tick
                if known is not None or graph is home or graph.owner is None:  # what is around a graph knows of it
                    break
                owner = self.statement(graph.owner)
                tick, graph = 2 * self.index[owner] + 1, owner.graph

    def _printed(self, value: Value) -> Iterator[tuple[Node, bool]]:
        """(where a use of the value is printed, whether behind what it is printed with) of each."""
        for user in self._users.get(value, ()):
            late = (value, user) in self._late
            while user in self._inside:
                outer = self._users[user.values[0]][0]
                user, late = outer, (user.values[0], outer) in self._late
            yield user, late

    def statement(self, node: Node) -> Node:
        """The statement that a node is printed in."""
        while node in self._inside:
            node = self._users[node.values[0]][0]
        return node

    def captured(self, region: Graph) -> list[Value]:
        """Values from outside that a region takes."""
        return [value for value in self.last[region] if value.node.graph is not region]

    def dead(self, value: Value, graph: Graph, tick: int) -> bool:
        """Whether nothing takes the value after `tick` of `graph`, a graph in which it is known."""
        passed: list[tuple[Value, Graph]] = []
        home, (loop, _) = value.node.graph, self._phis.get(value, (None, 0))
        while True:
            # What a loop carries is read behind its test: by the body, and by what follows the loop.
            in_test = loop is not None and graph.owner is loop and graph is not loop.regions[-1]
            known = False if in_test or self.last[graph].get(value, -1) > tick else self._behind.get((value, graph))
            if known is None and (graph is home or graph.owner is None):
                known = True
            if known is not None:
                break
            assert graph.owner is not None
            passed.append((value, graph))
            owner = self.statement(graph.owner)
            parent, at = owner.graph, self.index[owner]
            assert parent is not None
            if is_loop(graph.owner) and self.last[parent].get(value, -1) > 2 * at:
                known = False
                break
            graph, tick = parent, 2 * at + 1
        self._behind.update(dict.fromkeys(passed, known))
        return known
