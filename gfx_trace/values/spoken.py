"""Ops by the rules of another framework than the program's, as NumPy's arithmetic in PyTorch's code: what they take is cast before them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from gfx_ir.dtypes import DTYPES, DType, bool_, default, float32, float64
from gfx_ir.graph import Value
from gfx_ir.infer.shape_rules import Call, ShapeRules, of_rank
from gfx_ir.op import OpDef, Trait
from gfx_ir.promotion import real_of
from gfx_ir.python_numbers import NUMBER_CLASSES, OPEN
from gfx_ir.trees import tree_map
from gfx_ir.types import LogicalTensor

from .dtype_sources import PROBES, DtypeSources
from .record import Record

_FLOATS = (float32, float64)
_OTHERS = (bool_, float32, float64, DTYPES["complex128"])
"""Dtypes that tell whether that of a result follows from that of an argument."""
Types = tuple[LogicalTensor, ...]


class Spoken:
    """What an op takes by other rules than the program's, so that it gives by those what it gives by these."""

    def __init__(self, record: Record, sources: DtypeSources, promotion: str) -> None:
        self.record, self.sources = record, sources
        self.own, self.theirs = record.rules, ShapeRules(promotion)

    def taken(self, op: OpDef, args: tuple, cast: Callable[[Any, DType], Value]) -> tuple:
        """The arguments, `cast` where the program's rules would give another dtype. Of what is open, source is exact where that is of one
        floating dtype."""
        call = Call(op, args, 0, self.record.facts.root)
        asks = "dtype" in op.params and op.params.index("dtype") < len(args)
        if op.control is not None or not (call.tensors or asks):
            return args
        given = [self._types(call, floats, self.theirs) for floats in _FLOATS]
        found = {self.theirs.type(call, types).dtype for types in given}
        usual = {self.own.type(call, self._types(call, floats, self.own)).dtype for floats in _FLOATS}
        if len(found) != 1 or found == usual:
            return args
        (dtype,) = found
        if dtype is None or dtype.kind == "u":  # which PyTorch has for storage alone
            return args
        if asks and args[op.params.index("dtype")] is None:
            at = op.params.index("dtype")
            return (*args[:at], dtype, *args[at + 1 :])
        parts = [value for value in call.tensors if self._takes_part(call, given[0], value, dtype)]
        strong = [value for value in parts if not self.record.weak(value)]  # a number is cast to what it stands beside
        parts = strong or parts
        if not parts and op.traits & Trait.ELEMENTWISE:
            at = next((at for at, arg in enumerate(args) if type(arg) in NUMBER_CLASSES), len(args))
            return (*args[:at], *[cast(number, dtype) for number in args[at : at + 1]], *args[at + 1 :])
        root = self.record.facts.root
        made = {value: cast(value, self._part(value, dtype)) for value in parts}
        return tree_map(lambda leaf: made.get(root(leaf), leaf) if type(leaf) is Value else leaf, args)

    def _types(self, call: Call, floats: DType, rules: ShapeRules) -> Types:
        """The types of the tensors that a call takes, where those are `floats` whose dtype is open."""
        return tuple([self._type(value, floats, rules.promotion) for value in call.tensors])

    def _type(self, value: Value, floats: DType, promotion: str) -> LogicalTensor:
        kind = self.record.weak(value)
        if kind:
            return LogicalTensor(default("f" if kind == OPEN else kind[0], promotion), (), weak=True)
        return dataclasses.replace(
            of_rank(self.record.rank_of(value)), dtype=self.sources.probed(value)[1][PROBES.index(floats)] or floats
        )

    def _takes_part(self, call: Call, types: Types, value: Value, dtype: DType) -> bool:
        """Whether the dtype of the result follows from that of this array, and it has another one."""
        at = call.tensors.index(value)
        if not types[at].weak and types[at].dtype == self._part(value, dtype):
            return False
        others = [dataclasses.replace(types[at], dtype=other) for other in _OTHERS]
        return len({self.theirs.type(call, (*types[:at], other, *types[at + 1 :])).dtype for other in others}) > 1

    def _part(self, value: Value, dtype: DType) -> DType:
        """What an array is cast to for a result of a dtype."""
        own = self.record.dtype(value)
        return dtype if own is not None and own.kind == "c" else real_of(dtype) or dtype
