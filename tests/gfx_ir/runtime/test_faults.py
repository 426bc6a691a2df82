"""A device that fails: the call fails with node and line, or falls back; nothing leaks, the stream goes on, other calls are right."""

import gc
import threading
import time

import numpy as np
import pytest
import torch

import gfx_ir
import gfx_trace as gfx
from gfx_ir.errors import CancelledError, DeadlineError, DeviceError, MemoryLimitError
from gfx_ir.partition import Frozen
from gfx_ir.runtime.call import Call, Limits
from gfx_ir.runtime.devices import device
from gfx_ir.runtime.dispatch import Dispatch
from gfx_ir.runtime.engine import Engine
from gfx_ir.runtime.faulty import Fault, Faulty
from gfx_ir.runtime.profile import Profile

X = np.array([0.5, -1.0, 2.0])


def smooth(x):
    y = np.sin(x) + x
    z = np.cos(y) * y
    return np.exp(z)


WANTED = np.exp(np.cos(np.sin(X) + X) * (np.sin(X) + X))


def frozen(fault, at=2, on_fault="raise", policy="fusion", seconds=30.0):
    """The function on a faulty device, which fails at its third op: the cosine."""
    broken = Faulty(device("numpy"), fault, at, seconds)
    program = gfx.symbolic_trace(smooth, backend="numpy")
    return Frozen(gfx_ir.partition(program, [broken], policy), on_fault=on_fault), broken


def told(error):
    return str(error) + "\n".join(getattr(error, "__notes__", ()))


@pytest.mark.parametrize(
    ("fault", "kind", "what"),
    [
        (Fault.RAISES, DeviceError, "failed at cos"),
        (Fault.MEMORY, MemoryError, "no memory for cos"),
        (Fault.SHAPE, DeviceError, r"gave f64\[6\] for cos, which gives f64\[3\]"),
        (Fault.DTYPE, DeviceError, r"gave i32\[3\] for cos"),
        (Fault.DIES, DeviceError, "failed at cos"),
    ],
)
def test_a_call_that_fails_names_node_and_line_and_the_next_one_is_right(fault, kind, what):
    run, _ = frozen(fault)
    with pytest.raises(kind, match=what) as caught:
        run(X)
    assert "test_faults.py:27" in told(caught.value) and "np.cos(y) * y" in told(caught.value)
    if fault is Fault.DIES:
        with pytest.raises(DeviceError, match="is lost"):
            run(X)
    else:
        np.testing.assert_allclose(run(X), WANTED)


@pytest.mark.parametrize("policy", ["fusion", "debug"])
@pytest.mark.parametrize("fault", [f for f in Fault if f is not Fault.HANGS])
def test_what_fails_falls_back(fault, policy):
    run, broken = frozen(fault, on_fault="fallback", policy=policy)
    for _ in range(2):
        np.testing.assert_allclose(run(X), WANTED)
    assert broken.count > 2


def test_what_acted_on_the_world_is_not_done_again(capsys):
    def f(x):
        print("once")
        y = x.sum() * 2
        print("sum", float(y))
        return y

    broken = Faulty(device("numpy"), Fault.DIES, 1)
    placed = gfx.symbolic_trace(f, backend="numpy").on(broken, on_fault="fallback")
    with pytest.raises(DeviceError, match="is lost"):
        placed(X)
    assert capsys.readouterr().out.count("once") == 1


def test_eager_ops_fall_back_and_are_counted():
    ops, broken = Dispatch(Faulty(device("numpy"), Fault.RAISES, 0), "fallback"), gfx_ir.op.lookup("sin")
    np.testing.assert_array_equal(ops.run(broken, (X,)), np.sin(X))
    assert ops.faults == 1
    with pytest.raises(DeviceError, match="on_fault is"):
        Dispatch(device("numpy"), "ignore")


def test_what_hangs_is_given_up_and_the_stream_goes_on():
    run, broken = frozen(Fault.HANGS, seconds=1.5)
    with Engine("numpy").stream() as stream:
        late = run.submit(stream, X, limits=Limits(seconds=0.2))
        then = run.submit(stream, X)
        start = time.monotonic()
        with pytest.raises(DeadlineError, match=r"more than 0\.2 s at 'cos' \[.*test_faults\.py:27"):
            late.result()
        np.testing.assert_allclose(then.result(), WANTED)
        assert time.monotonic() - start < 1.4
    broken.count = 0
    with pytest.raises(DeadlineError, match="'cos'"):
        run(X, limits=Limits(seconds=0.2))


