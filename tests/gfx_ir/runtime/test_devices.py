"""Devices: every op at every shape, eagerly, lazily, frozen and as a dataflow; how data moves; a device of a third party."""

import warnings

import jax
import numpy as np
import pytest
import torch

import gfx_ir
import gfx_trace as gfx
from gfx_ir import ops
from gfx_ir.dtypes import dtype, float32
from gfx_ir.errors import DeviceError
from gfx_ir.graph import Graph, Node
from gfx_ir.op import evaluate, lookup
from gfx_ir.partition import Dataflow, Frozen
from gfx_ir.program import Program
from gfx_ir.runtime.application import Application, Operand
from gfx_ir.runtime.devices import device, devices, of_handle
from gfx_ir.runtime.dispatch import Dispatch
from gfx_ir.runtime.engine import Engine
from gfx_ir.runtime.tensor import Tensor
from gfx_ir.runtime.transfer import moved
from gfx_ir.runtime.values import Values
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor
from places import ROOT
from sampled import bound
from samples import all_samples

OWN = {"random", "control", "effect"}  # keys and foreign calls are each framework's own
SAMPLES = [s for s in all_samples() if lookup(s.op).family not in OWN and s.op not in ("dropout",)]
FIRST = list({s.op: s for s in SAMPLES}.values())


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def is_array(x):
    return isinstance(x, np.ndarray | np.generic)


def wrong(found, want, tol):
    """Why a result is not the reference's; None where it is."""
    found, want = np.asarray(found), np.asarray(want)
    if found.shape != want.shape:
        return f"shape {found.shape} against {want.shape}"
    if want.dtype.kind in "bui":
        return None if np.array_equal(found.astype(want.dtype), want) else "other numbers"
    close = np.allclose(
        found.astype(complex), want.astype(complex), rtol=max(tol, 2e-5), atol=max(tol, 2e-5), equal_nan=True
    )
    return None if close else "other numbers"


def failures(samples, run, where):
    """Samples whose results differ from the reference's, but for those that the sample excuses."""
    found = []
    for sample in samples:
        op, args = lookup(sample.op), bound(sample)
        if where in sample.skip:
            continue
        want = evaluate(op, args)
        want = tuple(want) if isinstance(want, tuple) else want
        try:
            got = list(leaves(run(op, args)))
            told = [wrong(a, b, sample.tol) for a, b in zip(got, leaves(want), strict=True) if is_array(b)]
        except Exception as error:
            told = [f"{type(error).__name__}: {error}"]
        found += [f"{sample}: {reason}" for reason in told if reason]
    return found


def host(run, x):
    return run.to_host(x) if run.is_tensor(x) else x


def dispatched(run):
    def call(op, args):
        given = tree_map(lambda x: run.from_host(x) if is_array(x) else x, args)
        found = run.run(op, given)
        return tree_map(lambda x: host(run, x), found)

    return call


@pytest.mark.parametrize("name", ["numpy", "torch", "reference"])
def test_every_op_runs_eagerly_on_every_device(name):
    assert not failures(SAMPLES, dispatched(Dispatch(device(name))), name)


def test_what_jax_lacks_falls_back_on_jax_arrays():
    run = Dispatch(device("jax"))
    lacking = [s for s in FIRST if run.place.supports(_application(run, s)).answer is False]
    assert {"ldl_factor"} <= {s.op for s in lacking}
    assert not failures(lacking, dispatched(run), "jax")


def _application(run, sample):
    types = tree_map(lambda x: Operand(LogicalTensor(dtype(x.dtype), x.shape)) if is_array(x) else x, bound(sample))
    return Application(lookup(sample.op), types)


@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_every_op_is_the_same_lazily(name):
    assert not failures(FIRST, dispatched(Values(name, lazy=True)), name)


