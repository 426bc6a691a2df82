"""Memory of the caller and of other partitions: what is written is never what something else still reads."""

import numpy as np
import pytest
import torch

import gfx_ir
import gfx_trace as gfx
from gfx_ir.errors import ArgumentError, InvalidShape, ShapeError
from gfx_ir.partition import Replicated
from gfx_ir.runtime.engine import Engine
from gfx_ir.runtime.tensor import Tensor
from gfx_ir.textparse import parse_text
from gfx_ir.types import LogicalTensor

X, Y = np.array([[1.0, 2], [3, 4]], np.float32), np.array([[10.0, 20], [30, 40]], np.float32)
WRITING = ("numpy", "torch", "reference")


def execute(device, body, buffers, strides=None):
    """The outputs of a function of x and y; `buffers` makes those of the caller from the data of x."""
    (partition,) = gfx_ir.partition(
        parse_text(f'program("numpy", "numpy", level=0)\n\n@entry\ndef f(x, y):\n    {body}'), [device]
    )
    engine = Engine(device)
    inputs = [LogicalTensor.of(t.id, "float32", (2, 2)) for t in partition.inputs]
    outputs = [LogicalTensor.of(t.id, "float32", (-1, -1), strides) for t in partition.outputs]
    compiled = partition.compile(inputs, outputs, engine)
    x, y = (engine.device.from_host(data.copy()) for data in (X, Y))
    out = [Tensor(t, buffer, engine.device) for t, buffer in zip(compiled.outputs, buffers(x))]
    compiled.execute(None, [Tensor(t, data, engine.device) for t, data in zip(inputs, (x, y))], out)
    return [tensor.to_plain() for tensor in out], out


TWO = "t = add(x, y)\n    z = {}\n    return (t, z)"
CHAIN, VIEW, OF_RESULT = map(TWO.format, ("multiply(t, x)", "permute_dims(x, (1, 0))", "permute_dims(t, (1, 0))"))


@pytest.mark.parametrize("device", WRITING)
@pytest.mark.parametrize(
    ("body", "buffers", "second"),
    [
        (CHAIN, lambda x: (x, None), (X + Y) * X),
        (CHAIN, lambda x: (x.T, None), (X + Y) * X),
        (VIEW, lambda x: (x, None), X.T),
        (VIEW, lambda x: (None, x), X.T),
        (OF_RESULT, lambda x: (x, None), (X + Y).T),
    ],
)
def test_a_buffer_may_be_that_of_an_argument(device, body, buffers, second):
    found, out = execute(device, body, buffers)
    assert np.array_equal(found[0], X + Y) and np.array_equal(found[1], second)
    if body == OF_RESULT:  # it stays what it is where the caller's buffer is written again
        out[0].buffer[...] = 0
        assert np.array_equal(out[1].to_plain(), second)


@pytest.mark.parametrize("device", WRITING)
def test_buffers_are_refused_before_anything_is_written(device):
    def memory(*shape):
        return torch.zeros(shape) if device == "torch" else np.zeros(shape, np.float32)

    shared, small = memory(2, 2), memory(2)
    with pytest.raises(ArgumentError, match="share memory"):
        execute(device, CHAIN, lambda x: (shared, shared.T))
    with pytest.raises(ShapeError, match="the buffer of output"):
        execute(device, CHAIN, lambda x: (shared, small))
    assert not shared.any() and tuple(small.shape) == (2,)
    alike = torch.zeros(1).expand(2, 2) if device == "torch" else np.lib.stride_tricks.as_strided(small, (2, 2), (0, 0))
    with pytest.raises(ArgumentError, match="share memory"):
        execute(device, CHAIN, lambda x: (alike, None))
    with pytest.raises(InvalidShape, match="go backwards"):
        execute(device, CHAIN, lambda x: (None, None), (-2, 1))
    columns = memory(4, 2).T
    found, out = execute(
        device, CHAIN, lambda x: (columns[:, ::2], columns[:, 1::2])
    )  # between each other, not in each other
    assert np.array_equal(found[1], (X + Y) * X) and out[0].logical.strides == (1, 4)


def test_memory_that_another_result_shares_is_not_donated():
    def f(x):
        t = x + 1
        return t * 2, t.T

    x = np.arange(40_000, dtype=np.float32).reshape(200, 200)
    for found, wanted in zip(gfx.symbolic_trace(f, backend="numpy").on("numpy", policy="max_ops=2")(x), f(x)):
        assert np.array_equal(found, wanted)


def test_what_is_no_ufunc_does_not_write_over_what_it_reads():
    f = lambda x, y: np.where(x > y, x, y)
    g = lambda x, y: np.where(x > y, (x > y) | (x < 0), y < 0)
    random = np.random.default_rng(0)
    x, y = random.integers(0, 2, (2, 200, 200)).astype(bool)
    assert np.array_equal(gfx.symbolic_trace(f, backend="numpy").on("numpy", policy="debug")(x, y), f(x, y))
    x, y = random.standard_normal((2, 200, 200))
    for policy in ("fusion", "debug"):
        assert np.array_equal(gfx.symbolic_trace(g, backend="numpy").on("numpy", policy=policy)(x, y), g(x, y))


@pytest.mark.parametrize("device", ["numpy", "torch", "jax"])
def test_arrays_lie_as_they_like(device):
    placed = gfx.symbolic_trace(lambda x: x * 2 + x.sum(axis=0), backend="numpy").on(device)
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    for x in (
        base[::-1],
        base[:, ::-2],
        base.T,
        np.broadcast_to(base[:1], (4, 6)),
        base[:0],
        base[:, :0],
        base[1, 1:2],
    ):
        assert np.array_equal(np.asarray(placed(x)), x * 2 + x.sum(axis=0))


@pytest.mark.parametrize("device", ["torch", "jax"])
def test_parameters_that_are_written_are_brought_to_the_device_again(device):
    model, own = (torch.nn.BatchNorm1d(3) for _ in range(2))
    placed = gfx.symbolic_trace(model, torch.ones(4, 3)).on(device)
    for _ in range(3):
        x = torch.randn(4, 3)
        with torch.no_grad():
            np.testing.assert_allclose(np.asarray(placed(x)), own(x), rtol=1e-4, atol=1e-5)
        with torch.no_grad():
            model.weight += 1
            own.weight += 1
    assert int(model.num_batches_tracked) == 3


def test_shares_of_a_batch_are_joined_where_rows_are_independent():
    double, total = (gfx.symbolic_trace(f, backend="numpy") for f in (lambda x: x * 2, lambda x: x.sum(axis=0)))
    for count in (0, 1, 5):
        assert Replicated(double, WRITING[:2])(np.ones((count, 2))).shape == (count, 2)
    with pytest.raises(ArgumentError, match="a share of the batch may not give that share of the result: sum"):
        Replicated(total, WRITING[:2])(np.ones((4, 2)))
