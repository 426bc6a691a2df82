"""Find: where patterns match in graphs and programs, and why one does not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..edges import UNBOUND
from ..errors import GfxError
from ..graph import Graph, Node, Value
from ..keys import constant_key, tree_key
from ..op import OpDef
from ..pause import collection_paused
from ..program import Program
from ..reach import needed_first
from ..regions import with_regions
from ..trees import leaves, tree_map
from .holes import Hole, PatternError
from .matching import Attempt, Failure
from .numbers import Numbers
from .states import Index
from .variants import Definition, Variant, concrete


class Pattern:
    """A function over ops, as something to look for. Its arguments are holes, those in `given` apart.

    `variants` are the graphs that it may be, one for each way through the function.
    """

    def __init__(self, function: Callable[..., Any], **given: Any) -> None:
        self.definition = _definition(function, given)
        self.variants: tuple[Variant, ...] = tuple(self.definition.variants())

    @property
    def name(self) -> str:
        """The function's."""
        return self.definition.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself."""
        return self.definition.function(*args, **kwargs)

    def match(self, at: Node | Value, promotion: str = "torch") -> Match | Mismatch:
        """Whether it matches at a node. A Mismatch is false, and says where and why the best variant failed."""
        node = at.node if isinstance(at, Value) else at
        depth = max(variant.depth for variant in self.variants)
        aside = any(variant.steps for variant in self.variants)  # outputs that do not stand below the root
        finder = Finder(node.graph or () if aside else _cone(node, depth), [self], promotion)
        for match in finder.at(node):
            return match
        failures = [finder.why(self, variant, node) for variant in self.variants]
        return Mismatch(self, max(failures, key=lambda failure: failure.progress))

    def __repr__(self) -> str:
        return f"<pattern {self.name}: {len(self.variants)} variants>"


def pattern(function: Callable[..., Any] | None = None, **given: Any) -> Any:
    """Make a pattern of a function over ops, or of an op; also a decorator. `given` are arguments that are no holes.

    Raises PatternError where the function cannot be run on holes: then it says which argument it needs.
    """
    return (lambda made: Pattern(made, **given)) if function is None else Pattern(function, **given)


@dataclass(frozen=True, eq=False)
class Match:
    """Where a pattern stands in a graph: `outputs` are the values that it gives, `nodes` those that it stands for, and
    `arguments` what its arguments are, by name."""

    pattern: Pattern
    outputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    arguments: Mapping[str, Any]

    @property
    def root(self) -> Node:
        """The node of the output that stands last in the pattern."""
        return self.nodes[-1]

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]


@dataclass(frozen=True, eq=False)
class Mismatch:
    """Why a pattern does not match; false. `node` is where that shows."""

    pattern: Pattern
    failure: Failure

    @property
    def node(self) -> Node:
        """The node of the graph at which it failed."""
        return self.failure.node

    @property
    def why(self) -> str:
        """What was found there, and what the pattern has."""
        return self.failure.why

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        place = f" [{self.node.span.place()}]" if self.node.span is not None else ""
        return f"{self.pattern.name} does not match: {self.why}{place}"


@collection_paused()
def find(target: Graph | Program, patterns: Pattern | Iterable[Pattern], promotion: str = "torch") -> list[Match]:
    """Every place in a graph, or in all graphs of a program and in their regions, where one of the patterns matches.

    At one node each pattern is found once, by its largest variant. Matches may overlap. Linear in the number of nodes.
    """
    wanted = [patterns] if isinstance(patterns, Pattern) else list(patterns)
    rules = target.promotion if isinstance(target, Program) else promotion
    index = Index((one, variant) for one in wanted for variant in one.variants)
    finders = [Finder(graph, wanted, rules, index) for graph in graphs_of(target)]
    return [match for finder in finders for node in finder.begins() for match in finder.at(node)]


class Finder:
    """Looks for patterns among nodes of one graph, each behind those that it takes."""

    def __init__(
        self, nodes: Iterable[Node], patterns: Iterable[Pattern], promotion: str, index: Index | None = None
    ) -> None:  # fmt: skip
        self.nodes, self.promotion = list(nodes), promotion
        self.index = index or Index((one, variant) for one in patterns for variant in one.variants)
        self.states = self.index.states(self.nodes)
        self._fits = self.index.fits(self.states)
        self._takers: dict[Value, dict[OpDef, list[Node]]] = {}
        self._branching: set[Node] | None = None
        self._numbers: Numbers | None = None
        self._made: dict[Hashable, tuple[Variant | None, list[Value]]] = {}

    def begins(self) -> list[Node]:
        """The nodes at which a pattern may begin, in the order of the graph."""
        return [node for node, state in self.states.items() if self.index.roots[state]]

    def users(self, value: Value, op: OpDef) -> list[Node]:
        """The nodes of that op that took a value when it was asked for first."""
        found = self._takers.get(value)
        if found is None:
            found = self._takers[value] = {}
            for user in value.uses:
                if user.graph is value.graph:
                    found.setdefault(user.op, []).append(user)
        return found.get(op, [])

    def branches(self, node: Node) -> bool:
        """Whether several nodes took a value that stands somewhere below a node."""
        if self._branching is None:
            self._branching = set[Node]()
            for one in self.nodes:
                below = [leaf for leaf in leaves(one.args) if type(leaf) is Value]
                if any(leaf.node in self._branching or len(leaf.uses) > 1 for leaf in below):
                    self._branching.add(one)
        return node in self._branching

    def at(self, node: Node) -> Iterator[Match]:
        """The matches that begin at a node, the largest first; each pattern once."""
        done: set[Pattern] = set()
        for owner, variant in self.index.roots[self.states.get(node, 0)]:
            if owner not in done:
                found = self.attempt(owner, variant, node)
                if isinstance(found, Match):
                    done.add(owner)
                    yield found

    def attempt(self, owner: Pattern, variant: Variant, node: Node) -> Match | Mismatch:
        """One variant at one node."""
        first = Attempt(variant, self, self._fits)
        if not first.run([(variant.root, node.values[variant.root.index - 1])]):
            assert first.failure is not None
            return Mismatch(owner, first.failure)
        return self._confirmed(owner, variant, first, node)

    def why(self, owner: Pattern, variant: Variant, node: Node) -> Failure:
        """Why a variant does not match at a node."""
        root = variant.root
        if node.op is not root.node.op or root.index > len(node.values):
            return Failure(node, f"{node.op.name} stands where the pattern has {root.node.op.name}", 0)
        told = Attempt(variant, self)
        if not told.run([(root, node.values[root.index - 1])]) and told.failure is not None:
            return told.failure
        found = self.attempt(owner, variant, node)
        assert isinstance(found, Mismatch)
        return found.failure

    # ------------------------------------------------------------------ what it says is what the function says
    def _confirmed(self, owner: Pattern, variant: Variant, first: Attempt, node: Node) -> Match | Mismatch:
        """The match, once the function was run on what it bound and gave the same nodes: what the function asks of an
        argument while it runs is answered by that argument then."""
        size = len(first.nodes)
        bound = _arguments(owner.definition, variant, first)
        if isinstance(bound, str):
            return Mismatch(owner, Failure(node, bound, size))
        try:
            wild = [first.bound.get(hole, hole) for hole in variant.wild]
            made, fixed = self._concrete(owner, variant, bound, wild)
        except (GfxError, ValueError, TypeError) as error:
            return Mismatch(owner, Failure(node, f"the pattern refuses what stands there: {error}", size))
        outputs = [first.output(value) for value in variant.outputs]
        if made is None or len(made.outputs) != len(outputs):
            return Mismatch(owner, Failure(node, "for what stands there the pattern is another one", size))
        if self._numbers is None:
            self._numbers = Numbers(self.nodes)
        second = Attempt(made, self, self._numbers.fits(made, fixed), fixed)
        if not second.run(list(zip(made.outputs, outputs))):
            assert second.failure is not None
            return Mismatch(owner, second.failure)
        order = dict.fromkeys([second.nodes[inner] for inner in made.nodes if second.nodes[inner] in second.gone])
        return Match(owner, tuple(outputs), tuple(order), bound)

    def _concrete(
        self, owner: Pattern, variant: Variant, bound: Mapping[str, Any], wild: list[Any]
    ) -> tuple[Variant | None, dict]:
        """The function's graph for these arguments; made once for all that it cannot tell apart."""
        values: dict[Value, int] = {}

        def key(leaf: Any) -> Hashable:
            if type(leaf) is Value:
                return "%", values.setdefault(leaf, len(values)), leaf.kind, leaf.type
            return constant_key(leaf)

        known = (owner, variant.chosen, tree_key((*bound.values(), *wild), key))
        found = self._made.get(known)
        if found is None:
            made, places = concrete(owner.definition, variant, bound, wild, self.promotion)
            self._made[known] = found = made, list(places)
        return found[0], dict(zip(found[1], values))


