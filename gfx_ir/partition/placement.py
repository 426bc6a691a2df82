"""Placement as passes: Place by cost, Pipeline in balanced stages, and the check of what they left.

Two devices: the cheapest assignment is a minimum cut between them (H. S. Stone, "Multiprocessor scheduling with the aid of network
flow algorithms", 1977). More: cuts between pairs of them, until none makes it cheaper.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from ..control import is_call, is_placeholder
from ..dependence import is_end
from ..graph import Graph, Node, Value, values_in
from ..passes.base import ALL, Context, Pass, PassError, every_graph
from ..program import Program
from ..runtime.device import Device
from ..runtime.devices import device as named
from .assign import devices_of
from .estimates import operations, seconds, transfer
from .supports import Supports, neutral

_ROUNDS = 8
_UNIT = 1e-9  # seconds: flows are whole numbers
_NEVER = 1 << 40


class Place(Pass):
    """Leaves on each node the device that it is cheapest on, transfers counted. Attribute `devices`: Devices or their names; `home` (the first):
    where arguments come from and results go to. Nodes that are placed stay; what no device takes is left."""

    name = "place"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        devices = devices_of(self, program)
        home: Device = self.get("home", devices[0])
        supports, changed = Supports(program), False
        waiting, seen = [program.entry], set[Graph]()
        while waiting:
            graph = waiting.pop()
            if graph in seen:
                continue
            seen.add(graph)
            if _Cuts(program, graph, devices, home, supports).run():
                graph.edited()
                changed = True
            for node in graph:
                if not node.device:
                    waiting += node.regions
                    callee = program.callee(node.args[0]) if is_call(node) else None
                    waiting += [callee] if callee is not None else []
        return changed


class _Cuts:
    """One graph: the costs of its nodes on each device, and the assignment so far."""

    def __init__(
        self, program: Program, graph: Graph, devices: Sequence[Device], home: Device, supports: Supports
    ) -> None:
        self.graph, self.devices, self.home = graph, list(devices), home
        self.costs: dict[Node, dict[Device, float]] = {}
        for node in graph:
            if node.device or neutral(node):
                continue
            able = [d for d in devices if supports.node(node, d).answer is not False]
            if able:
                self.costs[node] = {d: seconds(node, program, d) for d in able}
        self.edges = self._edges()
        self.at: dict[Node, Device] = {node: min(costs, key=costs.__getitem__) for node, costs in self.costs.items()}

    def _edges(self) -> list[tuple[Value, Node | None, Node | None]]:
        """(value, the node that gives it, the node that takes it); None: an end of the graph, at home."""
        found: list[tuple[Value, Node | None, Node | None]] = []
        for node in self.costs:
            for value in dict.fromkeys(values_in(node.args)):
                if value.node in self.costs:
                    found.append((value, value.node, node))
                elif is_end(value) and is_placeholder(value.node):
                    found.append((value, None, node))
        for value in values_in((self.graph.result,)):
            if value.node in self.costs:
                found.append((value, value.node, None))
        return found

    def run(self) -> bool:
        """Leave the devices on the nodes; whether there were any to place."""
        best = self._total()
        for one in self.devices:  # from the cheapest of those that keep all on one device, as far as that can be
            start = {
                node: one if one in costs else min(costs, key=costs.__getitem__) for node, costs in self.costs.items()
            }
            if (total := self._total(start)) < best:
                best, self.at = total, start
        for _ in range(_ROUNDS):
            before = best
            for pair in combinations(self.devices, 2):
                best = self._cut(*pair, best)
            if best >= before:
                break
        for node, device in self.at.items():
            node.device = device.name
        return bool(self.at)

    def _total(self, at: dict[Node, Device] | None = None) -> float:
        at = self.at if at is None else at
        moves = sum(
            transfer(v, at[a] if a is not None else self.home, at[b] if b is not None else self.home)
            for v, a, b in self.edges
        )
        return moves + sum(self.costs[node][device] for node, device in at.items())

    def _cut(self, first: Device, second: Device, best: float) -> float:
        """The best assignment of the nodes on these two devices to them; the total then."""
        nodes = [node for node, device in self.at.items() if device in (first, second)]
        if not nodes:
            return best
        number = {node: at for at, node in enumerate(nodes, 2)}
        capacity: dict[tuple[int, int], float] = {}

        def add(a: int, b: int, cost: float) -> None:
            capacity[a, b] = capacity.get((a, b), 0.0) + cost

        for (
            node
        ) in nodes:  # the side of the source (0) is the first device: what is cut there is what the second one costs
            costs = self.costs[node]
            add(0, number[node], costs.get(second, _NEVER * _UNIT))
            add(number[node], 1, costs.get(first, _NEVER * _UNIT))
        for value, a, b in self.edges:
            ends = [
                (number.get(end) if end is not None else None, self.home if end is None else self.at[end])
                for end in (a, b)
            ]
            (one, where), (other, there) = ends
            if one is not None and other is not None:
                cost = transfer(value, first, second)
                add(one, other, cost)
                add(other, one, cost)
            elif one is not None or other is not None:
                inside, outside = (one, there) if one is not None else (other, where)
                assert inside is not None
                add(0, inside, transfer(value, second, outside))
                add(inside, 1, transfer(value, first, outside))
        source = _source_side(capacity, len(nodes) + 2)
        tried = {**self.at, **{node: first if number[node] in source else second for node in nodes}}
        if any(device not in self.costs[node] for node, device in tried.items()):
            return best
        total = self._total(tried)
        if total < best:
            self.at = tried
            return total
        return best


def _source_side(capacity: dict[tuple[int, int], float], count: int) -> set[int]:
    """The vertices on the side of vertex 0 of a minimum cut between 0 and 1."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    rows, columns = zip(*capacity)
    whole = [min(int(cost / _UNIT) + 1, 1 << 30) for cost in capacity.values()]
    graph = csr_matrix((whole, (rows, columns)), shape=(count, count), dtype="int32")
    left = graph - maximum_flow(graph, 0, 1).flow
    left.data[left.data < 0] = 0
    left.eliminate_zeros()
    return set(map(int, breadth_first_order(left, 0, return_predecessors=False)))


