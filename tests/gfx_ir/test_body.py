"""The body of a composite, with its inputs and outputs tied to inner nodes in order."""

import pytest

from gfx_ir import ops
from gfx_ir.body import body_of
from gfx_ir.build import Builder
from gfx_ir.errors import VerifyError
from gfx_ir.graph import Graph
from gfx_ir.rules import building


def node_of(apply, *names):
    graph = Graph("f")
    values = [graph.add_placeholder(name) for name in names]
    with building(Builder(graph)):
        graph.result = apply(*values)
    return graph.last, values


def test_inputs_and_outputs_stand_in_order():
    node, (h, w, c) = node_of(ops.linear, "h", "w", "c")
    found = body_of(node)
    assert found.operands == (h, w, c)
    assert list(found.inputs) == ["x", "weight", "bias"]
    takers = {name: [end.node.op.name for end in ends] for name, ends in found.inputs.items()}
    assert takers["x"] == ["matmul"] and takers["bias"] == ["add"]
    (out,) = found.outputs
    assert out.node.op.name == "add" and out.index == 1


def test_several_outputs():
    node, _ = node_of(ops.batch_norm_train, "x", "weight", "bias")
    assert len(body_of(node).outputs) == len(node.values) == 3


def test_constants_shape_the_body():
    with_bias, _ = node_of(ops.linear, "x", "w", "b")
    without, _ = node_of(ops.linear, "x", "w")
    assert len(body_of(without).graph) < len(body_of(with_bias).graph)


def test_a_primitive_has_none():
    node, _ = node_of(ops.sin, "x")
    with pytest.raises(VerifyError, match="sin is a primitive"):
        body_of(node)