def _arguments(definition: Definition, variant: Variant, met: Attempt) -> dict[str, Any] | str:
    """What the arguments of the function are, by name; why they are not known, where nothing tells one."""
    named = {hole.name: leaf for hole, leaf in met.bound.items() if hole.name}
    found: dict[str, Any] = {}
    for name in definition.params:
        if name in definition.given:
            found[name] = tree_map(
                lambda leaf: met.bound.get(leaf, leaf) if type(leaf) is Hole else leaf, definition.given[name]
            )
            continue
        told = named.get(name, variant.known.get(name, definition.defaults.get(name, UNBOUND)))
        if told is UNBOUND:
            return f"nothing there tells what {name} is"
        found[name] = told
    return found


def _definition(function: Callable[..., Any], given: Mapping[str, Any]) -> Definition:
    if isinstance(function, OpDef):
        body = function.body or function
        made = Definition(function.name, body, function.params, function.defaults, given)
    else:
        params = inspect.signature(function).parameters.values()
        if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in params):
            raise PatternError(
                f"{function.__name__} takes *args, **kwargs or arguments by name only, which no pattern does"
            )
        defaults = {p.name: p.default for p in params if p.default is not p.empty}
        made = Definition(function.__name__, function, tuple([p.name for p in params]), defaults, given)
    unknown = sorted(set(given) - set(made.params))
    if unknown:
        raise PatternError(f"{made.name} has no argument {unknown[0]!r}", hint=f"it has: {', '.join(made.params)}")
    return made


def _cone(node: Node, depth: int) -> list[Node]:
    """A node, and what stands below it at most so many steps away; each behind those that it takes."""
    inside, level = {node}, [node]
    for _ in range(depth):
        below = {leaf.node for upper in level for leaf in leaves(upper.args) if type(leaf) is Value}
        level = [lower for lower in below if lower not in inside]
        inside.update(level)
    return needed_first(node, lambda upper: [
        leaf.node for leaf in leaves(upper.args) if type(leaf) is Value and leaf.node in inside
    ])  # fmt: skip


def graphs_of(target: Graph | Program) -> list[Graph]:
    """The graphs of a program, or a graph, with all regions; those that hold others come first."""
    return with_regions([target] if isinstance(target, Graph) else [target.entry, *target.functions.values()])
