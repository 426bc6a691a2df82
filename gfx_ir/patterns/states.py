"""States: which parts of all patterns each node of a graph may be, found in one walk, however many patterns there are.

A part is a node of a pattern with all below it, holes taken for anything. Nodes with the same op, constants and states of
what they take have one state; it is computed once and looked up from then on, as a tree automaton does.
Source: Hoffmann and O'Donnell, "Pattern Matching in Trees" (1982).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..graph import Node, Value
from ..keys import constant_key, tree_key
from ..op import OpDef, Trait
from ..trees import BRANCHES, children, leaves
from .holes import Hole
from .variants import Variant

_ANY = ("any",)
Entry = tuple[Any, Variant]
"""A variant, and whose it is."""


@dataclass(frozen=True)
class _Part:
    """An op and what it takes: for each argument _ANY, ("part", number, output), ("constant", key) or a tree of these."""

    op: OpDef
    args: tuple


class Index:
    """The parts of some variants, and the states met so far. `roots[state]` are the variants that may begin there, the
    largest first."""

    def __init__(self, variants: Iterable[Entry]) -> None:
        self._numbers: dict[_Part, int] = {}
        self._parts: dict[Node, int] = {}  # of the nodes of all variants
        self._by_op: dict[OpDef, list[tuple[int, _Part]]] = {}
        self._constants: dict[OpDef, set[Hashable]] = {}
        self._begins: dict[int, list[tuple[tuple[int, int], Entry]]] = {}
        self._sets: list[frozenset[int]] = [frozenset()]
        self._states: dict[frozenset[int], int] = {frozenset(): 0}
        self._next: dict[Hashable, int] = {}
        self.roots: list[list[Entry]] = [[]]
        for rank, entry in enumerate(variants):
            self._begins.setdefault(self._add(entry[1]), []).append(((-len(entry[1].nodes), rank), entry))

    # ------------------------------------------------------------------ parts of patterns
    def _add(self, variant: Variant) -> int:
        """Number the parts of a variant; that of its root."""
        numbers = self._parts

        def shape(arg: Any) -> Any:
            if type(arg) is Hole:
                return _ANY
            if type(arg) is Value:
                return ("part", numbers[arg.node], arg.index) if arg.node in numbers else _ANY
            if type(arg) in BRANCHES:
                held = [type(leaf) in (Hole, Value) for leaf in leaves(arg)]
                return (
                    (type(arg), *[shape(item) for item in children(arg)]) if any(held) else ("constant", tree_key(arg))
                )
            return ("constant", constant_key(arg))

        for node in variant.nodes:
            part = _Part(node.op, tuple([shape(arg) for arg in node.args]))
            at = self._numbers.get(part)
            if at is None:
                at = self._numbers[part] = len(self._numbers)
                self._by_op.setdefault(node.op, []).append((at, part))
                known = self._constants.setdefault(node.op, set())
                known.update(constant_key(leaf) for leaf in leaves(node.args) if type(leaf) not in (Hole, Value))
            numbers[node] = at
        return numbers[variant.root.node]

    # ------------------------------------------------------------------ states of a graph
    def states(self, nodes: Iterable[Node]) -> dict[Node, int]:
        """The states of nodes, each behind those that it takes."""
        found: dict[Node, int] = {}
        for node in nodes:
            parts = self._by_op.get(node.op)
            if parts is not None and not node.regions:
                found[node] = self._state(node, parts, found)
        return found

    def _state(self, node: Node, parts: list[tuple[int, _Part]], found: dict[Node, int]) -> int:
        known = self._constants[node.op]

        def key(arg: Any) -> Hashable:
            kind = type(arg)
            if kind is Value:
                return (found.get(arg.node, 0), arg.index)
            if kind in BRANCHES:
                return (kind.__name__, tuple(arg) if kind is dict else (), *[key(item) for item in children(arg)])
            constant = constant_key(arg)
            return constant if constant in known else None

        keys = (node.op, *[key(arg) for arg in node.args])
        state = self._next.get(keys)
        if state is None:
            facts = [self._fact(arg, found) for arg in node.args]
            fits = frozenset([at for at, part in parts if self._fits(part, node, facts)])
            state = self._next[keys] = self._number(fits)
        return state

    def _number(self, fits: frozenset[int]) -> int:
        state = self._states.setdefault(fits, len(self._sets))
        if state == len(self._sets):
            self._sets.append(fits)
            begins = [ranked for at in fits for ranked in self._begins.get(at, ())]
            self.roots.append([entry for _, entry in sorted(begins, key=lambda ranked: ranked[0])])
        return state

    def fits(self, states: dict[Node, int]) -> Any:
        """Whether a value of a variant may be a leaf of a graph, by the states of its nodes; what has none may be."""

        def fits(wanted: Value, found: Any) -> bool:
            if type(found) is not Value or found.node.op is not wanted.node.op:
                return False
            return found.node not in states or self._parts[wanted.node] in self._sets[states[found.node]]

        return fits

    def _fits(self, part: _Part, node: Node, facts: list[_Fact]) -> bool:
        if self._all_fit(part.args, facts):
            return True
        if not node.op.traits & Trait.COMMUTATIVE:
            return False
        return self._all_fit(part.args, [facts[1], facts[0], *facts[2:]])

    def _all_fit(self, shapes: tuple, facts: list[_Fact]) -> bool:
        for shape, fact in zip(shapes, facts):
            if shape is not _ANY and not self._one_fits(shape, fact):
                return False
        return True

    def _one_fits(self, shape: Any, fact: _Fact) -> bool:
        if shape[0] == "part":
            return fact.index == shape[2] and shape[1] in fact.parts
        if shape[0] == "constant":
            return fact.index == 0 and fact.key == shape[1]
        return fact.kind is shape[0] and len(fact.items) == len(shape) - 1 and self._all_fit(shape[1:], fact.items)

    def _fact(self, arg: Any, found: dict[Node, int]) -> _Fact:
        kind = type(arg)
        if kind is Value:
            return _Fact(kind, self._sets[found.get(arg.node, 0)], arg.index)
        items = [self._fact(item, found) for item in children(arg)] if kind in BRANCHES else []
        constant = not any(type(leaf) is Value for leaf in leaves(arg))
        return _Fact(kind, frozenset(), 0, tree_key(arg) if constant else None, items)


@dataclass(frozen=True)
class _Fact:
    """What is known of an argument of a node: for a value the parts that it may be and its `index`, else its key and items."""

    kind: type
    parts: frozenset[int]
    index: int
    key: Hashable = None
    items: list[_Fact] = field(default_factory=list)
