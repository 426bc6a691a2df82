"""Lists of tensors in a target that writes functions of numbers as Python's own: what may be a number there is made a tensor."""

from __future__ import annotations

from typing import Any

from ...graph import Graph, Node, Value
from ...infer.facts import Facts
from ...op import lookup
from ...types import LogicalTensor
from ..style import Style

_LIST = "arrays"
"""What the parameter is called that takes a list of tensors."""


def make_tensors(graph: Graph, style: Style, promotion: str) -> None:
    """Rewrite such lists in the graph and its regions."""
    if not style.of_numbers:
        return
    facts = Facts([graph], {}, promotion, of_numbers=style.of_numbers)
    for node in list(graph.walk()):
        if _LIST in node.op.params and type(node.arg(_LIST)) is tuple:
            numbers = [x for x in node.arg(_LIST) if type(x) is Value and x.is_tensor and facts.may_be_number(x)]
            for number in dict.fromkeys(numbers):
                node.replace_input(number, _tensor(node, number))


def _tensor(before: Node, number: Value) -> Any:
    graph = before.graph
    assert graph is not None
    known = number.type.dtype if isinstance(number.type, LogicalTensor) else None
    made = graph.insert(Node(lookup("as_tensor"), (number, known, None), None, before.span), before).value
    made.type = number.type
    return made
