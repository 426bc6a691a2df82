"""Application of an op to operands that are no Values of a graph: what a device is asked about, eagerly."""

from __future__ import annotations

from typing import Any

from ..applied import Applied, Typed
from ..op import OpDef
from ..rules import infer_at
from ..source import Span
from ..types import LogicalTensor


class Operand(Typed):
    """What stands for data of a type."""

    __slots__ = ()

    def __init__(self, type_: LogicalTensor) -> None:
        self.kind, self.type = "tensor", type_


class Application(Applied):
    """An op on operands and constants; it makes no node."""

    __slots__ = ()

    def __init__(self, op: OpDef, args: tuple, span: Span | None = None) -> None:
        self.op, self.args, self.span, self.values = op, args, span, ()

    def result_types(self, promotion: str) -> tuple[Any, ...]:
        """Types of its results from those of its operands, under the promotion rules."""
        return infer_at(self.op, self.types(), promotion, self.span)
