"""Batch norm folded into the convolution or linear layer before it: what is multiplied and added afterwards is in the weights."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ..control import is_parameter
from ..dependence import pinned
from ..graph import Node, Value
from ..op import lookup
from ..program import Program
from ..regions import join_path
from ..types import LogicalTensor
from .base import Context, Pass
from .params import data_of, like, prefixes_of, users_of_parameters

_STATISTICS = ("mean", "var", "weight", "bias")


class FoldBatchNorm(Pass):
    """conv(x, w), or linear, then batch_norm with fixed statistics is one: w * s and (b - mean) * s + shift, s = scale / sqrt(var + eps).

    Both stand in one graph (inline small functions first), all their parameters are the program's own, used here alone.
    """

    name = "fold_batch_norm"

    def run(self, program: Program, context: Context) -> bool:
        prefixes = prefixes_of(program)
        users = users_of_parameters(prefixes)
        changed = False
        for graph, found in prefixes.items():
            fixed = pinned(graph)
            for node in list(graph):
                if (
                    node.op is lookup("batch_norm")
                    and type(node.args[0]) is Value
                    and not fixed & {node, node.args[0].node}
                ):
                    changed |= _fold(program, node, found, users)
        return changed


def _fold(program: Program, norm: Node, prefixes: list[str], users: Counter[str]) -> bool:
    conv = norm.args[0].node
    if not _has_channels(conv) or conv.value.uses != {norm: 1} or norm.in_place or conv.in_place:
        return False
    own = {name: norm.arg(name) for name in _STATISTICS if norm.arg(name) is not None}
    added = _bias(conv)
    taken = [_weight(conv), *([] if added is None else [added]), *own.values()]
    if not all(_is_parameter(value) and type(norm.arg("eps")) is float for value in taken):
        return False
    paths = [join_path(prefix, value.node.args[0]) for prefix in prefixes for value in taken]
    if any(path not in program.params or path in program.writes or users[path] != 1 for path in paths):
        return False
    bias = _bias_path(conv)
    if added is None and any(join_path(prefix, bias) in program.params for prefix in prefixes):
        return False
    for prefix in prefixes:
        _fold_data(program, conv, own, norm.arg("eps"), prefix, bias)
    _fold_nodes(conv, norm, bias, own["mean"].type)
    return True


def _has_channels(node: Node) -> bool:
    """Whether a node sums products, and a bias, for each place of the second axis of its result, which is that of the norm."""
    row, type_ = node.op.contraction, node.values[0].type
    if row is None or row.channels is None or not row.bias:
        return False
    return row.before_places or (isinstance(type_, LogicalTensor) and type_.rank == 2)


def _weight(conv: Node) -> Any:
    return conv.arg(conv.op.contraction.factors[1])  # type: ignore[union-attr]


def _bias(conv: Node) -> Any:
    return conv.arg(conv.op.contraction.bias)  # type: ignore[union-attr]


def _is_parameter(value: Any) -> bool:
    return type(value) is Value and is_parameter(value.node)


def _bias_path(conv: Node) -> str:
    if _bias(conv) is not None:
        return _bias(conv).node.args[0]
    outer, _, _ = _weight(conv).node.args[0].rpartition(".")
    return join_path(outer, "bias")


def _fold_data(program: Program, conv: Node, own: dict[str, Value], eps: float, prefix: str, bias: str) -> None:
    """The weights of one instance of the graph."""
    path = join_path(prefix, _weight(conv).node.args[0])
    found = {
        name: data_of(program.params[join_path(prefix, v.node.args[0])]).astype(np.float64) for name, v in own.items()
    }
    weight = data_of(program.params[path])
    scale = found.get("weight", 1.0) / np.sqrt(found["var"] + eps)
    before = data_of(program.params[join_path(prefix, bias)]).astype(np.float64) if _bias(conv) is not None else 0.0
    shift = (before - found["mean"]) * scale + found.get("bias", 0.0)
    channels = conv.op.contraction.channels % weight.ndim  # type: ignore[union-attr, operator]
    shaped = scale.reshape([-1 if axis == channels else 1 for axis in range(weight.ndim)])
    original = program.params[path]
    program.params[path] = like(original, (weight * shaped).astype(weight.dtype))
    program.params[join_path(prefix, bias)] = like(original, np.asarray(shift).astype(weight.dtype))
    for value in own.values():
        del program.params[join_path(prefix, value.node.args[0])]


def _fold_nodes(conv: Node, norm: Node, bias: str, type_: Any) -> None:
    graph = conv.graph
    assert graph is not None
    row, added = conv.op.contraction, graph.add_parameter(bias, type_)
    assert row is not None
    conv.set_args(tuple([added if name == row.bias else arg for name, arg in zip(conv.op.params, conv.args)]))
    conv.value.name = conv.value.name or norm.value.name
    norm.value.replace_by(conv.value)
    graph.erase(norm)
    for path in [path for path, value in graph.parameters.items() if not value.uses]:
        del graph.parameters[path]
    graph.edited()
