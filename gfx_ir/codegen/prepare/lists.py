"""Lists of tensors and casts in a target that writes functions of numbers as Python's own: what may be a number is made a tensor."""

from __future__ import annotations

from typing import Any

from ...dtypes import DType, default, framework_of, kind_of
from ...edited import put_before, set_arg, take_place
from ...graph import Graph, Node, Value
from ...infer.facts import Facts
from ...op import Trait
from ...program import Program
from ...types import LogicalTensor
from .base import HANDED, Emission, Lowering, facts_of

_LIST = "arrays"
"""What the parameter is called that takes a list of tensors."""


class TensorLists(Lowering):
    """Numbers in lists of tensors, and numbers that are cast, are made tensors."""

    name = "tensor_lists"
    requires = (HANDED,)

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Rewrite such lists and casts in the graph and its regions. `told` finds what is known of the values."""
        promotion = program.promotion
        facts = facts_of(graph, program, True)
        for node in list(graph.walk()):
            if _LIST in node.op.params and type(node.arg(_LIST)) is tuple:
                items = node.arg(_LIST)
                set_arg(node, _LIST, tuple(_tensor(node, x, promotion) if _is_number(x, facts) else x for x in items))
            elif node.op.traits & Trait.CASTS and _is_number(node.args[0], facts) and _holds_fractions(node.args[1]):
                made = put_before(
                    node, "as_tensor", *node.args
                )  # by way of a tensor of the default dtype it would lose digits
                take_place([made], [node.value])
                assert node.graph is not None
                node.graph.erase(node)


def _holds_fractions(dtype: Any) -> bool:
    return not isinstance(dtype, DType) or dtype.kind in "fc"


def _is_number(x: Any, facts: Facts) -> bool:
    """Whether an item may be a number of Python's."""
    if type(x) is Value:
        return x.is_tensor and facts.may_be_number(x)
    return isinstance(x, (bool, int, float, complex))


def _tensor(before: Node, number: Any, promotion: str) -> Value:
    """A number as a tensor of the dtype that it has, or that a literal gets beside its neighbours. NumPy makes an array of it alone,
    JAX a weak one."""
    type_ = (number if type(number) is Value else before.value).type
    known = type_.dtype if isinstance(type_, LogicalTensor) else None
    usual = None if type(number) is Value else default(kind_of(number), promotion)
    if known is not None or usual is None or usual.kind not in "fc" or framework_of(promotion) == "torch":
        made = put_before(before, "as_tensor", number, known)
        made.type = number.type if type(number) is Value else None
        return made
    made = put_before(before, "as_tensor", number, usual)
    others = [item for item in before.arg(_LIST) if type(item) is Value and item.is_tensor]
    return made if promotion == "numpy" or not others else put_before(before, "as_number_beside", made, others[0])