class Pipeline(Pass):
    """Cuts the entry into as many stages as there are `devices`, each of nodes that stand together, so that the longest stage is as
    short as can be; leaves the stage's device on its nodes. Where one loop, test or call takes more than half of a graph, what it
    holds is cut in the place of that graph."""

    name = "pipeline"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        devices = devices_of(self, program)
        graph = _heaviest(program)
        nodes = [node for node in graph if not neutral(node)]
        costs = [operations(node, program) + 1 for node in nodes]
        ends, supports = _balanced(costs, len(devices)), Supports(program)
        changed = False
        for stage, (first, last) in enumerate(zip([0, *ends[:-1]], ends)):
            for node in nodes[first:last]:
                name = devices[stage].name
                if node.device != name and supports.node(node, devices[stage]).answer is not False:
                    node.device, changed = name, True
        if changed:
            graph.edited()
        return changed


def _heaviest(program: Program) -> Graph:
    """The innermost graph that takes more than half of each one around it."""
    graph = program.entry
    while True:
        costs = {node: operations(node, program) + 1 for node in graph if not neutral(node)}
        node = max(costs, key=costs.__getitem__, default=None)
        if node is None or 2 * costs[node] <= sum(costs.values()):
            return graph
        callee = program.callee(node.args[0]) if is_call(node) else None
        inner = [*node.regions, *([callee] if callee is not None else [])]
        if not inner:
            return graph
        graph = max(inner, key=lambda one: sum(operations(each, program) for each in one))


def _balanced(costs: Sequence[int], count: int) -> list[int]:
    """The ends of at most `count` runs of costs whose largest sum is as small as can be: by halving what that sum may be."""
    low, high = max(costs, default=0), sum(costs)
    while low < high:
        middle = (low + high) // 2
        if len(_runs(costs, middle)) <= count:
            high = middle
        else:
            low = middle + 1
    return _runs(costs, low)


def _runs(costs: Sequence[int], most: int) -> list[int]:
    ends, total = [], 0
    for at, cost in enumerate(costs):
        if total and total + cost > most:
            ends.append(at)
            total = 0
        total += cost
    return [*ends, len(costs)]


class CheckPlacement(Pass):
    """Raises PassError for the first node that is placed on a device which does not take it, or which there is not. Attribute
    `devices`: those there are (else any that is installed)."""

    name = "check_placement"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        known: dict[str, Any] = {one.name: one for one in (devices_of(self, program) if self.has("devices") else ())}
        supports = Supports(program)
        for graph in every_graph(program):
            for node in graph:
                if not node.device:
                    continue
                found = known.get(node.device) or named(node.device)
                answer = supports.node(node, found)
                if answer.answer is False:
                    raise PassError(
                        f"{node.op.name} is placed on {node.device}, which does not take it: {answer.reason}", node.span
                    )
        return False
