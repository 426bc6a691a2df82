"""What NumPy has where a value of the graph is without axes as the ops alone tell, which is what source written of them has: a number
or an array. The author's own code may have the other, as of an array that was written in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gfx_ir.control import is_given, is_loop, is_test
from gfx_ir.graph import Graph, Value
from gfx_ir.infer import transfer
from gfx_ir.infer.abstract import ARRAYS, ELEMENTS, NUMBERS, SCALAR, Kinds
from gfx_ir.infer.demand import Question, Rule
from gfx_ir.infer.number_conditions import at_ranks
from gfx_ir.infer.shape_rules import Call
from gfx_ir.op import Point

from .equations import is_tensor, plain
from .record import Record

SCALARS: Kinds = ELEMENTS | {SCALAR}


class ByOps:
    """The kinds of values by their ops, and what differs from the record of a capture."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self.kinds = Question(self._kinds, record.called.get)
        self.element, self.ranks, self.rank, self.dims = record.element, record.ranks, record.rank, record.dims
        self.rules, self.given = record.rules, record.given

    def lacks_array(self, value: Value) -> bool:
        """Whether the author has an array, and source of the ops may have a number."""
        return self._record.kinds_of(value) == ARRAYS and self._may_be_point(value, self._asked(value) - ARRAYS)

    def lacks_number(self, value: Value) -> bool:
        """Whether the author has a number, if there are no axes, and source of the ops may have an array."""
        found = self._record.kinds_of(value)
        return (
            bool(found) and found <= SCALARS and not self._asked(value) <= SCALARS and self._may_be_point(value, found)
        )

    def mixed_numbers(self, value: Value) -> list[tuple[Graph, int]]:
        """Where tests leave a number of NumPy's beside one of Python's, and source has an array for the one of NumPy's: the regions
        that end with it, and at which position."""
        found = self._record.kinds_of(value)
        mixed = not found.isdisjoint(NUMBERS) and not found <= NUMBERS
        return (
            [(region, at) for region, at in self._ends(value) if self.lacks_number(region.result[at])] if mixed else []
        )

    def _ends(self, value: Any) -> Iterator[tuple[Graph, int]]:
        """The regions that tests choose from, and the positions of what they leave for a value."""
        root = self._record.facts.root(value) if is_tensor(value) else None
        if root is not None and is_test(root.node):
            for region in root.node.regions:
                at = root.index - 1
                inner = list(self._ends(region.result[at]))
                yield from inner or ([(region, at)] if is_tensor(region.result[at]) else [])

    def _asked(self, value: Value) -> Kinds:
        found: Kinds = self.kinds.ask(self._record.facts.root(value))
        return found

    def _may_be_point(self, value: Value, kinds: Kinds) -> bool:
        record = self._record
        return bool(kinds) and at_ranks(kinds, record.ranks_of(value), record.assumed.depths) is not None

    def _kinds(self, value: Value) -> Rule:
        node, record = value.node, self._record
        if is_given(node) or node.op.point is Point.GIVEN:  # source of a constant makes an array
            return ARRAYS
        if node.op.added:  # its source calls what the author called
            return record.kinds_of(value)
        if not node.regions:
            return (yield from transfer.kinds(Call(node.op, node.args, value.index - 1, record.facts.root), self))
        sources = record.sides(value)
        if is_loop(node):
            at, init = value.index - 1, node.arg("init")
            left = node.regions[-1].result
            sources = [init[at], left[at]] if at < len(init) and type(left) is tuple else []
        found: Kinds = frozenset() if sources else ARRAYS
        for source in sources:
            asked = record.facts.root(source) if is_tensor(source) else source
            found |= (yield self.kinds, asked) if is_tensor(source) else plain(source).kinds
        return found
