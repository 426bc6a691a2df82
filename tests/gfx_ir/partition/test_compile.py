"""Shapes and strides of compiled partitions: every example of the RFC "Support inferring output shapes and strides"."""

import numpy as np
import pytest
import torch

import gfx_ir
from gfx_ir.errors import ArgumentError, DeviceError, InvalidShape, ShapeError
from gfx_ir.runtime.engine import Engine
from gfx_ir.runtime.tensor import Tensor
from gfx_ir.textparse import parse_text
from gfx_ir.types import LogicalTensor, Opaque

ADD = """program("numpy", "numpy", level=0)

@entry
def f(src0: tensor, src1: tensor):
    dst0 = add(src0, src1)
    return dst0
"""
DEVICES = ("numpy", "torch", "reference")


def only(text=ADD, device="numpy"):
    (found,) = gfx_ir.partition(parse_text(text), [device])
    return found


def typed(tensor, dims, strides=None, layout="strided"):
    return LogicalTensor.of(tensor.id, "float32", dims, strides, layout)


def ends(partition, dims=(2, 3, 4)):
    return [typed(t, dims) for t in partition.inputs], partition.outputs[0]


@pytest.mark.parametrize("device", DEVICES)
def test_compile_with_incomplete_output_shape_and_strides(device):
    partition = only(device=device)
    src0, src1 = (typed(t, (2, 3, 4), (12, 4, 1)) for t in partition.inputs)
    dst0 = typed(partition.outputs[0], (-1, -1, -1), (-1, -1, -1))
    compiled = partition.compile([src0, src1], [dst0], Engine(device))
    found = compiled.query_logical_tensor(dst0.id)
    assert found.dims == (2, 3, 4) and found.strides == (12, 4, 1) and found.layout == "strided"
    assert compiled.query_logical_tensor(src0.id) == src0


def test_infer_output_shape_replaces_elements_of_the_callers_list_and_nothing_else():
    partition = only()
    inputs, dst = ends(partition)
    outputs = [typed(dst, (-1, -1, -1))]
    same = outputs
    partition.infer_output_shape(inputs[::-1], outputs)  # in any order
    assert same is outputs and outputs[0].dims == (2, 3, 4)
    assert outputs[0].strides is None and outputs[0].layout == "strided" and outputs[0].id == dst.id
    size = outputs[0].dims
    own = typed(dst, size, (1, 2, 6))  # the user's own rule
    compiled = partition.compile(inputs, [own], Engine("numpy"))
    assert compiled.query_logical_tensor(dst.id).strides == (1, 2, 6)


