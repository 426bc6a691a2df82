"""Captures on many threads at once, and in great numbers: equal results, and nothing that grows."""

import gc
import itertools
import linecache
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.pause import collection_paused
from gfx_ir.text import to_text
from sweeps import part

THREADS = 8


def helper(x, scale):
    return x * scale if x.sum() > 0 else -x


def collatz(x, n: int = 3):
    for i in range(n):
        while x.sum() > 10:
            x = helper(x, 0.5)
        x = x + i
    return x


def split(x):
    rows = [row * 2 for row in (x, x + 1)]
    return torch.stack(rows).max() if x.max() < 3 and x.min() > -3 else x.sum()


def made(k):
    """A function of its own: its code object is shared, its cells are not."""

    def local(x):
        y = x + k
        return y if y.sum() > k else helper(y, k)

    return local


def typed_in(k):
    """A function without source."""
    space = {"__name__": "typed_in"}
    exec(f"def f(x):\n    return x * {k} + 1", space)
    return space["f"]


def with_text(k, text="def f(x):\n    y = x * {k}\n    return y if y.sum() > 0 else -y\n"):
    """A function with code and text of its own."""
    text = text.format(k=k)
    file, space = f"<text {k}>", {"__name__": "with_text"}
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), space)
    return space["f"]


@pytest.fixture
def eager_switching():
    """Threads that take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work):
    """`work(n)` on every thread, begun at once; the results in order."""
    barrier = threading.Barrier(THREADS)

    def run(n):
        barrier.wait()
        return work(n)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def test_many_captures_on_eight_threads(eager_switching):
    makers = (lambda k: collatz, lambda k: split, made, typed_in, with_text)

    def work(_):
        return [to_text(gfx.symbolic_trace(makers[k % 5](k), backend="torch")) for k in range(part(5, 125))]

    want = work(0)
    assert all(got == want for got in together(work))


def test_one_traced_function_on_eight_threads(eager_switching):
    x = torch.tensor([1.0, 2.0, 30.0])
    for options in ({}, {"specialize": True}):
        traced = gfx.trace(collatz, **options)
        for got in together(lambda n: [traced(x * (n + 1)) for _ in range(5)]):
            assert len({tuple(y.tolist()) for y in got}) == 1
        np.testing.assert_allclose(traced(x), collatz(x))


def test_first_captures_of_a_process_on_eight_threads(tmp_path):
    code = """
import sys, threading
sys.setswitchinterval(1e-6)
import torch
import gfx_trace as gfx
def f(x, n: int = 2):
    for i in range(n):
        if x.sum() > 0:
            x = torch.tanh(x) + i
    return x
found, start = [], threading.Barrier(8)
def work():
    start.wait()
    found.append(gfx.transpile(f, to="numpy").source)
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
assert len(found) == 8 and len(set(found)) == 1, found
"""
    (tmp_path / "first.py").write_text(code)
    subprocess.run([sys.executable, tmp_path / "first.py"], check=True)


WARM = 500  # captures, after which tables of the interpreter have the size that they keep


def sizes():
    """What must not grow: blocks of memory, objects, modules, remembered texts."""
    for _ in range(3):
        gc.collect()
    return sys.getallocatedblocks(), len(gc.get_objects()), len(sys.modules), len(linecache.cache)


def repeated(work, times):
    """Growth of `sizes` over some repetitions, after a warm-up."""
    for k in range(WARM):
        work(k)
    before = sizes()
    for k in range(WARM, WARM + times):
        work(k)
    return [after - before for after, before in zip(sizes(), before)]


def capture_of(maker):
    def work(k):
        gfx.symbolic_trace(maker(k), backend="numpy")
        linecache.cache.pop(f"<text {k}>", None)  # the test's own entry

    return work


@pytest.mark.parametrize("maker, times", [(made, part(2, 500)), (typed_in, part(4, 3_000)), (with_text, part(2, 400))])
def test_captures_of_short_lived_functions_leave_nothing(maker, times):
    blocks, objects, modules, texts = repeated(capture_of(maker), times)
    assert (modules, texts) == (0, 0)
    assert objects < 50 and blocks < times / 2, (objects, blocks)


def test_programs_that_ran_leave_nothing():
    x = np.ones(3)
    blocks, objects, modules, texts = repeated(lambda k: gfx.symbolic_trace(typed_in(k), backend="numpy")(x), 400)
    assert (modules, texts) == (0, 0)
    assert objects < 50 and blocks < 400, (objects, blocks)


def test_code_that_runs_in_many_namespaces_is_kept_once():
    text = "def f(x):\n    return helper(x) if x.sum() > 0 else x\n"
    file = "<namespaces>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    code = compile(text, file, "exec")
    kinds = itertools.cycle([np.tanh, made(1.0), gfx.trace(made(2.0))])

    def work(_):
        space = {"__name__": "namespaces", "helper": next(kinds)}
        exec(code, space)
        return to_text(gfx.symbolic_trace(space["f"], backend="numpy"))

    first = [work(k) for k in range(3)]
    assert len(set(first)) == 3
    blocks, objects, *_ = repeated(work, part(2, 400))
    assert objects < 50 and blocks < 400, (objects, blocks)
    assert set(work(k) for k in range(3)) == set(first)


def test_garbage_is_collected_while_another_thread_is_at_work():
    collected = []

    def note(phase, info):
        collected.append(phase)

    def garbage():
        for _ in range(200_000):
            a, b = [], []
            a.append(b), b.append(a)

    begun, done = threading.Event(), threading.Event()

    def at_work():
        with collection_paused():
            begun.set()
            done.wait()

    other = threading.Thread(target=at_work)
    other.start()
    begun.wait()
    gc.callbacks.append(note)
    try:
        for _ in range(3):
            with collection_paused():
                garbage()
    finally:
        gc.callbacks.remove(note)
        enabled = gc.isenabled()
        done.set()
        other.join()
    assert collected and not enabled and gc.isenabled()
