"""What a graph or a program takes: floating-point operations and bytes, as size expressions over its open sizes.

A function counts once for each call, at the shapes of that call. A region counts once too, except that the body of a `for` whose number of trips is
known multiplies its operations by it; both sides of a branch count. `notes` say where this was so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from . import host, rules
from .graph import Graph, Node, Value
from .host import DimLike
from .infer.walk import Site, Walk
from .program import Program
from .trees import tree_map

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
    """The total of a program (its entry, calls followed, each at the shapes of that call) or of a graph on its own.

    Sizes follow from the types of the arguments, at any level: symbolic ones give expressions. Raises ShapeError where
    types do not fit, GfxError where a function calls itself.
    """
    walk, entry = _walked(target, promotion)
    return Counter(walk).site(walk.run(entry))


def estimates(program: Program) -> dict[str, Estimate]:
    """The estimate of one call of each graph of the program on its own (types as far as all calls agree), the entry last."""
    walk, entry = _walked(program, program.promotion)
    counter = Counter(walk)
    return {name: counter.site(walk.run(g)) for name, g in (*program.functions.items(), (entry.name, entry))}


def compute_estimate(target: Program | Graph, promotion: str = "torch") -> DimLike | None:
    """Floating-point operations, None where the size of a node is unknown."""
    total = estimate(target, promotion)
    return None if total.unknown else total.operations


def memory_estimate(target: Program | Graph, promotion: str = "torch") -> DimLike | None:
    """Bytes of all values that nodes make (none of them freed), None where the size of a node is unknown."""
    total = estimate(target, promotion)
    return None if total.unknown else total.bytes


def _walked(target: Program | Graph, promotion: str) -> tuple[Walk, Graph]:
    if isinstance(target, Program):
        return Walk(target, target.promotion, partial=True), target.entry
    return Walk(None, promotion, partial=True), target


class Counter:
    """Adds up the sites that a walk has found, each of them once however often it is reached."""

    def __init__(self, walk: Walk) -> None:
        self.promotion = walk.rules
        self.known: dict[int, Estimate] = {}

    def site(self, site: Site) -> Estimate:
        """One run of a site's graph."""
        found = self.known.get(id(site))
        if found is None:
            found = Estimate()
            for node in site.graph or ():
                found += self.node(node, site)
            self.known[id(site)] = found
        return found

    def total(self, sites: Iterable[Site]) -> Estimate:
        """One run of each."""
        total = Estimate()
        for site in sites:
            total += self.site(site)
        return total

    def node(self, node: Node, site: Site) -> Estimate:
        """One run of a node, by its op's rule or by its control row."""
        control = node.op.control
        return self.plain(node, site) if control is None else control.cost(self, node, site)

    def plain(self, node: Node, site: Site) -> Estimate:
        """By the op's rules, from the types that its inputs and values have there."""
        types = lambda leaf: site.env.get(leaf, rules.UNKNOWN) if type(leaf) is Value else leaf
        args, outs = tree_map(types, node.args), tuple(map(types, node.values))
        operations = rules.compute(node.op, args, outs, self.promotion)
        size = rules.memory(node.op, args, outs, self.promotion)
        if operations is None or size is None:
            return Estimate(operations or 0, size or 0, unknown=1)
        return Estimate(operations, size)

    def unknown(self, note: str, node: Node) -> Estimate:
        """A node whose cost nobody knows."""
        return self.noted(Estimate(unknown=1), note, node)

    def noted(self, total: Estimate, note: str, node: Node) -> Estimate:
        """With a note, at the node's place."""
        return total + Estimate(notes=(note if node.span is None else f"{note} [{node.span.place()}]",))
