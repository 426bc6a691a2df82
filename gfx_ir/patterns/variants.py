"""Variants: a pattern's function, run along every way through it. Each way that ends gives one graph of ops over holes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..edges import UNBOUND
from ..errors import GfxError
from ..graph import Graph, Node, Value
from ..keys import constant_key, tree_key
from ..rules import building
from ..trees import BRANCHES, leaves, tree_map
from .holes import Hole, NeedsArgument, PatternError
from .ways import Test, Way

WAYS = 4096
"""A function with more ways through it is refused: it is several patterns."""


@dataclass(frozen=True, eq=False)
class Variant:
    """One graph over holes. `chosen`: which alternatives it took; `known`: what its holes were taken to be, by name; `wild`:
    the wildcards that the function made; `tied`: nodes below which a leaf stands that something else has a say in, so that
    the order of what commutes matters.

    `outputs` are the values that it gives, as the function returns them; `steps` lead from the last of them to all nodes.
    """

    graph: Graph
    outputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    steps: tuple[tuple[Any, Node], ...]
    chosen: tuple[int, ...]
    known: Mapping[str, Any]
    required: tuple[tuple[Any, Test, str], ...]
    wild: tuple[Hole, ...]
    tied: frozenset[Node]

    @property
    def root(self) -> Value:
        """The output that stands last: there a match begins."""
        last = self.nodes[-1]
        return next(value for value in self.outputs if value.node is last)

    @property
    def depth(self) -> int:
        """How many of its nodes stand below each other at most."""
        found: dict[Node, int] = {}
        for node in self.nodes:
            below = [found.get(leaf.node, 0) for leaf in leaves(node.args) if type(leaf) is Value]
            found[node] = 1 + max(below, default=0)
        return max(found.values())


# ---------------------------------------------------------------------- all ways
@dataclass(frozen=True)
class Definition:
    """A function over ops, its parameters with their defaults, and arguments that are given."""

    name: str
    function: Callable[..., Any]
    params: tuple[str, ...]
    defaults: Mapping[str, Any]
    given: Mapping[str, Any] = field(default_factory=dict)

    def variants(self) -> list[Variant]:
        """One for each different graph, the largest first. Raises PatternError where there is none."""
        scripts: list[list[int]] = [[]]
        found: dict[Hashable, Variant] = {}
        refused: Exception | None = None
        count = 0
        while scripts:
            count += 1
            if count > WAYS:
                raise PatternError(
                    f"there are more than {WAYS} ways through {self.name}", hint="make it several patterns"
                )
            way = Way(scripts.pop())
            try:
                variant = self._run(way)
                if variant is not None:
                    found.setdefault(_key(variant), variant)
            except NeedsArgument:
                raise
            except KeyError as error:  # a table is asked for what belongs to an argument
                if not (error.args and isinstance(error.args[0], Hole)):
                    raise
                raise NeedsArgument(error.args[0].of) from None
            except (GfxError, ValueError) as error:  # the function refuses such arguments
                refused = error
            scripts.extend(reversed(list(way.others())))
        if not found:
            why = f": {refused}" if refused is not None else "; it computes nothing"
            raise PatternError(
                f"{self.name} is no pattern as it stands{why}", hint="give arguments that it needs"
            ) from refused
        return sorted(found.values(), key=lambda variant: -len(variant.nodes))

    def _run(self, way: Way) -> Variant | None:
        args = [self._argument(way, name) for name in self.params]
        with building(way):
            result = self.function(*args)
        known = {hole.name: value for hole, value in way.known.items() if hole.name}
        try:
            return variant_of(self.name, way, result, known)
        finally:
            for leaf in leaves(tuple(args)):  # from now on a hole is only itself
                if isinstance(leaf, Hole):
                    leaf.path = None

    def _argument(self, way: Way, name: str) -> Any:
        if name in self.given:
            return self.given[name]
        default = self.defaults.get(name, UNBOUND)
        if default is None and way.choose(2) == 1:
            return None
        return Hole(way, name, default)


def variant_of(name: str, way: Way, result: Any, known: Mapping[str, Any]) -> Variant | None:
    """The graph that was built; None where the result is made by no op."""
    outputs = tuple([leaf for leaf in leaves(result) if type(leaf) is Value and leaf not in way.graph.placeholders])
    if not outputs:
        return None
    live = _below({value.node for value in outputs})
    nodes = tuple([node for node in way.graph if node in live])
    for node in way.graph:
        if node.op.effect or (node.regions and node in live):
            raise PatternError(f"{name} has an effect or a region ({node.op.name}), which no pattern has")
    return Variant(
        way.graph,
        outputs,
        nodes,
        _steps(name, nodes),
        tuple(way.chosen),
        known,
        tuple(way.required),
        tuple(way.wild),
        _tied(nodes, way.required),
    )


def _below(roots: set[Node]) -> set[Node]:
    """Nodes with all that they take."""
    stack, found = list(roots), set(roots)
    while stack:
        for leaf in leaves(stack.pop().args):
            if type(leaf) is Value and leaf.node not in found:
                found.add(leaf.node)
                stack.append(leaf.node)
    return found


def _steps(name: str, nodes: tuple[Node, ...]) -> tuple[tuple[Any, Node], ...]:
    """From what the last node takes on: (a leaf that was met, a node above that takes it), until all nodes are met."""
    met_nodes = _below({nodes[-1]})
    met = {leaf for node in met_nodes for leaf in leaves(node.args) if type(leaf) is Value or type(leaf) is Hole}
    left, steps = [node for node in nodes if node not in met_nodes], []
    while left:
        for node in left:
            shared = next((leaf for leaf in leaves(node.args) if _is_anchor(leaf) and leaf in met), None)
            if shared is not None:
                break
        else:
            raise PatternError(f"the outputs of {name} have nothing in common", hint="make it two patterns")
        steps.append((shared, node))
        more = _below({node}) - met_nodes
        met_nodes |= more
        met |= {value for inner in more for value in inner.values}
        met |= {leaf for inner in more for leaf in leaves(inner.args) if _is_anchor(leaf)}
        left = [other for other in left if other not in met_nodes]
    return tuple(steps)


def _tied(nodes: tuple[Node, ...], required: list[tuple[Any, Test, str]]) -> frozenset[Node]:
    """Nodes with a leaf below them that stands elsewhere, too, or in a tree, or of which something is required."""
    counts = Counter(leaf for node in nodes for leaf in leaves(node.args) if type(leaf) in (Hole, Value))
    counts.update(leaf for tree, _, _ in required for leaf in leaves(tree) if type(leaf) in (Hole, Value))
    found: set[Node] = set()
    for node in nodes:
        taken = [leaf for leaf in leaves(node.args) if type(leaf) in (Hole, Value)]
        if any(type(arg) in BRANCHES for arg in node.args[:2]):
            found.add(node)
        given = any(type(leaf) is Hole and leaf.given is not None for leaf in taken)
        if given or any(counts[leaf] > 1 or (type(leaf) is Value and leaf.node in found) for leaf in taken):
            found.add(node)
    return frozenset(found)


def _is_anchor(leaf: Any) -> bool:
    return type(leaf) is Value or (type(leaf) is Hole and leaf.name != "")


def _key(variant: Variant) -> Hashable:
    """Equal for variants that match the same."""
    numbers: dict[Any, Hashable] = {}

    def key(leaf: Any) -> Hashable:
        if type(leaf) is Hole:
            return ("hole", leaf.name) if leaf.name else ("any", numbers.setdefault(leaf, len(numbers)))
        return ("%", numbers[leaf]) if type(leaf) is Value else constant_key(leaf)

    rows = []
    for node in variant.nodes:
        rows.append((node.op.name, tree_key(node.args, key)))
        for value in node.values:
            numbers[value] = len(numbers)
    tests = tuple([(key(leaf), what) for leaf, _, what in variant.required])
    return tuple(rows), tuple([numbers[value] for value in variant.outputs]), tests


def concrete(
    definition: Definition, variant: Variant, bound: Mapping[str, Any], wild: Sequence[Any], promotion: str
) -> tuple[Variant | None, dict[Value, Value]]:
    """The function run on what a match bound, its wildcards too: the variant, and what its placeholders stand for."""
    made: dict[Value, Value] = {}
    way = Way(variant.chosen, promotion, wild)

    def inner(leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        if leaf not in made:
            made[leaf] = way.graph.add_placeholder(leaf.name or "x", leaf.kind, leaf.type)
        return made[leaf]

    args = []
    for name in definition.params:
        if name not in definition.given and definition.defaults.get(name, UNBOUND) is None:
            way.choose(2)
        args.append(tree_map(inner, bound[name]))
    way.stands = tree_map(inner, tuple(wild))
    with building(way):
        result = definition.function(*args)
    return variant_of(definition.name, way, result, variant.known), {place: value for value, place in made.items()}
