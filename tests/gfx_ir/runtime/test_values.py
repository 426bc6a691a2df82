"""Values: opaque data of a device, or expressions that are evaluated once, when something asks."""

import threading

import numpy as np
import pytest
import torch

from gfx_ir import ops
from gfx_ir.dtypes import float32
from gfx_ir.edges import UNBOUND
from gfx_ir.errors import DeviceError, ShapeError
from gfx_ir.graph import Node
from gfx_ir.op import lookup
from gfx_ir.runtime.devices import device
from gfx_ir.runtime.executor import Executor
from gfx_ir.runtime.expression import UNSET
from gfx_ir.runtime.framework import ReferenceDevice
from gfx_ir.runtime.value import Value
from gfx_ir.runtime.values import Values, bind
from gfx_ir.trees import leaves
from graphs import Maker, run

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Counting(ReferenceDevice):
    """The reference, which notes what it runs."""

    def __init__(self):
        super().__init__()
        self.ran = []

    def prepare(self, op, args):
        own = super().prepare(op, args)
        return lambda *given: self.ran.append(op.name) or own(*given)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("name", ["numpy", "torch", "jax", "reference"])
def test_operators_and_ops_make_values(name, lazy):
    V = Values(name, lazy)
    a, row = V(X), V(X[0])
    y = 1.0 - ops.tanh(a * 2 + row) / -abs(a + 1)
    assert isinstance(y, Value) and y.shape == (2, 3) and y.dtype == float32 and y.device.name == name
    assert y.ready is not lazy
    np.testing.assert_allclose(y.to_plain(), 1 - np.tanh(X * 2 + X[0]) / -abs(X + 1), atol=1e-5)
    assert y.ready and (a > 2).to_plain().tolist() == (X > 2).tolist() and (a @ V(X.T)).shape == (2, 2)
    assert ops.concat([a, y], axis=0).shape == (4, 3) and len(a[0]) == 3 and float(a[1, 2]) == 5


def test_shared_parts_are_computed_once_and_only_what_is_asked_for():
    counting = Counting()
    V = Values(counting, lazy=True)
    x = V(X)
    shared = ops.sin(x)
    first, second, never = shared + 1.0, ops.exp(shared), ops.cos(x)
    assert counting.ran == [] and not never.ready
    first.to_plain()
    assert counting.ran == ["sin", "add"]
    second.to_plain(), first.to_plain()
    assert counting.ran == ["sin", "add", "exp"]
    other = ops.sqrt(never).to("numpy")  # another device asks
    assert counting.ran[3:] == ["cos", "sqrt"] and other.ready


def test_what_nobody_holds_any_longer_is_not_kept():
    V = Values("reference", lazy=True)
    y = ops.exp(ops.sin(V(X)))
    inner = next(leaf for leaf in leaves(y.node.args))
    y.to_plain()
    assert inner.application is not None and y.node is None
    assert inner.data is UNSET


def test_writes_evaluate_and_change_one_value_alone():
    for lazy in (False, True):
        V = Values("torch", lazy)
        a = V(X)
        b, c = a + 0.0, a
        b[0, 1] = 9.0
        b += 1
        assert b.to_plain().tolist() == [[1, 10, 3], [4, 5, 6]] and c.to_plain().tolist() == X.tolist() and X[0, 1] == 1
        with pytest.raises(DeviceError, match="does not go into"):
            a[0] += V(X)


@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_an_expression_is_of_data_as_it_was(name):
    make = Values(name, lazy=True)
    x, y = np.ones(2), np.ones(2)
    found = make(x) * 2 + make.run(lookup("add"), (make(x), y))
    own = torch.ones(2) if name == "torch" else np.ones(2)
    twice = make(own) * 2
    for data in (x, y, own):
        data[0] = 9
    assert found.to_plain().tolist() == [4, 4] and twice.to_plain().tolist() == [2, 2]