@pytest.mark.parametrize("device", ["numpy", "torch"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((-1, -1, 1), (6, 3, 1)),
        ((-1, 1, -1), (6, 1, 2)),
        ((1, -1, -1), (1, 3, 1)),
        ((-1, -1, -1), (6, 3, 1)),
        (None, (6, 3, 1)),
        ((24, 12, 4), (24, 12, 4)),
    ],
)
def test_strides_are_given_deduced_or_dense_and_results_have_them(device, given, expected):
    partition, engine = only(device=device), Engine(device)
    inputs, dst = ends(partition, (1, 2, 3))
    compiled = partition.compile(inputs, [typed(dst, (-1, 2, -1), given)], engine)
    want = compiled.query_logical_tensor(dst.id)
    assert want.dims == (1, 2, 3) and want.strides == expected
    x = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    tensors = [Tensor(t, engine.device.from_host(x), engine.device) for t in inputs]
    out = [Tensor(want)]
    compiled.execute(None, tensors[::-1], out)
    np.testing.assert_array_equal(out[0].to_plain(), 2 * x)
    held = out[0].buffer
    found = held.stride() if device == "torch" else tuple(step // held.itemsize for step in held.strides)
    assert [a for a, n in zip(found, (1, 2, 3)) if n > 1] == [a for a, n in zip(expected, (1, 2, 3)) if n > 1]


@pytest.mark.parametrize("strides", [(-1, 1, 2), (1, 1, -1), (-1, 2, -1), (0, 3, 1), (6, 0, 1)])
def test_other_strides_are_an_invalid_shape(strides):
    partition = only()
    inputs, dst = ends(partition, (2, 2, 3))
    with pytest.raises(InvalidShape):
        partition.compile(inputs, [typed(dst, (-1, -1, -1), strides)], Engine("numpy"))


def test_layouts_that_are_not_strided_keep_their_strides():
    partition = only()
    inputs, dst = ends(partition)
    compiled = partition.compile(inputs, [typed(dst, (-1, -1, -1), (-1, 1, 2), "any")], Engine("numpy"))
    assert compiled.query_logical_tensor(dst.id).strides == (None, 1, 2)


def test_what_contradicts_the_inputs_is_an_invalid_shape():
    partition = only()
    inputs, dst = ends(partition)
    for call in (partition.infer_output_shape, lambda i, o: partition.compile(i, o, Engine("numpy"))):
        with pytest.raises(InvalidShape, match="is given the shape"):
            call(inputs, [typed(dst, (2, -1, 5))])
    with pytest.raises(ShapeError, match="do not broadcast"):
        partition.infer_output_shape([typed(inputs[0], (2, 3)), typed(inputs[1], (2, 4))], [typed(dst, (-1, -1))])
    with pytest.raises(InvalidShape, match="is given as"):
        partition.compile(inputs, [LogicalTensor.of(dst.id, "int32", (-1, -1, -1))], Engine("numpy"))


def test_tensors_are_matched_by_id_each_once():
    partition, engine = only(), Engine("numpy")
    inputs, dst = ends(partition)
    with pytest.raises(ArgumentError, match="takes the tensors"):
        partition.compile(inputs[:1], [typed(dst, (-1, -1, -1))], engine)
    with pytest.raises(ArgumentError, match="gives the tensors"):
        partition.compile(inputs, [typed(inputs[0], (-1, -1, -1))], engine)
    compiled = partition.compile(inputs, [typed(dst, (-1, -1, -1))], engine)
    with pytest.raises(ArgumentError, match="takes and gives no tensor"):
        compiled.query_logical_tensor(-5)
    x = np.ones((2, 3, 4), np.float32)
    with pytest.raises(ShapeError, match="was compiled as"):
        compiled.execute(None, [Tensor(t, x[:1]) for t in inputs], [Tensor(compiled.outputs[0])])


def test_results_are_written_into_the_callers_buffers():
    text = ADD.replace("dst0 = add(src0, src1)", "t = matmul(src0, src1)\n    dst0 = tanh(t)")
    x, y = np.random.default_rng(0).standard_normal((2, 4, 4)).astype(np.float32)
    for device, make in (("numpy", np.empty), ("torch", torch.empty), ("reference", np.empty)):
        partition, engine = only(text, device), Engine(device)
        inputs, dst = ends(partition, (4, 4))
        compiled = partition.compile(inputs, [typed(dst, (-1, -1), (1, -1))], engine)
        buffer = make((4, 4), dtype=np.float32 if make is np.empty else torch.float32).T
        given = [Tensor(t, engine.device.from_host(data), engine.device) for t, data in zip(inputs, (x, y))]
        out = [Tensor(compiled.outputs[0], buffer, engine.device)]
        with engine.stream() as stream:
            done = compiled.execute(stream, given, out)
            assert done.result() is out
        assert out[0].buffer is buffer
        np.testing.assert_allclose(engine.device.to_host(buffer), np.tanh(x @ y), rtol=1e-5)


def test_numpy_writes_without_a_copy():
    partition, engine = only(), Engine("numpy")
    inputs, dst = ends(partition, (4,))
    compiled = partition.compile(inputs, [typed(dst, (-1,))], engine)
    buffer, x = np.empty(4, np.float32), np.ones(4, np.float32)
    (found,) = compiled.code.run([x, x], {}, [buffer])
    assert found is buffer and buffer.tolist() == [2, 2, 2, 2]


def test_jax_brings_its_own_memory_and_has_no_strides():
    partition, engine = only(device="jax"), Engine("jax")
    inputs, dst = ends(partition, (2, 3))
    compiled = partition.compile(inputs, [typed(dst, (-1, -1))], engine)
    x = engine.device.from_host(np.ones((2, 3), np.float32))
    out = [Tensor(compiled.outputs[0])]
    compiled.execute(None, [Tensor(t, x, engine.device) for t in inputs], out)
    assert out[0].to_plain().tolist() == [[2, 2, 2], [2, 2, 2]]
    buffer = np.empty((2, 3), np.float32)  # of the host: copied there
    numpy = Engine("numpy").device
    compiled.execute(None, [Tensor(t, x, engine.device) for t in inputs], [Tensor(compiled.outputs[0], buffer, numpy)])
    assert buffer.tolist() == [[2, 2, 2], [2, 2, 2]]
    turned = partition.compile(inputs, [typed(dst, (-1, -1), (1, -1))], engine)
    with pytest.raises(DeviceError, match="has no strides"):
        turned.execute(None, [Tensor(t, x, engine.device) for t in inputs], [Tensor(turned.outputs[0])])


def test_opaque_tensors_stay_in_the_layout_of_their_device_and_become_plain_on_request():
    engine, blocked = Engine("torch"), Opaque("torch.mkldnn")
    text = ADD.replace("dst0 = add(src0, src1)", "t = relu(src0)\n    dst0 = sigmoid(src1)").replace(
        "return dst0", "return (t, dst0)"
    )
    partition = only(text, "torch")
    inputs = [typed(t, (1, 8, 4, 4)) for t in partition.inputs]
    outputs = [typed(partition.outputs[0], (-1,) * 4, None, blocked), typed(partition.outputs[1], (-1,) * 4)]
    compiled = partition.compile(inputs, outputs, engine)
    x = torch.randn(1, 8, 4, 4)
    given, out = [Tensor(t, x, engine.device) for t in inputs], [Tensor(t) for t in compiled.outputs]
    compiled.execute(None, given, out)
    opaque = out[0]
    assert opaque.opaque and opaque.buffer.is_mkldnn and not out[1].opaque
    torch.testing.assert_close(torch.from_numpy(opaque.to_plain()), x.relu())
    assert not opaque.plain().buffer.is_mkldnn
    taking = partition.compile(
        [typed(partition.inputs[0], (1, 8, 4, 4), None, blocked), inputs[1]],
        [typed(t, (-1,) * 4) for t in partition.outputs],
        engine,
    )
    out = [Tensor(t) for t in taking.outputs]
    taking.execute(None, [Tensor(inputs[0], opaque.buffer, engine.device), given[1]], out)
    torch.testing.assert_close(out[0].buffer, x.relu())
    jax = Engine("jax")  # a framework that cannot hold it gets it plain
    other = only(ADD, "jax")
    sums = other.compile([typed(t, (1, 8, 4, 4)) for t in other.inputs], [typed(other.outputs[0], (-1,) * 4)], jax)
    out = [Tensor(sums.outputs[0])]
    sums.execute(None, [Tensor(t, opaque.buffer, engine.device) for t in other.inputs], out)
    np.testing.assert_allclose(out[0].to_plain(), 2 * x.relu().numpy(), rtol=1e-6)


@pytest.mark.parametrize("device", ["numpy", "jax"])
def test_donated_arguments_share_memory_with_results(device):
    partition, engine = only(device=device), Engine(device)
    inputs, dst = ends(partition, (64,))
    compiled = partition.compile(inputs, [typed(dst, (-1,), None, "any")], engine, donated=[inputs[0].id])
    assert compiled.in_place == [(inputs[0].id, dst.id)]
    x, y = (engine.device.from_host(np.full(64, n, np.float32)) for n in (1, 2))
    (found,) = compiled(x, y)
    assert engine.device.to_host(found).tolist() == [3.0] * 64
    if device == "numpy":
        assert found is x


def test_a_compiled_partition_shows_what_it_is():
    partition = only(device="torch")
    inputs, dst = ends(partition)
    compiled = partition.compile(inputs, [typed(dst, (-1, -1, -1))], Engine("torch"))
    assert (
        compiled.ops == ("add",) and compiled.how == "PyTorch source" and "dst0 = src0 + src1" in compiled.handle.source
    )
    jitted = only(device="jax")
    inputs, dst = ends(jitted)
    assert jitted.compile(inputs, [typed(dst, (-1, -1, -1))], Engine("jax")).how == "jax.jit of source"


def test_equal_partitions_are_compiled_once_for_each_engine_and_type():
    engine = Engine("torch")
    for count in (1, 1, 2):
        for partition in (only(device="torch"), only(ADD.replace("src0", "a"), "torch")):
            inputs, dst = ends(partition, (count, 3))
            partition.compile(inputs, [typed(dst, (-1, -1))], engine)
    found = engine.cache.statistics
    assert (found.misses, found.hits) == (2, 4)
    inputs, dst = ends(partition, (1, 3))
    partition.compile(inputs, [typed(dst, (-1, -1), (1, -1))], engine)
    assert engine.cache.statistics.misses == 3
