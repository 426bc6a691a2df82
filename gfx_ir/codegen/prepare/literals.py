"""Constants without axes beside arrays that keep their dtype: numbers of Python's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dtypes import DType, number_of, promote_types
from ...graph import Graph, Node, Value
from ...op import Trait, lookup
from ...program import Program
from ...types import LogicalTensor
from .base import Emission, Lowering

_CONSTANT = lookup("constant")


class Literals(Lowering):
    """A constant without axes that an op takes element by element is a number, where an array beside it has the dtype of both."""

    name = "literals"

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Put numbers in the places of constants, in the graph and its regions."""
        for node in list(graph.walk()):
            found = [arg for arg in node.args if type(arg) is Value and _number(arg) is not None]
            if found and node.op.traits & Trait.ELEMENTWISE and _settled(node, found, program.promotion):
                node.set_args(tuple(_number(arg) if arg in found else arg for arg in node.args))


def _settled(node: Node, constants: list[Value], rules: str) -> bool:
    """Whether the dtype of what a node computes with is that of another array that it takes, whatever stands for these constants."""
    others = [arg.type for arg in node.args if type(arg) is Value and arg not in constants]
    first = others[0] if others else None
    if not isinstance(first, LogicalTensor) or first.dtype is None:
        return False
    if any(not isinstance(type_, LogicalTensor) or type_.weak or type_.dtype != first.dtype for type_ in others):
        return False
    return all(_kept(first.dtype, constant.type.dtype, rules) for constant in constants)  # type: ignore[union-attr]


def _kept(dtype: DType, other: DType, rules: str) -> bool:
    try:
        return promote_types(dtype, other, rules) == dtype
    except TypeError:
        return False


def _number(x: Value) -> Any:
    """The number that a constant is, in the fewest digits that its dtype tells apart; None of another value."""
    dtype = x.type.dtype if isinstance(x.type, LogicalTensor) else None
    if x.node.op is not _CONSTANT or dtype is None or dtype.kind not in "if":
        return None
    data = np.asarray(x.node.args[0])
    return None if data.shape else number_of(data.astype(np.float32) if dtype.name == "float32" else data)
