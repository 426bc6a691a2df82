"""Streams keep order and bounds, caches compile once, and many threads share what was compiled."""

import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import jax
import numpy as np
import pytest
import torch
from jax.experimental.compilation_cache import compilation_cache

import gfx_ir
from gfx_ir.errors import DeviceError
from gfx_ir.partition import Dataflow, Frozen
from gfx_ir.runtime.cache import Cache
from gfx_ir.runtime.devices import device
from gfx_ir.runtime.engine import Engine
from gfx_ir.textparse import parse_text

X = np.arange(4, dtype=np.float32)


def program(body, result):
    return parse_text(f'program("numpy", "numpy", level=0)\n\n@entry\ndef f(x):\n{body}    return {result}\n')


def test_work_is_done_in_order_and_futures_of_other_streams_are_waited_for():
    engine, seen, go = Engine("numpy"), [], threading.Event()
    with engine.stream() as first, engine.stream() as second:
        slow = first.submit(lambda call: go.wait(5) and seen.append("slow"))
        after = second.submit(lambda call: seen.append("after"), after=[slow])
        last = second.submit(lambda call: seen.append("last"))
        go.set()
        last.result(), after.result()
        for k in range(20):
            first.submit(lambda call, k=k: seen.append(k))
        first.wait()
    assert seen == ["slow", "after", "last", *range(20)]


def test_the_queue_is_bounded():
    engine, go, held = Engine("numpy"), threading.Event(), []
    stream = engine.stream(depth=2)
    running = stream.submit(lambda call: go.wait(5))
    while stream.pending != 1 or stream._queue:
        time.sleep(0.001)
    stream.submit(lambda call: None), stream.submit(lambda call: None)
    waiting = threading.Thread(target=lambda: held.append(stream.submit(lambda call: "in")))
    waiting.start()
    waiting.join(0.1)
    assert not held and stream.pending == 3
    go.set()
    waiting.join(5)
    assert held[0].result() == "in" and running.done()
    engine.close()


def test_a_stream_runs_on_the_frameworks_own_threads():
    with ThreadPoolExecutor(1, thread_name_prefix="theirs") as pool:
        stream = Engine("numpy").stream(pool=pool)
        names = [stream.submit(lambda call: threading.current_thread().name).result() for _ in range(3)]
        assert all(name.startswith("theirs") for name in names)
        assert pool.submit(lambda: "free").result() == "free"  # the thread was given back
        stream.close()


def test_errors_that_were_asked_for_are_not_kept():
    def fail(call):
        raise ValueError("asked")

    with Engine("numpy").stream() as stream:
        for _ in range(3):
            assert isinstance(stream.submit(fail).exception(), ValueError)
        stream.wait()
        stream.submit(fail)
        with pytest.raises(ValueError, match="asked"):
            stream.wait()


def test_settings_are_passed_on_to_the_device():
    before = torch.get_num_threads()
    with Engine("torch").stream(threads=1) as stream:
        assert stream.submit(lambda call: torch.get_num_threads()).result() == 1
    assert torch.get_num_threads() == before


def test_streams_without_work_leave_no_thread():
    engine = Engine("numpy")
    stream = engine.stream()
    stream.submit(lambda call: None).result()
    stream.close()
    for _ in range(100):
        if not any(thread.name == "gfx numpy" for thread in threading.enumerate()):
            break
        time.sleep(0.02)
    else:
        pytest.fail("the worker is still there")
    with pytest.raises(DeviceError, match="is closed"):
        stream.submit(lambda call: None)


# ---------------------------------------------------------------------- caches
def test_equal_requests_at_once_are_made_once():
    cache, made, go = Cache(4), [], threading.Event()

    def make():
        go.wait(5)
        made.append(1)
        return object()

    found = []
    threads = [threading.Thread(target=lambda: found.append(cache.get("key", make))) for _ in range(8)]
    [t.start() for t in threads]
    while cache.statistics.waits < 7:
        time.sleep(0.001)
    go.set()
    [t.join() for t in threads]
    assert len(made) == 1 and len(set(map(id, found))) == 1 and cache.statistics.misses == 1


def test_the_least_recently_used_goes_and_what_fails_is_not_kept():
    cache = Cache(2)
    for key in ("a", "b", "a", "c", "a", "b"):
        cache.get(key, lambda key=key: key.upper())
    assert (cache.statistics.misses, cache.statistics.hits, cache.statistics.evictions) == (4, 2, 2) and len(cache) == 2
    with pytest.raises(ZeroDivisionError):
        cache.get("bad", lambda: 1 / 0)
    assert cache.get("bad", lambda: "fine now") == "fine now"
    with pytest.raises(ValueError, match="one entry at least"):
        Cache(0)


def test_many_shapes_go_through_a_small_cache():
    engine = Engine("numpy", cache=8)
    frozen = Frozen(
        gfx_ir.partition(program("    y = multiply(x, x)\n    z = add(y, x)\n", "z"), ["numpy"]),
        {"numpy": engine},
        cache=8,
    )
    for count in range(1, 60):
        x = np.ones(count, np.float32)
        assert frozen(x).sum() == 2 * count
    assert len(engine.cache) == len(frozen.compiled) == 8 and frozen.compiled.statistics.evictions == 51


@pytest.mark.parametrize("kind", ["frozen", "dataflow"])
def test_threads_share_compiled_partitions(kind):
    body = "    a = sin(x)\n    b = multiply(a, x)\n    c = exp(a)\n    d = add(b, c)\n"
    made = program(body, "d")
    for node, name in zip(made.entry, ("numpy", "torch", "numpy", "torch")):
        node.device = name
    frozen = Frozen(gfx_ir.partition(made, ["numpy", "torch"]))
    run = Dataflow(frozen) if kind == "dataflow" else frozen
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(40):
            x = random.random(random.integers(1, 5), np.float32)
            found = np.asarray(run(x))
            if not np.allclose(found, np.sin(x) * x + np.exp(np.sin(x)), rtol=1e-5):
                wrong.append(x)

    work(0)
    gc.collect()
    before = len(gc.get_objects())
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    [t.start() for t in threads], [t.join(60) for t in threads]
    assert not wrong and not any(t.is_alive() for t in threads)
    gc.collect()
    assert len(gc.get_objects()) < before + 2000
    if kind == "dataflow":
        run.close()


@pytest.fixture
def jax_cache():
    """What is set of JAX's cache is taken back."""
    names = (
        "jax_enable_compilation_cache",
        "jax_compilation_cache_dir",
        "jax_persistent_cache_min_compile_time_secs",
        "jax_persistent_cache_min_entry_size_bytes",
    )
    before = {name: getattr(jax.config, name) for name in names}
    jax.config.update("jax_enable_compilation_cache", True)
    compilation_cache.reset_cache()
    yield
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


def test_compiled_code_of_jax_is_kept_on_disk(tmp_path, jax_cache):
    engine = Engine("jax", disk=tmp_path)
    frozen = Frozen(gfx_ir.partition(program("    y = tanh(x)\n", "y"), ["jax"]), {"jax": engine})
    np.testing.assert_allclose(np.asarray(frozen(np.ones(123, np.float32))), np.tanh(1.0), rtol=1e-5)
    assert list(tmp_path.iterdir())
    engine.close()
    with pytest.raises(DeviceError, match="keeps nothing on disk"):
        Engine("numpy", disk=tmp_path)
    assert device("jax").traced
