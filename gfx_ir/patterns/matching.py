"""Matching: one variant of a pattern against a graph, from one value down. After a choice that failed it takes the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..control import is_given, is_output
from ..graph import Node, Value
from ..keys import tree_key
from ..op import OpDef, Trait
from ..text import same_constant
from ..trees import BRANCHES, children, leaves, tree_map
from ..types import LogicalTensor
from .holes import Hole
from .variants import Variant

Fits = Callable[[Value, Any], bool]
"""fits(value of the pattern, leaf of the graph): whether the one may be the other as far as ops and constants tell."""


class Sight(Protocol):
    """What an attempt asks of the graph."""

    def users(self, value: Value, op: OpDef) -> Sequence[Node]:
        """The nodes of that op that take a value."""

    def branches(self, node: Node) -> bool:
        """Whether several nodes take a value that stands somewhere below a node."""


@dataclass(frozen=True)
class Goal:
    """What of the pattern has to be what of the graph; `node` takes it there as its argument `param`."""

    wanted: Any
    found: Any
    node: Node
    param: str = ""


@dataclass(frozen=True)
class Failure:
    """Why a variant does not match: the node at which it failed, in words, and how many nodes had matched by then."""

    node: Node
    why: str
    progress: int


@dataclass
class _Choice:
    """Where another way may be taken, and what was known there."""

    others: Iterator[list[Goal]]
    goals: Any
    known: tuple[int, int, int]


class Attempt:
    """One variant at some values. Where `run` is true, `nodes` and `bound` have what became of the pattern's nodes and
    holes, and `gone` the nodes that it stands for; else `failure` says why. `fixed`: what placeholders of the variant are.
    Without `fits` it is tried to tell why it fails: of what commutes one order alone."""

    def __init__(
        self, variant: Variant, graph: Sight, fits: Fits | None = None, fixed: Mapping[Value, Any] | None = None
    ) -> None:  # fmt: skip
        self.variant, self.graph, self.fits, self.fixed = variant, graph, fits, fixed or {}
        self.nodes: dict[Node, Node] = {}
        self.bound: dict[Hole, Any] = {}
        self.gone: set[Node] = set()
        self.failure: Failure | None = None
        self._goals: Any = None  # a linked list: (goal, rest)
        self._choices: list[_Choice] = []
        self._steps = 0

    def run(self, pairs: Sequence[tuple[Value, Value]]) -> bool:
        """Whether these values of the pattern, the root among them, are these values of the graph."""
        self._push([Goal(wanted, found, found.node) for wanted, found in pairs])
        while True:
            failed = self._advance()
            if failed is None:
                return True
            if self.failure is None or len(self.nodes) > self.failure.progress:
                self.failure = Failure(*failed, len(self.nodes))
            if not self._back():
                return False

    def output(self, wanted: Value) -> Value:
        """The graph's value for one of the pattern."""
        return self.nodes[wanted.node].values[wanted.index - 1]

    # ------------------------------------------------------------------ goals and choices
    def _advance(self) -> tuple[Node, str] | None:
        """Meet all goals and go all steps; (node, why) where one fails."""
        steps = self.variant.steps
        while True:
            while self._goals is not None:
                goal, self._goals = self._goals
                if not self._meet(goal):
                    return goal.node, self._told(goal)
            if self._steps == len(steps):
                return self._escaping() or self._refused()
            shared, above = steps[self._steps]
            self._steps += 1
            if above not in self.nodes and not self._choose(self._above(shared, above)):
                taken = self._leaf(shared)
                return (self._last(), f"no {above.op.name} that would fit takes {_shown(taken)}")

    def _push(self, goals: Sequence[Goal]) -> None:
        for goal in reversed(goals):
            self._goals = (goal, self._goals)

    def _choose(self, others: Iterator[list[Goal]]) -> bool:
        """Go on with the first of these, with the others if that fails. False where there is none."""
        first = next(others, None)
        if first is None:
            return False
        self._choices.append(_Choice(others, self._goals, (len(self.bound), len(self.nodes), self._steps)))
        self._push(first)
        return True

    def _back(self) -> bool:
        """Return to the last choice that has another way; False where there is none."""
        while self._choices:
            choice = self._choices[-1]
            bound, nodes, self._steps = choice.known
            while len(self.bound) > bound:
                self.bound.popitem()
            while len(self.nodes) > nodes:
                self.nodes.popitem()
            self._goals = choice.goals
            other = next(choice.others, None)
            if other is not None:
                self._push(other)
                return True
            self._choices.pop()
        return False

    # ------------------------------------------------------------------ one goal
    def _meet(self, goal: Goal) -> bool:
        wanted, found = goal.wanted, goal.found
        kind = type(wanted)
        if kind is Hole:
            if wanted in self.bound:
                return _same(self.bound[wanted], found)
            self.bound[wanted] = found
            return wanted.given is None or _has_type(found, wanted.given)
        if kind is Value:
            return _same(self.fixed[wanted], found) if wanted in self.fixed else self._meet_value(wanted, found)
        if kind in BRANCHES:
            wants, has = children(wanted), children(found) if type(found) is kind else []
            self._push([Goal(a, b, goal.node, goal.param) for a, b in zip(wants, has)])
            return type(found) is kind and len(wants) == len(has)
        return type(found) is not Value and same_constant(wanted, found)

    def _meet_value(self, wanted: Value, found: Any) -> bool:
        if type(found) is not Value or found.index != wanted.index:
            return False
        inner, node = wanted.node, found.node
        if inner in self.nodes:
            return self.nodes[inner] is node
        if node.op is not inner.op or node.in_place or len(node.values) != len(inner.values):
            return False
        self.nodes[inner] = node
        if node.op.traits & Trait.COMMUTATIVE:
            return self._choose(self._orders(inner, node))
        self._push(self._goals_of(inner, node, node.args))
        return True

    def _goals_of(self, inner: Node, node: Node, args: tuple) -> list[Goal]:
        return [Goal(wanted, found, node, param) for wanted, found, param in zip(inner.args, args, node.op.params)]

    def _orders(self, inner: Node, node: Node) -> Iterator[list[Goal]]:
        """The arguments in their own order, and with the first two exchanged, as far as they fit and that may matter."""
        first, second, *rest = node.args
        orders = [(first, second, *rest)] + ([(second, first, *rest)] if first is not second else [])
        if self.fits is None:  # to tell why it fails: the order that comes nearer
            yield self._goals_of(inner, node, max(orders, key=lambda args: sum(map(_alike, inner.args, args))))
            return
        fitting = [args for args in orders if all(map(self._may, inner.args[:2], args))]
        alike = inner not in self.variant.tied and not (len(fitting) > 1 and self.graph.branches(node))
        for args in fitting[:1] if alike else fitting:
            yield self._goals_of(inner, node, args)

    def _may(self, wanted: Any, found: Any) -> bool:
        """Whether a leaf of the pattern may be one of the graph, whatever else is known; exact but for what is tied."""
        if type(wanted) is Value:
            return (
                _same(self.fixed[wanted], found)
                if wanted in self.fixed
                else self.fits is None or self.fits(wanted, found)
            )
        return type(wanted) is Hole or type(wanted) in BRANCHES or _alike(wanted, found)

    def _above(self, shared: Any, above: Node) -> Iterator[list[Goal]]:
        """The nodes that take what a leaf of the pattern is, and may be the node above it."""
        taken = self._leaf(shared)
        for user in self.graph.users(taken, above.op) if type(taken) is Value else ():
            wanted, found = above.values[0], user.values[0]
            if user in taken.uses and self._may(wanted, found):
                yield [Goal(wanted, found, user)]

    def _leaf(self, leaf: Any) -> Any:
        """What a leaf of the pattern is in the graph."""
        if type(leaf) is Hole:
            return self.bound.get(leaf, leaf)
        if type(leaf) is not Value:
            return leaf
        return self.fixed[leaf] if leaf in self.fixed else self.output(leaf)

    # ------------------------------------------------------------------ the whole
    def _escaping(self) -> tuple[Node, str] | None:
        """No inner value may be taken outside, or be an argument. What only asks for sizes and types may: it stays."""
        self.gone = gone = set(self.nodes.values())
        given = {self.output(value) for value in self.variant.outputs}
        arguments = {leaf for leaf in leaves([*self.bound.values(), *self.fixed.values()]) if type(leaf) is Value}
        for inner in reversed(self.variant.nodes):
            node = self.nodes[inner]
            if node not in gone:
                continue
            for value in node.values:
                outside = next((user for user in value.uses if user not in gone), None)
                if value in arguments or (outside is not None and value not in given):
                    if not node.op.traits & Trait.ASKS:
                        return node, self._taken(value, outside)
                    gone.discard(node)
                    break
        return None

    def _taken(self, value: Value, outside: Node | None) -> str:
        if outside is None:
            return f"{_shown(value)} is an argument of the pattern and stands within it"
        return f"{_shown(value)} is taken by {'the result' if is_output(outside) else outside.op.name}, too"

    def _refused(self) -> tuple[Node, str] | None:
        """What the pattern requires of values and arguments."""
        for tree, test, what in self.variant.required:
            if all(map(self._reached, leaves(tree))):
                found = tree_map(self._leaf, tree)
                if not test(found):
                    return self._last(), f"{_shown(found)} is not {what}"
        return None

    def _reached(self, leaf: Any) -> bool:
        """Whether a leaf of the pattern is part of this variant."""
        if type(leaf) is Hole:
            return leaf in self.bound
        return type(leaf) is not Value or leaf in self.fixed or leaf.node in self.nodes

    def _last(self) -> Node:
        return self.nodes[self.variant.root.node]

    def _told(self, goal: Goal) -> str:
        """Why a goal failed."""
        wanted, found = goal.wanted, goal.found
        place = f"{goal.param} of {goal.node.op.name}" if goal.param else "the value"
        inner = type(wanted) is Value and wanted not in self.fixed
        if inner and type(found) is Value and found.node.op is wanted.node.op:
            if found.node.in_place:
                return f"{place} is written in place by its author"
            if wanted.node not in self.nodes or self.nodes[wanted.node] is found.node:
                return f"{place}, {_shown(found)}, takes its arguments in no order that would fit"
        if inner:
            wish = f"the one {wanted.node.op.name}" if wanted.node in self.nodes else wanted.node.op.name
        else:
            wish = _shown(self._leaf(wanted)) if type(wanted) in (Hole, Value) else _shown(wanted)
        return f"{place} is {_shown(found)}, and the pattern has {wish}"


def _alike(wanted: Any, found: Any) -> bool:
    """Whether a leaf of the pattern and one of the graph are of one op, or one constant."""
    if type(wanted) is Value and type(found) is Value:
        return wanted.node.op is found.node.op
    return type(wanted) not in (Hole, Value) and type(found) is not Value and same_constant(wanted, found)


def _same(a: Any, b: Any) -> bool:
    """Whether two trees are of the same values and constants."""
    return a is b or tree_key(a) == tree_key(b)


def _has_type(found: Any, wanted: LogicalTensor) -> bool:
    """Whether a value is known to have the dtype, and the dims where these are told."""
    known = found.type if type(found) is Value else None
    if not isinstance(known, LogicalTensor) or known.dtype != wanted.dtype:
        return False
    return wanted.dims is None or known.dims == wanted.dims


def _shown(leaf: Any) -> str:
    """A value by its name and op, a constant as it is written."""
    if type(leaf) is not Value:
        return repr(leaf)
    name = leaf.node.op.name
    if is_given(leaf.node):
        return f"the {name} {leaf.name or leaf.node.args[0]}"
    return f"{leaf.name} ({name})" if leaf.name else name