def test_errors_carry_the_line_that_built_the_value():
    V = Values("reference", lazy=True)
    with np.errstate(all="raise"):
        bad = ops.log(V(X) - 10.0)  # built here
        fine = bad * 2
        with pytest.raises(FloatingPointError) as caught:
            fine.to_plain()
    assert "bad = ops.log(V(X) - 10.0)  # built here" in "".join(caught.value.__notes__)
    with pytest.raises(ShapeError, match=r"do not broadcast.*test_values\.py"):
        V(X) + V(X[:, :2])


def test_values_of_several_devices_do_not_mix_by_themselves():
    a, b = Values("numpy")(X), Values("torch")(X)
    with pytest.raises(DeviceError, match=r"one lies on torch\nmove it: x.to\('numpy'\)"):
        a + b
    assert (a + b.to("numpy")).device.name == "numpy"


def test_a_node_bound_to_values_gives_futures():
    V = Values("numpy")
    unbound = Node(lookup("split"), (UNBOUND, 3, 1))
    futures = bind(unbound, V(X)).forward()
    assert [f.shape for f in futures] == [(2, 1)] * 3 and not futures[0].ready
    assert [f.to_plain().tolist() for f in futures] == [X[:, k : k + 1].tolist() for k in range(3)]
    added = bind(Node(lookup("add"), (UNBOUND, 1.5)), futures[0])
    assert added.infer_output_shape()[0].dims == (2, 1) and added.forward()[0].to_plain().tolist() == [[1.5], [4.5]]
    with pytest.raises(DeviceError, match="at least"):
        bind(unbound)


def test_protocols_of_others():
    V = Values("torch")
    y = V(X) + 1
    assert np.asarray(y).tolist() == (X + 1).tolist() and np.asarray(y, np.float64).dtype == np.float64
    assert torch.from_dlpack(y).tolist() == (X + 1).tolist() and Values("numpy")(y).device.name == "numpy"
    assert Values("numpy")(torch.ones(2)).to_plain().tolist() == [1, 1]
    xp = y.__array_namespace__()
    total = xp.sum(xp.sin(y), axis=0)
    assert isinstance(total, Value) and total.device.name == "torch"
    np.testing.assert_allclose(total.to_plain(), np.sin(X + 1).sum(0), rtol=1e-6)
    assert xp.zeros((2,)).device.name == "torch" and xp.linspace(0.0, 1.0, 3).to_plain().tolist() == [0, 0.5, 1]
    with pytest.raises(TypeError, match="does not take"):
        xp.sin(V(np.arange(3)))


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_programs_run_on_values(seed, lazy):
    program, V = Maker(seed).program(), Values("numpy", lazy)
    x, y = np.array([0.5, -1.0], np.float32), np.array([2.0, 0.25], np.float32)
    wanted = run(program.entry, (x, y, 3))
    for _ in range(2):  # the second time compiled, where it is worth it
        found = Executor(V)(program, [V(x), V(y), 3])
        for a, b in zip(leaves(found), leaves(wanted), strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=2e-5, atol=1e-6)


def test_expressions_that_come_again_are_compiled():
    V = Values("numpy", lazy=True)
    big = V(np.linspace(0.1, 1, 40_000, dtype=np.float32))

    def expression(a):
        return (a * 2 + 1) * (a - 3) / (a * a + 1) + ops.sqrt(a)

    wanted = expression(Values("reference")(big.to_plain())).to_plain()
    for _ in range(4):
        np.testing.assert_allclose(expression(big).to_plain(), wanted, rtol=1e-6)
    assert V.evaluator.compiled.statistics.misses == 1 and V.evaluator.compiled.statistics.hits == 2


def test_threads_share_lazy_values():
    V = Values("numpy", lazy=True)
    shared, found = ops.sin(V(X)) * 2, []
    threads = [threading.Thread(target=lambda k=k: found.append((k, (shared + k).to_plain()))) for k in range(8)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert len(found) == 8
    for k, value in found:
        np.testing.assert_allclose(value, np.sin(X) * 2 + k, rtol=1e-6)


def test_lazy_data_is_that_of_a_device():
    assert Values(device("jax"), lazy=True)(X).to_plain().tolist() == X.tolist()
    assert "expression of add" in repr(Values("numpy", True)(X) + 1) and "data" in repr(Values("numpy")(X))
