"""Origins of dtypes: which arguments and told dtypes a value's dtype is made of, where it is not known itself, and which two are one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dtypes import DTYPES, DType
from ..graph import Node, Value, values_among
from ..op import Trait
from ..rules import OPEN, RAISED, UNKNOWN
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .elements import declared, named, tensors
from .fixpoint import Fixpoint
from .flow import Flow
from .shape_rules import ShapeRules

POSITIONS = frozenset(("index", "indices", "condition", "axis", "shape"))
"""Parameters of ops that leave the dtype of the result as it is."""
_PROBES = tuple(DTYPES[name] for name in ("float32", "float16", "int64"))
_DEFAULT = "default"
"""The dtype of an array that is made without one."""


class Origins:
    """The origins of the values of a program, sets of them as the bits of numbers."""

    def __init__(self, flow: Flow, settles: Callable[[Node], bool], rules: ShapeRules) -> None:
        self._flow, self._settles, self._rules = flow, settles, rules
        self._bits: dict[Any, int] = {_DEFAULT: 1}
        self._ends = Fixpoint[int](self._parts, self._made_of, 0, -1)
        self._ones = Fixpoint[Any](self._alike, self._one, None, _DEFAULT)

    def apart(self, first: Any, second: Any) -> bool:
        """Whether two tensors have nothing to do with each other, so that their dtypes may differ."""
        return not self._of(first) & self._of(second)

    def has_default(self, leaf: Any) -> bool:
        """Whether an array that is told no dtype has a part in it: that may be wider than an argument."""
        return bool(self._of(leaf) & self._bits[_DEFAULT])

    def of_one(self, first: Any, second: Any) -> bool:
        """Whether two tensors have one dtype wherever the arguments are floats of one."""
        return self._of(first) == self._of(second) and not self.has_default(first)

    def same(self, first: Any, second: Any) -> bool:
        """Whether two values surely have one dtype, be it known or not."""
        if type(first) is not Value or type(second) is not Value:
            return False
        told = declared(first), declared(second)
        return told[0] == told[1] if None not in told else self._ones.of(first) is self._ones.of(second)

    def _of(self, leaf: Any) -> int:
        return self._ends.of(leaf) if type(leaf) is Value else 0

    # ------------------------------------------------------------------ what it is made of
    def _parts(self, value: Value) -> list[Value]:
        return [] if declared(value) is not None else data(value, self._flow, self._settles)

    def _made_of(self, value: Value) -> int:
        parts = self._parts(value)
        if not parts and value not in self._flow.sources:
            return self._bit(declared(value) or _made(value.node) or value)
        mask = 0
        for part in parts:
            mask |= self._ends.now(part)
        return mask

    def _bit(self, end: Any) -> int:
        return self._bits.setdefault(end, 1 << len(self._bits))

    # ------------------------------------------------------------------ what it is
    def _alike(self, value: Value) -> list[Value]:
        """Values of whose dtype this one is, if they all have one; none where it has its own."""
        flow = self._flow
        if value in flow.sources or value in flow.rows or value in flow.stacked:
            return data(value, flow, self._settles)
        asked = asked_of(value.node)
        if asked is not None:
            return [asked]
        kept = (tensor for tensor in tensors(value.node) if all(self._keeps(value, tensor, dtype) for dtype in _PROBES))
        return list(kept)[:1]

    def _one(self, value: Value) -> Any:
        """A value that stands for all of its dtype."""
        source = self._flow.sources.get(value)
        if source is not None and not all(type(leaf) is Value for leaf in source.chosen(self._settles)):
            return value
        found = [known for known in map(self._ones.now, self._alike(value)) if known is not None]
        if not self._alike(value):
            return value
        return None if not found else found[0] if all(known is found[0] for known in found) else value

    def _keeps(self, value: Value, tensor: Value, dtype: DType) -> bool:
        """Whether an op's result has this dtype where its tensor has."""

        def typed(leaf: Any) -> Any:
            if type(leaf) is not Value:
                return leaf
            return LogicalTensor(dtype) if leaf is tensor else UNKNOWN if leaf.is_tensor else OPEN

        if value.node.op.infer is None and value.node.op.body is None:
            return False
        try:
            made = self._rules.infer(value.node.op, tree_map(typed, value.node.args))[value.index - 1]
        except RAISED:
            return False
        return isinstance(made, LogicalTensor) and made.dtype == dtype


def data(value: Value, flow: Flow, settles: Callable[[Node], bool]) -> list[Value]:
    """The values whose dtype a value has, or that have a part in it."""
    source = flow.sources.get(value)
    if source is not None:
        return values_among(source.chosen(settles))
    if value in flow.rows:
        return values_among([flow.rows[value][1]])
    if value in flow.stacked:
        return values_among([flow.stacked[value]])
    node = value.node
    asked = asked_of(node)
    if asked is not None:
        return [asked]
    if _made(node) is not None:
        return []
    taken = (arg for text, arg in zip(node.op.params, node.args) if text not in POSITIONS)
    return [leaf for arg in taken for leaf in leaves(arg) if type(leaf) is Value and leaf.is_tensor]


def asked_of(node: Node) -> Value | None:
    """The tensor whose dtype an op is told, where that is asked for when the code runs."""
    told = named(node)
    if type(told) is not Value or not told.node.op.traits & Trait.ASKS or not told.node.args:
        return None
    of = told.node.args[0]
    return of if type(of) is Value and of.is_tensor else None


def _made(node: Node) -> Any:
    """The dtype that an op is told, or that of an array made of no others; None: it goes by its arguments."""
    told = named(node)
    if told is not None:
        return told
    return _DEFAULT if node.op.family == "create" and not tensors(node) else None
