"""Numbers: equal for values that are computed alike, whatever the order of what commutes. One walk along a graph.

Source: value numbering, as in Cocke and Schwartz, "Programming Languages and Their Compilers" (1970).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from ..graph import Node, Value
from ..keys import tree_key
from ..op import Trait
from ..trees import leaves
from .holes import Hole
from .variants import Variant


class Numbers:
    """The numbers of nodes of a graph, each behind those that it takes, and of variants whose placeholders stand for values of it."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._table: dict[Hashable, int] = {}
        self._known: dict[Node, int | None] = {}
        for node in nodes:
            self._known[node] = self._number(node, {}, self._known)

    def _number(self, node: Node, fixed: Mapping[Value, Any], known: Mapping[Node, int | None]) -> int | None:
        """None where a hole stands below it."""
        if node.op.effect or node.regions or node.in_place:
            return self._table.setdefault(node, len(self._table))
        for leaf in leaves(node.args):
            if type(leaf) is Hole or (type(leaf) is Value and known.get(leaf.node, 0) is None):
                return None

        def key(leaf: Value) -> Hashable:
            if leaf in fixed:
                return self._leaf(fixed[leaf])
            return ("%", known[leaf.node], leaf.index) if leaf.node in known else ("%", leaf)

        keys: list[Hashable] = [_keyed(arg, key) for arg in node.args]
        if node.op.traits & Trait.COMMUTATIVE:
            keys[:2] = [frozenset(keys[:2])]
        return self._table.setdefault((node.op, *keys), len(self._table))

    def _leaf(self, leaf: Any) -> Hashable:
        """The key of a leaf of the graph."""
        known = self._known
        return _keyed(leaf, lambda v: ("%", known[v.node], v.index) if v.node in known else ("%", v))

    def fits(self, variant: Variant, fixed: Mapping[Value, Any]) -> Any:
        """Whether a value of the variant is computed as a leaf of the graph is; true where a hole stands below it."""
        own: dict[Node, int | None] = {}
        for node in variant.nodes:
            own[node] = self._number(node, fixed, own)

        def fits(wanted: Value, found: Any) -> bool:
            number = own[wanted.node]
            return number is None or (type(found) is Value and self._known.get(found.node) == number)

        return fits


def _keyed(tree: Any, key: Any) -> Hashable:
    return tree_key(tree, lambda leaf: key(leaf) if type(leaf) is Value else tree_key(leaf))
