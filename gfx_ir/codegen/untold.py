"""What a program says and its target is not told: places where it has none, dtypes of numbers among arrays."""

from __future__ import annotations

from typing import Any

from ..backend import Backend
from ..defaults import dtype_for
from ..dtypes import DType
from ..graph import Graph, Node

_NUMBER = {"constant": "data", "as_tensor": "x", "full": "fill_value"}


def leave_out(graph: Graph, backend: Backend, rules: str) -> None:
    """Drop these from the graph and its regions."""
    places = getattr(getattr(backend, "style", None), "places", False)
    for node in list(graph.walk()):
        if not places and "device" in node.op.params:
            _unplace(node)
        if rules == "torch" and backend.promotion == "jax" and node.op.name in _NUMBER:
            _weaken(node)


def _unplace(node: Node) -> None:
    device = node.arg("device")
    if node.op.name == "to_device":
        node.value.replace_by(node.args[0])
        if node.graph is not None:
            node.graph.erase(node)
    elif device is not None:
        _set(node, "device", None)


def _weaken(node: Node) -> None:
    """torch lets a tensor of no axes take part in promotion by its kind alone: JAX does so where no dtype is given."""
    number, element = node.arg(_NUMBER[node.op.name]), node.arg("dtype")
    scalar = not isinstance(number, (tuple, list)) and (node.op.name != "full" or node.arg("shape") == ())
    if scalar and isinstance(element, DType) and element in (dtype_for(number, "torch"), dtype_for(number, "numpy")):
        _set(node, "dtype", None)


def _set(node: Node, name: str, value: Any) -> None:
    args = list(node.args)
    args[node.op.params.index(name)] = value
    node.set_args(tuple(args))