def programmed(name, run):
    """An op as a program of one node, on a device."""

    def call(op, args):
        graph, arrays = Graph("one"), []

        def placed(leaf):
            if not is_array(leaf):
                return leaf
            arrays.append(leaf)
            return graph.add_placeholder(f"x{len(arrays)}", type=LogicalTensor(dtype(leaf.dtype), leaf.shape))

        node = graph.append(Node(op, tree_map(placed, args)))
        graph.result = node.values if len(node.values) != 1 else node.value
        frozen = Frozen(gfx_ir.partition(Program(graph, promotion=device(name).promotion, flavour=name), [name]))
        found = run(frozen, [frozen.engines[name].device.from_host(x) for x in arrays])
        return tree_map(lambda x: next((d.to_host(x) for d in frozen.devices if d.holds(x)), x), found)

    return call


@pytest.mark.parametrize(("name", "share"), [("numpy", 3), ("torch", 3), ("jax", 30)])
def test_every_op_is_the_same_frozen(name, share):
    """A share of them where each compilation takes long."""
    assert not failures(FIRST[::share], programmed(name, lambda frozen, args: frozen(*args)), name)


def test_every_op_is_the_same_as_a_dataflow():
    def run(frozen, args):
        flow = Dataflow(frozen)
        try:
            return flow(*args)
        finally:
            flow.close()

    assert not failures(FIRST[::8], programmed("numpy", run), "numpy")


# ---------------------------------------------------------------------- data
def test_there_are_devices_and_one_of_them_is_always_there():
    assert device("torch:compile").name == "torch:compile" and device("torch:compile").through_compiler
    assert devices()[0] == "reference" and {"numpy", "torch", "jax"} <= set(devices())
    with pytest.raises(DeviceError, match="there is no device 'abacus'"):
        device("abacus")
    with pytest.raises(DeviceError, match="JAX has no device '99'"):
        device("jax:99")
    with pytest.raises(DeviceError, match="finds no CUDA"):
        device("torch:cuda:0") if not torch.cuda.is_available() else device("torch:cuda:99")


@pytest.mark.parametrize("source", ["numpy", "torch", "jax", "reference"])
@pytest.mark.parametrize("target", ["numpy", "torch", "jax", "reference"])
@pytest.mark.parametrize("name", ["float32", "int32", "bool", "bfloat16", "complex64"])
def test_data_moves_between_devices(source, target, name):
    a, b = device(source), device(target)
    x = np.arange(6).reshape(2, 3).astype(dtype(name).numpy)
    found = moved(a.from_host(x), a, b)
    assert b.holds(found) and b.type_of(found) == LogicalTensor(dtype(name), (2, 3))
    np.testing.assert_array_equal(b.to_host(found).astype(complex), x.astype(complex))


def test_memory_of_the_host_is_shared_by_dlpack():
    a, b = device("torch"), device("numpy")
    x = torch.arange(4.0)
    found = moved(x, a, b)
    x[0] = 9
    assert found[0] == 9


def test_arrays_that_compute_otherwise_are_refused():
    for x in (np.ma.array([1.0, 2.0], mask=[0, 1]), np.matrix([[1.0, 2.0]])):
        for name in ("numpy", "torch"):
            with pytest.raises(DeviceError, match="devices do not compute as NumPy's"):
                ops.add(Values(name)(x), 1)
            placed = gfx.symbolic_trace(lambda x: x * 2, backend="numpy").on(name)
            assert np.array_equal(placed(np.asarray(x)), 2 * np.asarray(x))
            with pytest.raises(DeviceError, match="devices do not compute as NumPy's"):
                placed(x)


def test_bits_of_views_go_along():
    z = torch.tensor([1 + 2j, 3 - 4j])
    for view in (z.conj(), z.conj().imag):  # which PyTorch has as a bit of the tensor
        for name in ("numpy", "jax", "reference"):
            found = Values("torch")(view).to(name)
            assert np.array_equal(found.to_plain(), view.resolve_neg().resolve_conj().numpy())
        assert np.array_equal(np.from_dlpack(Values("torch")(view)), view.resolve_neg().resolve_conj().numpy())


