"""What a value's dtype hangs on, where it is not known: the arguments that it has it from, and the lowest that it can be.

Questions beside those of the record, which they ask: each value answers once, and no chain of values is too deep.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from gfx_ir import dtypes
from gfx_ir.dtypes import DType, holds
from gfx_ir.errors import GfxError
from gfx_ir.graph import Value, values_in
from gfx_ir.infer.demand import Question, Rule
from gfx_ir.op import Trait
from gfx_ir.promotion import as_type
from gfx_ir.rules import UNKNOWN
from gfx_ir.trees import tree_map
from gfx_ir.types import LogicalTensor

from .record import Record

Names = frozenset[str]
_NUMBERS = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
_REFUSED = (GfxError, TypeError, ValueError, IndexError, AttributeError)


def higher(a: DType, b: DType) -> DType:
    """The dtype of the higher kind."""
    return a if holds(a, b) else b


def _lower(a: DType, b: DType) -> DType:
    return b if holds(a, b) else a


class DtypeSources:
    """The sources of the values of a capture, of whose values the record tells."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._made_of, self._dims = Question(self._of_arguments, self._only_part), Question(self._told_dims)
        self._sources = Question(self._named_and_lowest)

    # ------------------------------------------------------------------ what is asked
    def made_of(self, value: Value) -> Names:
        """The names of the arguments that a value is made of."""
        found: Names = self._made_of.ask(self._root(value))
        return found

    def of(self, value: Value) -> Names:
        """The names of the arguments whose dtypes a value has, if its own is not known."""
        names: Names = self._sources.ask(self._root(value))[0]
        return names

    def lowest(self, value: Value) -> DType:
        """The dtype that a value has where all these arguments are booleans."""
        dtype: DType = self._sources.ask(self._root(value))[1]
        return dtype

    def own_dims(self, value: Value) -> tuple | None:
        """The dims of a value that its type has, or that the op tells whose elements it has, whatever that is given."""
        dims: tuple | None = self._dims.ask(self._root(value))
        return dims

    def given(self, new: Value, dtype_of: Callable[[Value], DType]) -> DType | None:
        """The dtype that an op gives where its tensors have these; None where that is not told."""
        record = self._record

        def typed(leaf: Any) -> Any:
            if type(leaf) is not Value:
                return leaf
            kind = record.weak(leaf) if leaf.is_tensor else leaf.kind
            if kind in _NUMBERS:
                return as_type(_NUMBERS[kind], record.rules.promotion)
            return LogicalTensor(record.dtype(leaf) or dtype_of(leaf)) if leaf.is_tensor else leaf

        made = self._inferred(new, tree_map(typed, new.node.args))
        return None if made is None else made.dtype

    # ------------------------------------------------------------------ rules
    def _only_part(self, value: Value) -> Value | None:
        """The one tensor that a value is made of, parameters apart."""
        parts = [part for part in self._parts(value) if part.node.op.name != "parameter"]
        return parts[0] if len(parts) == 1 else None

    def _of_arguments(self, value: Value) -> Rule:
        names = self._own_name(value)
        for part in self._parts(value):
            names |= yield self._made_of, part
        return names

    def _named_and_lowest(self, value: Value) -> Rule:
        dtype = (yield self._record.element, value).dtype
        if dtype is not None:
            return Names(), dtype
        names, lowest = self._own_name(value), list[DType]()
        for part in self._parts(value):
            found = yield self._sources, part
            names |= found[0]
            lowest.append(found[1])
        if value in self._record.begins or value.node.regions:
            dtype = reduce(_lower, lowest) if lowest else None
        else:
            dtype = self.given(value, self.lowest)
        return names, dtype or dtypes.bool_

    def _told_dims(self, value: Value) -> Rule:
        given = self._record.given(value)
        if given is not None:
            return given.dims
        tensors = self._parts(value)
        if value.node.op.traits & Trait.ELEMENTWISE and len(tensors) == 1:
            return (yield self._dims, tensors[0])
        made = self._inferred(
            value, tree_map(lambda x: UNKNOWN if type(x) is Value and x.is_tensor else x, value.node.args)
        )
        return None if made is None else made.dims

    # ------------------------------------------------------------------ what they read
    def _root(self, value: Value) -> Value:
        return self._record.facts.root(value)

    def _own_name(self, value: Value) -> Names:
        return Names(value.node.args[:1]) if self._record.assumed.is_argument(value) else Names()

    def _parts(self, value: Value) -> list[Value]:
        """The tensors that a value is made of; of what a loop carries, what that begins with, of a test, what its sides leave."""
        record = self._record
        begins = value in record.begins
        found = (record.begins[value],) if begins else tuple(record.sides(value)) or value.node.args
        return [self._root(leaf) for leaf in values_in(found) if leaf.is_tensor]

    def _inferred(self, value: Value, args: tuple) -> LogicalTensor | None:
        if value.node.regions or (value.node.op.infer is None and value.node.op.body is None):
            return None
        try:
            made = self._record.rules.infer(value.node.op, args)[value.index - 1]
        except _REFUSED:
            return None
        return made if isinstance(made, LogicalTensor) else None
