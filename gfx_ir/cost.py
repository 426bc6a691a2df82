"""What a graph or a program takes: floating-point operations and bytes, as size expressions over its open sizes.

A function counts once for each call. A region counts once too, except that the body of a `for` whose number of trips is
known multiplies its operations by it; both sides of a branch count. `notes` say where this was so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from . import host
from .errors import GfxError
from .graph import Graph, Node, Value
from .host import DimLike
from .program import Program
from .regions import BRANCHING, FOR, WHILE, is_range
from .types import LogicalTensor

MAX_NOTES = 20


@dataclass(frozen=True)
class Estimate:
    """Operations and bytes of the values that nodes make; `unknown` counts the nodes whose size is not known, which
    neither of the two includes."""

    operations: DimLike = 0
    bytes: DimLike = 0
    unknown: int = 0
    notes: tuple[str, ...] = ()

    def __add__(self, other: Estimate) -> Estimate:
        notes = tuple(dict.fromkeys(self.notes + other.notes))[:MAX_NOTES]
        operations = host.add(self.operations, other.operations)
        return Estimate(operations, host.add(self.bytes, other.bytes), self.unknown + other.unknown, notes)

    def times(self, trips: DimLike) -> Estimate:
        """The operations of that many trips; the bytes of one, since each reuses them."""
        return replace(self, operations=host.mul(self.operations, trips))

    def at(self, sizes: Mapping[str, int]) -> Estimate:
        """The numbers for these sizes. Raises ShapeError where one is missing."""
        return replace(self, operations=host.evaluate(self.operations, sizes), bytes=host.evaluate(self.bytes, sizes))

    def __str__(self) -> str:
        lines = [f"{self.operations} operations, {self.bytes} bytes"]
        if self.unknown:
            lines.append(f"{self.unknown} nodes of unknown size are not counted")
        return "\n".join([*lines, *self.notes])


def estimate(target: Program | Graph, promotion: str = "torch") -> Estimate:
    """The total of a program (its entry, calls followed) or of a graph on its own. Sizes come from inferred types."""
    if isinstance(target, Program):
        return _Counter(target, target.promotion).graph(target.entry)
    return _Counter(None, promotion).graph(target)


def estimates(program: Program) -> dict[str, Estimate]:
    """The estimate of one call of each graph of the program, the entry last."""
    counter = _Counter(program, program.promotion)
    return {name: counter.graph(g) for name, g in (*program.functions.items(), (program.entry.name, program.entry))}


def compute_estimate(target: Program | Graph, promotion: str = "torch") -> DimLike | None:
    """Floating-point operations, None where the size of a node is unknown."""
    total = estimate(target, promotion)
    return None if total.unknown else total.operations


def memory_estimate(target: Program | Graph, promotion: str = "torch") -> DimLike | None:
    """Bytes of all values that nodes make (none of them freed), None where the size of a node is unknown."""
    total = estimate(target, promotion)
    return None if total.unknown else total.bytes


class _Counter:
    """Adds up graphs, each of them once however often it is called."""

    def __init__(self, program: Program | None, promotion: str) -> None:
        self.program, self.promotion = program, promotion
        self.known: dict[Graph, Estimate | None] = {}

    def graph(self, graph: Graph) -> Estimate:
        found = self.known.get(graph, self)
        if found is None:
            raise GfxError(f"the function {graph.name!r} calls itself", hint="its cost has no closed form")
        if isinstance(found, Estimate):
            return found
        self.known[graph] = None
        total = Estimate()
        for node in graph:
            total += self.node(node)
        self.known[graph] = total
        return total

    def node(self, node: Node) -> Estimate:
        if node.op.name == "call":
            return self._call(node)
        if node.regions:
            return self._regions(node)
        if node.op.name == "holder":
            note = f"the call of {node.arg('target')} is not known and not counted"
            return Estimate(unknown=1, notes=(_placed(note, node),))
        operations, size = node.compute_estimate(self.promotion), node.memory_estimate(self.promotion)
        if operations is None or size is None:
            return Estimate(operations or 0, size or 0, unknown=1)
        return Estimate(operations, size)

    def _call(self, node: Node) -> Estimate:
        callee = node.arg("callee")
        graph = callee if isinstance(callee, Graph) else self.program.callee(callee) if self.program else None
        if graph is None:
            return Estimate(unknown=1, notes=(_placed(f"the function {callee!r} is not known and not counted", node),))
        return self.graph(graph)

    def _regions(self, node: Node) -> Estimate:
        total = Estimate()
        if node.op.name == "custom_gradient":
            return self.graph(node.regions[0])
        for region in node.regions:
            total += self.graph(region)
        name = node.op.name
        if name in BRANCHING:
            return total + Estimate(notes=(_placed(f"both sides of `{name}` are counted", node),))
        trips = _trips(node) if name in FOR and node.arg("exit") is None else None
        if trips is None:
            kind = "while" if name in WHILE else "for"
            return total + Estimate(notes=(_placed(f"one trip of `{kind}` is counted", node),))
        return total.times(trips)


def _placed(note: str, node: Node) -> str:
    return note if node.span is None else f"{note} [{node.span.place()}]"


def _known(item: object) -> object:
    return item.type if isinstance(item, Value) else item


def _trips(node: Node) -> DimLike | None:
    """How often a `for` runs its body, None where that is unknown: its shortest iterable ends it."""
    found: DimLike | None = None
    for item in node.arg("items"):
        count = _range_size(*map(_known, item[1:])) if is_range(item) else _rows(_known(item))
        if count is None:
            return None
        found = count if found is None else host.extremum("min", found, count)
    return found


def _rows(type_: object) -> DimLike | None:
    return type_.dims[0] if isinstance(type_, LogicalTensor) and type_.dims else None


def _range_size(start: object, stop: object, step: object) -> DimLike | None:
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step:
        return len(range(start, stop, step))
    if step != 1 or not all(isinstance(end, (int, host.Dim, host.Expr)) for end in (start, stop)):
        return None
    return host.extremum("max", host.sub(stop, start), 0)  # type: ignore[arg-type]