def test_errors_are_kept_in_order_and_end_their_own_call_alone():
    run, _ = frozen(Fault.RAISES)
    with Engine("numpy").stream() as stream:
        futures = [run.submit(stream, X) for _ in range(4)]
        with pytest.raises(DeviceError, match="failed at cos"):
            stream.wait()
        stream.wait()  # told once
        assert [future.exception() is None for future in futures] == [False, True, True, True]
        assert all(np.allclose(future.result(), WANTED) for future in futures[1:])


def test_a_call_is_cancelled_before_it_begins_or_before_its_next_node():
    run, _ = frozen(None)
    entered, go = threading.Event(), threading.Event()

    def waits(call):
        entered.set()
        go.wait()
        return run.run((X,), call)

    with Engine("numpy").stream() as stream:
        first, second = stream.submit(waits, Call()), run.submit(stream, X)
        entered.wait()
        assert second.cancel() and first.cancel()
        go.set()
        with pytest.raises(CancelledError, match="cancelled before"):
            first.result()
        assert second.cancelled()
        np.testing.assert_allclose(run.submit(stream, X).result(), WANTED)


def test_a_call_beyond_its_memory_is_refused_before_it_runs():
    run, _ = frozen(None)
    with pytest.raises(MemoryLimitError, match=r"holds \d+ bytes at once"):
        run(X, limits=Limits(bytes=20))
    np.testing.assert_allclose(run(X, limits=Limits(bytes=10_000)), WANTED)
    engine = Engine("numpy", memory_limit=100)
    kind = gfx.LogicalTensor(gfx_ir.dtypes.float32, (20,))
    held = engine.allocator.take(kind)
    with pytest.raises(MemoryLimitError, match="80 of 100 are in use"):
        engine.allocator.take(kind)
    engine.allocator.release(held)
    assert engine.allocator.take(kind) is held and engine.allocator.peak == 80
    with engine.allocator.call() as scope:
        scope.take(gfx.LogicalTensor(gfx_ir.dtypes.float32, (2,)))
        assert engine.allocator.used == 88
    assert engine.allocator.used == 80
    engine.close()
    assert engine.allocator.used == 0


def test_what_a_loop_holds_counts_too():
    def grow(x, n: int):
        for _ in range(n):
            if x.sum() > 0:
                x = torch.cat([x, x])
        return x

    run = gfx.symbolic_trace(grow).on("torch")
    assert run(torch.ones(4), 3, limits=Limits(bytes=1000)).shape == (32,)
    with pytest.raises(MemoryLimitError, match=r"bytes are held at once[\s\S]*test_faults.py"):
        run(torch.ones(4), 12, limits=Limits(bytes=1000))


def test_an_engine_is_closed_with_work_in_flight():
    run, _ = frozen(None)
    engine = Engine("numpy")
    stream, go = engine.stream(), threading.Event()
    running = stream.submit(lambda call: go.wait(5) and run.run((X,), call), Call())
    waiting = [run.submit(stream, X) for _ in range(5)]
    threading.Timer(0.2, go.set).start()
    engine.close()
    assert running.done() and all(future.cancelled() for future in waiting)
    with pytest.raises(DeviceError, match="is closed"):
        run.submit(stream, X)


def test_failed_calls_leave_nothing_behind():
    run, broken = frozen(Fault.RAISES)
    for _ in range(3):
        broken.count = 0
        with pytest.raises(DeviceError):
            run(X)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        broken.count = 0
        with pytest.raises(DeviceError):
            run(X)
    gc.collect()
    assert len(gc.get_objects()) < before + 50


def test_a_profile_tells_partitions_and_nodes(tmp_path):
    run, _ = frozen(None)
    profile = Profile(nodes=True)
    run(X, profile=profile)
    kinds = {(name, kind) for name, kind, *_ in profile.totals()}
    assert {("cos", "node"), ("exp", "node")} <= kinds and any(kind == "partition" for _, kind in kinds)
    assert "test_faults.py:27" in str(profile) and "faulty_numpy" in str(profile)
    profile.save(tmp_path / "trace.json")
    events = gfx_ir.save.json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"name", "ph", "ts", "dur", "pid", "tid"} <= set(events[0]) and events[0]["ph"] == "X"
