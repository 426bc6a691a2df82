"""Types of values where a program has none: as far as the ops tell that made them, as a comparison gives booleans."""

from __future__ import annotations

from typing import Any

from ..errors import GfxError
from ..graph import Value
from ..rules import OPEN, UNKNOWN, infer
from ..trees import leaves, tree_map
from ..types import LogicalTensor


class MadeTypes:
    """The types that were asked for, each found once. Whatever a region is given, or gives, is not known."""

    def __init__(self) -> None:
        self._found: dict[Value, LogicalTensor] = {}

    def of(self, leaf: Any) -> LogicalTensor:
        """The type of a tensor."""
        if type(leaf) is not Value:
            return UNKNOWN
        waiting = [leaf]
        while waiting:
            value = waiting[-1]
            parts = [] if value in self._found or _told(value) else _tensors(value)
            missing = [part for part in parts if part not in self._found]
            waiting += missing
            if not missing:
                waiting.pop()
                self._found.setdefault(value, self._made(value))
        return self._found[leaf]

    def _made(self, value: Value) -> LogicalTensor:
        if isinstance(value.type, LogicalTensor):
            return value.type
        if _told(value):
            return UNKNOWN
        try:
            made = infer(value.node.op, tree_map(self._seen, value.node.args), "torch")[value.index - 1]
        except GfxError:  # said where it is captured, if it is wrong at all
            return UNKNOWN
        return LogicalTensor(made.dtype) if isinstance(made, LogicalTensor) else UNKNOWN

    def _seen(self, leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        return self._found.get(leaf, UNKNOWN) if leaf.is_tensor else OPEN


def _told(value: Value) -> bool:
    """Whether no op tells what a value is."""
    node = value.node
    ends = isinstance(value.type, LogicalTensor) or node.op.name in ("placeholder", "parameter", "call", "holder")
    return ends or bool(node.regions) or (node.op.infer is None and node.op.body is None)


def _tensors(value: Value) -> list[Value]:
    return [leaf for leaf in leaves(value.node.args) if type(leaf) is Value and leaf.is_tensor]