def test_engines_wrap_handles_of_gfx_or_of_a_framework():
    import jax

    own, theirs = Engine("torch"), Engine.from_torch(torch.device("cpu"))
    assert own.owned and not theirs.owned and own.device is theirs.device and theirs.handle == torch.device("cpu")
    jax_engine = Engine.from_jax(jax.devices()[0])
    assert (jax_engine.engine_kind, jax_engine.device_id, jax_engine.shared) == ("cpu", 0, True)
    assert of_handle("jax", jax.devices()[0]).name == "jax" and not Engine("reference").handle


def test_persistent_data_is_moved_once():
    engine, x = Engine("torch"), np.ones(3, np.float32)
    first = engine.keep("w", x, device("numpy"))
    assert engine.keep("w", x, device("numpy")) is first and engine.keep("w", x + 1, device("numpy")) is not first


def test_a_deterministic_stream_puts_settings_back():
    with Engine("torch", deterministic=True).stream(threads=1) as stream:
        seen = stream.submit(
            lambda call: (torch.are_deterministic_algorithms_enabled(), torch.get_num_threads())
        ).result()
    assert seen == (True, 1) and not torch.are_deterministic_algorithms_enabled()


def test_a_tensor_is_read_through_its_device():
    engine = Engine("jax")
    tensor = Tensor(LogicalTensor(float32, (2,)), engine.device.from_host(np.ones(2, np.float32)), engine.device)
    assert np.asarray(tensor).tolist() == [1, 1] and "jax" in repr(tensor)


# ---------------------------------------------------------------------- a third party's
def test_a_third_partys_device_comes_by_entry_point(tmp_path, monkeypatch):
    info = tmp_path / "gfx_toy_device-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gfx-toy-device\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[gfx.devices]\ntoy = toy_device:Toy\nfusing_toy = toy_device:FusingToy\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT / "examples/toy_device"))
    toy = device("toy")
    assert "toy" in devices() and toy is device("toy") and device("fusing_toy").claims
    V, x = Values(toy), np.arange(6, dtype=np.float32).reshape(2, 3)
    y = V(x) * 2.0 + V(x[:1])
    assert y.device is toy
    np.testing.assert_array_equal(y.to_plain(), x * 2 + x[:1])
    np.testing.assert_allclose(
        ops.softmax(y, axis=-1).to_plain(), evaluate(lookup("softmax"), (x * 2 + x[:1], -1, None)), rtol=1e-6
    )
    assert len((ROOT / "examples/toy_device/toy_device.py").read_text().splitlines()) < 150
    device.cache_clear()


def dropped(x):
    return torch.nn.functional.dropout(x, 0.5, True) * 2


@pytest.mark.parametrize("name", ["reference", "numpy", "torch", "jax"])
def test_random_numbers_are_drawn_by_whose_key_is_given(name):
    run, x = gfx.symbolic_trace(dropped).on(name), torch.ones(64)
    seed = lambda: torch.Generator().manual_seed(3)
    first, again = (np.asarray(run(x, generator=seed())) for _ in range(2))
    assert set(first) == {0, 4} and (first == again).all()
    assert set(np.asarray(run(x))) == {0, 4}  # PyTorch's own generator
    found = np.asarray(run(x, generator=jax.random.key(0)))
    assert set(found) == {0, 4} and (found == np.asarray(run(x, generator=jax.random.key(0)))).all()
    with pytest.raises(DeviceError, match=r"draws random numbers from this builtins.str"):
        run(x, generator="seed")


@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_sparse_tensors_are_refused(name):
    with pytest.raises(DeviceError, match="to_dense"):
        gfx.symbolic_trace(lambda x: x * 2 + 1, backend="torch").on(name)(torch.eye(3).to_sparse())
