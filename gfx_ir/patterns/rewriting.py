"""Rewrite: what a function builds is put in the place of what a pattern matches."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..build import Builder
from ..dependence import pinned
from ..errors import GfxError
from ..graph import Graph, Node, Value
from ..op import OpDef
from ..pause import collection_paused
from ..program import Program
from ..rules import building
from ..source import Span
from ..trees import leaves
from .finding import Finder, Match, Pattern, graphs_of
from .holes import Hole, PatternError


@collection_paused()
def rewrite(
    target: Graph | Program,
    pattern: Pattern,
    replacement: Callable[..., Any],
    *,
    when: Callable[[Match], Any] | None = None,
    promotion: str = "torch",
) -> int:
    """Replace every match in a graph, or in all graphs of a program and in their regions, in place; how many there were.

    `replacement` takes arguments of the pattern by their names, builds with ops, and returns what takes the place of the
    pattern's outputs, in their order. Of overlapping matches the one that ends last is replaced, of those at one node the
    largest. `when` tells which to take. A match that a write in place stands in the way of stays. Raises PatternError where
    the replacement does not fit the pattern.
    """
    names = _taken(pattern, replacement)
    rules = target.promotion if isinstance(target, Program) else promotion
    finder = None
    count = 0
    for graph in graphs_of(target):
        finder = Finder(graph, [pattern], rules, None if finder is None else finder.index)
        if finder.begins():
            count += _Rewriting(graph, finder, replacement, names).run(when)
    return count


def _taken(pattern: Pattern, replacement: Callable[..., Any]) -> list[str]:
    """The arguments of the pattern that a replacement takes."""
    params = pattern.definition.params
    if isinstance(replacement, OpDef):
        needed, names = [p for p in replacement.params if p not in replacement.defaults], list(replacement.params)
    else:
        own = inspect.signature(replacement).parameters
        needed, names = [name for name, p in own.items() if p.default is p.empty], list(own)
    lacking = [name for name in needed if name not in params]
    if lacking:
        what = f"the replacement takes {lacking[0]!r}, which is no argument of {pattern.name}"
        raise PatternError(what, hint=f"it has: {', '.join(params)}")
    return [name for name in names if name in params]


class _Rewriting:
    """One pattern in one graph, from its end on: what is found further up was not changed yet."""

    def __init__(self, graph: Graph, finder: Finder, replacement: Callable[..., Any], names: list[str]) -> None:
        self.graph, self.finder, self.replacement, self.names = graph, finder, replacement, names
        self.order: dict[Node, Fraction | int] = {node: at for at, node in enumerate(graph)}
        self.writers: dict[Value, list[Fraction | int]] = {}
        self.fixed = pinned(graph)
        for node, at in self.order.items():
            if node.in_place and node.args and type(node.args[0]) is Value:
                self.writers.setdefault(node.args[0], []).append(at)

    def run(self, when: Callable[[Match], Any] | None) -> int:
        """Replace what `when` takes; how many."""
        count = 0
        for node in reversed(self.finder.begins()):
            for match in self.finder.at(node) if node.graph is self.graph else ():
                if not self.fixed.isdisjoint(match.nodes):
                    continue
                place = self._place(match) if when is None or when(match) else None
                if place is not None and self._replace(match, place):
                    count += 1
                    break
        return count

    # ------------------------------------------------------------------ where
    def _place(self, match: Match) -> Node | None:
        """The node before which the new ones stand: behind all that they take, before all that take them, and no write in
        place between them and what they stand for. None: there is none."""
        order = self.order
        first, last = (pick(match.nodes, key=order.__getitem__) for pick in (min, max))
        gone = set(match.nodes)
        users = [user for value in match.outputs for user in value.uses if user not in gone and user in order]
        before = min([*users, last], key=order.__getitem__)
        taken = [leaf for leaf in leaves(dict(match.arguments)) if type(leaf) is Value]
        written = [at for value in taken for at in self.writers.get(value, ())]
        if any(order[first] < at < order[before] for at in written):
            return None
        behind = all(order[value.node] < order[before] for value in taken if value.node in order)
        return before if behind else None

    def _number(self, made: list[Node], before: Node) -> None:
        """Give new nodes their places in the order."""
        above = made[0].prev if made else None
        low, high = self.order[above] if above is not None else Fraction(-1), self.order[before]
        for at, node in enumerate(made, 1):
            self.order[node] = low + (high - low) * Fraction(at, len(made) + 1)

    # ------------------------------------------------------------------ what
    def _replace(self, match: Match, before: Node) -> bool:
        """Put the replacement there. False where its author wrote over what it gives, and that may be another's memory then."""
        given = {name: match[name] for name in self.names}
        untold = [name for name, arg in given.items() if any(type(leaf) is Hole for leaf in leaves(arg))]
        if untold:
            raise PatternError(f"nothing tells the replacement what {untold[0]!r} is", match.root.span)
        builder = _Placing(self.graph, self.finder.promotion, before, match.root.span)
        try:
            with building(builder):
                result = self.replacement(**given)
            new = builder.checked(result, match)
        except GfxError as error:
            builder.undo()
            error.span = error.span or match.root.span
            raise
        own = {value for node in builder.made if node.op.put is None for value in node.values}
        if any(old in self.writers and leaf not in own for old, leaf in zip(match.outputs, new)):
            builder.undo()
            return False
        self._number(builder.made, before)
        for old, leaf in zip(match.outputs, new):
            if type(leaf) is Value:
                leaf.name = leaf.name or old.name
                leaf.type = old.type if leaf.type is None else leaf.type
            old.replace_by(leaf)
            if old in self.writers:
                self.writers[leaf] = self.writers.pop(old)
        for node in reversed(match.nodes):
            if node.graph is self.graph and not any(value.uses for value in node.values):
                self.graph.erase(node)
        return True


class _Placing(Builder):
    """Adds nodes before another one, typed as far as their inputs are."""

    def __init__(self, graph: Graph, promotion: str, before: Node, place: Span | None) -> None:
        super().__init__(graph, promotion)
        self.before, self.place = before, place
        self.made: list[Node] = []

    def span(self) -> Span | None:
        return self.place

    def append(self, node: Node, taken: list[Value] | None = None) -> Node:
        if node.op.effect:
            raise PatternError(f"a replacement has no effects, as {node.op.name} has one")
        self.graph.insert(node, self.before, taken)
        self.made.append(node)
        if all(leaf.type is not None for leaf in leaves(node.args) if type(leaf) is Value and leaf.is_tensor):
            node.forward(self.promotion)
        return node

    def checked(self, result: Any, match: Match) -> list[Any]:
        """The leaves of what a replacement gave, one for each output."""
        found = list(leaves(result))
        if len(found) != len(match.outputs):
            what = f"the replacement gives {len(found)} values, and {match.pattern.name} {len(match.outputs)}"
            raise PatternError(what, match.root.span)
        return found

    def undo(self) -> None:
        """Take out what was added."""
        for node in reversed(self.made):
            self.graph.erase(node)
