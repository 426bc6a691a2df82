"""Mixed precision: products are summed in few bits, and what follows on them is computed so; all else in the bits that it has.

Source: Micikevicius et al., "Mixed Precision Training", arXiv:1710.03740.
"""

from __future__ import annotations

from typing import Any

from ..copies import twin
from ..dependence import is_end, pinned
from ..dtypes import DType, dtype, float32
from ..errors import GfxError
from ..graph import Graph, Node, Value
from ..infer import retype
from ..op import Trait, lookup
from ..program import Program
from ..rules import OPEN
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .base import Context, Pass, every_graph
from .params import convert_parameters, sink_parameters
from .sweep import written

_OF_SHAPES = ("int", "shape", "device")
"""Kinds of what hangs on no dtype."""


class MixedPrecision(Pass):
    """Computes contractions of `wide` (float32) numbers in `dtype` (bfloat16), and what is steady on their results.

    Arguments, results and what regions and functions hand over keep their dtypes (inline functions first, for fewer casts);
    so do reductions, norms and losses. Parameters that are taken in few bits alone are of these from then on. It needs types.
    """

    name = "mixed_precision"
    tolerance = 0.1

    def run(self, program: Program, context: Context) -> bool:
        few, wide = dtype(self.get("dtype", "bfloat16")), dtype(self.get("wide", float32))
        sunk = sink_parameters(program)
        changed = [_Graph(program, graph, few, wide).run() for graph in every_graph(program)]
        if any(changed):
            convert_parameters(program, few, wide)
            retype(program)
        return sunk or any(changed)


class _Graph:
    """One graph, regions left out: the values that are computed in few bits, and those that may be had in both."""

    def __init__(self, program: Program, graph: Graph, few: DType, wide: DType) -> None:
        self.program, self.graph, self.few, self.wide = program, graph, few, wide
        self.kept, self.fixed = written(graph), pinned(graph)
        self.half: dict[Value, Value] = {}  # the same in few bits
        self.born: set[Value] = set()  # those that are computed in few bits, and nowhere in more
        self.either: set[Value] = set(
            graph.parameters.values()
        )  # those that follow from parameters by steady ops alone
        self.again: dict[Value, Value] = {}  # those of `born` that something needs in more bits

    def run(self) -> bool:
        """Rewrite the graph; whether something is computed in few bits."""
        gone = []
        for node in list(self.graph):
            if self._fits(node) and self._in_few_bits(node):
                gone.append(node)
            elif self._is_free(node):
                self.either.update(node.values)
            elif self.born:
                self._widen(node)
        if self.born:
            self._widen(self.graph.output)
        for node in reversed(gone):
            self.graph.erase(node)
        if self.born:
            self._erase_unused()
        return bool(self.born)

    # ------------------------------------------------------------------ which nodes
    def _fits(self, node: Node) -> bool:
        """Whether a node is computed in few bits."""
        if not self._plain(node):
            return False
        given = self._floats(node)
        if node.op.contraction is not None:
            return bool(given)
        loose = [value for value in given if value not in self.either]
        return bool(node.op.traits & Trait.STEADY and loose) and self.born.issuperset(loose)

    def _is_free(self, node: Node) -> bool:
        """Whether a node may be computed in any bits, as what it takes may."""
        given = self._floats(node)
        return bool(node.op.traits & Trait.STEADY and given) and self._plain(node) and self.either.issuperset(given)

    def _plain(self, node: Node) -> bool:
        """Whether a node gives numbers of `wide` alone, and nothing of what it takes and gives is written."""
        if node.in_place or node.regions or node.op.effect or not node.values or node in self.fixed:
            return False
        if not self.kept.isdisjoint((*self._values(node), *node.values)):
            return False
        return all(self._is_wide(value) for value in node.values)

    def _values(self, node: Node) -> list[Value]:
        return [leaf for leaf in leaves(node.args) if type(leaf) is Value]

    def _floats(self, node: Node) -> list[Value]:
        return [value for value in self._values(node) if self._is_wide(value)]

    def _is_wide(self, value: Value) -> bool:
        type_ = value.type
        return isinstance(type_, LogicalTensor) and type_.dtype == self.wide and not type_.weak

    # ------------------------------------------------------------------ rewriting
    def _in_few_bits(self, node: Node) -> bool:
        """Put the same node on few bits before a node, unless that would not give few bits."""
        made = twin(node, tree_map(lambda leaf: self._narrow(leaf, node), node.args))
        self.graph.insert(made, node)
        if not self._gives_few(made):
            self.graph.erase(made)
            return False
        for old, new in zip(node.values, made.values):
            new.name = old.name
            self.half[old] = new
            self.born.add(old)
        return True

    def _gives_few(self, made: Node) -> bool:
        try:
            types = made.infer_output_shape(self.program.promotion)
        except GfxError:
            return False
        for value, type_ in zip(made.values, types):
            value.type = None if type_ is OPEN else type_
        return all(isinstance(type_, LogicalTensor) and type_.dtype == self.few for type_ in types)

    def _narrow(self, leaf: Any, before: Node) -> Any:
        """A value in few bits; other leaves as they are."""
        if type(leaf) is not Value or not self._is_wide(leaf):
            return leaf
        waiting = [leaf]
        while waiting:
            value = waiting[-1]
            needed = [] if is_end(value) or value not in self.either else self._floats(value.node)
            missing = [other for other in needed if other not in self.half]
            if value in self.half or missing:
                waiting = waiting[:-1] if value in self.half else [*waiting, *missing]
            elif needed:
                self._copy(value.node)
            else:
                self._cast(value)
        return self.half[leaf]

    def _copy(self, node: Node) -> None:
        """The same node on few bits behind a node, which may be had in both."""
        made = twin(node, tree_map(lambda leaf: self.half.get(leaf, leaf) if type(leaf) is Value else leaf, node.args))
        self.graph.insert(made, node.next)
        if not self._gives_few(made):
            self.graph.erase(made)
            for value in node.values:
                self._cast(value)
            return
        self.half.update(zip(node.values, made.values))

    def _cast(self, value: Value) -> None:
        """A cast to few bits where the value is made, once for all who need that."""
        before = self.graph.first if is_end(value) else value.node.next
        made = self.graph.insert(Node(lookup("astype"), (value, self.few), None, value.node.span), before)
        made.value.type = value.type.with_(dtype=self.few)
        self.half[value] = made.value

    def _widen(self, node: Node) -> None:
        """Let a node take what it took in the bits that this had; what asks for shapes, in those that it has."""
        if any(value in self.born for value in self._values(node)):
            asks = node.op.traits & Trait.ASKS and all(value.kind in _OF_SHAPES for value in node.values)
            swap = self._few if asks else self._wide
            node.set_args(tree_map(lambda leaf: swap(leaf) if type(leaf) is Value else leaf, node.args))

    def _few(self, value: Value) -> Value:
        return self.half[value] if value in self.born else value

    def _wide(self, value: Value) -> Value:
        if value not in self.born:
            return value
        found = self.again.get(value)
        if found is None:
            source = self.half[value]
            made = Node(lookup("astype"), (source, self.wide), None, source.node.span)
            self.graph.insert(made, source.node.next)
            found = self.again[value] = made.value
            found.type = value.type
        return found

    def _erase_unused(self) -> None:
        """Erase what was there in both and is needed in few bits alone."""
        node = self.graph.last
        while node is not None:
            before = node.prev
            if node.values and self.either.issuperset(node.values) and not any(value.uses for value in node.values):
                self.graph.erase(node)
            node = before
