"""Programs on devices: partitions against the frameworks' own runs, values against bare arrays, and many threads at once."""

import gc
import json
import os
import subprocess
import sys
import threading
import time
import timeit
import tracemalloc

import jax
import numpy as np
import resnet_numpy
import torch
from chains import captured, flat

import gfx_ir
import gfx_trace as gfx
from demo_report import relative_error
from embed import load, read_sentences, tokenize
from gfx_ir import ops
from gfx_ir.partition import Frozen
from gfx_ir.runtime.devices import device
from gfx_ir.runtime.engine import Engine
from gfx_ir.runtime.values import Values
from gfx_ir.textparse import parse_text
from gfx_ir.types import LogicalTensor
from resnet import calibrate, resnet50

ROUNDS = 15
THREADS, CALLS = 8, 10_000
SHAPES, CACHE = 10_000, 256


def measure(report):
    torch.manual_seed(0)
    models(report)
    calls(report)
    eager(report)
    lazy(report)
    shapes(report)
    load_test(report)
    pipeline(report)
    flat(report, "partition", lambda program: gfx_ir.partition(program, ["torch"]), captured)


# ---------------------------------------------------------------------- models
def models(report):
    model, x = calibrate(resnet50()), torch.randn(1, 3, 224, 224)
    program = gfx.symbolic_trace(model)
    on_torch(report, "ResNet-50", program, model, (x,))
    by_hand(report, program, x)
    encoder, inputs = load(), tokenize(read_sentences())
    captured_ = gfx.symbolic_trace(encoder, *inputs)
    on_torch(report, "encoder", captured_, encoder, inputs)
    on_jax(report, captured_, inputs)


def on_torch(report, name, program, model, inputs):
    placed = program.on("torch")
    args = placed.arguments(inputs)

    def ours():
        return placed.frozen(*args)

    def theirs():
        with torch.no_grad():
            return model(*inputs)

    same(ours(), theirs())
    report.compare(f"{name}: frozen on torch / the model", ours, theirs, ROUNDS, 1.03, noisy=True)


def on_jax(report, program, inputs):
    placed = program.on("jax")
    args = [device("jax").from_host(x.numpy()) for x in inputs]
    fn, params = jax.jit(program.module("jax").bare()), program.params_for("jax")
    ours = lambda: jax.block_until_ready(placed.frozen(*args))
    theirs = lambda: jax.block_until_ready(fn(params, *args))
    same(ours(), theirs())
    report.compare("encoder: partition on JAX / jax.jit of its source", ours, theirs, ROUNDS, 1.03, noisy=True)


def by_hand(report, program, x):
    placed, host = program.on("numpy"), x.numpy()
    params = program.params_for("numpy")
    ours, theirs = lambda: placed.frozen(host), lambda: resnet_numpy.resnet50(params, host)
    same(ours(), theirs())
    report.compare("ResNet-50: planned NumPy / im2col by hand", ours, theirs, 5, 1.0)


def same(got, want):
    first, second = (getattr(x, "last_hidden_state", x) for x in (got, want))
    assert relative_error(*(np.asarray(x.detach() if hasattr(x, "detach") else x) for x in (first, second))) < 1e-3


# ---------------------------------------------------------------------- calls
ADD = 'program("numpy", "numpy", level=0)\n\n@entry\ndef f(x, y):\n    z = add(x, y)\n    return z\n'


def per_call(fn, count=20_000):
    """Microseconds, seven times."""
    return [1e6 * t / count for t in timeit.repeat(fn, number=count, repeat=7, timer=time.process_time)]


def calls(report):
    """A compiled partition's call beyond its body, and a call of a frozen program that finds it in its cache."""
    for name in ("numpy", "torch"):
        engine = Engine(name)
        (partition,) = gfx_ir.partition(parse_text(ADD), [name])
        x = engine.device.from_host(np.ones(4, np.float32))
        compiled = partition.for_data([x, x], engine, "")
        frozen = Frozen(gfx_ir.partition(parse_text(ADD), [name]))
        body = min(per_call(lambda x=x: x + x))
        own = [t - body for t in per_call(lambda c=compiled, x=x: c(x, x))]
        found = [t - body for t in per_call(lambda f=frozen, x=x: f(x, x), 5000)]
        report.add(f"{name}: call of a compiled partition beyond its body", own, "us", 20)
        report.add(f"{name}: the same, found in the cache of a frozen program", found, "us", 20)


def eager(report):
    for name, limit in (("numpy", 5), ("torch", 8)):
        value = Values(name)(np.ones(4, np.float32))
        data = value.data()
        base = min(per_call(lambda d=data: d + d))
        report.add(
            f"{name}: eager op beyond the framework's", [t - base for t in per_call(lambda v=value: v + v)], "us", limit
        )


def lazy(report):
    data = np.random.default_rng(0).random(4_000_000, np.float32)

    def expression(a, sqrt):
        return (a * 2 + 1) * (a - 3) / (a * a + 1) + a * 0.5 - sqrt(a)

    for name in ("numpy", "numpy:numba"):
        big = Values(name, lazy=True)(data)
        ours, theirs = lambda big=big: expression(big, ops.sqrt).to_plain(), lambda: expression(data, np.sqrt)
        ours(), ours()
        same(ours(), theirs())
        report.compare(f"elementwise chain: lazy on {name} / NumPy", ours, theirs, 15, 0.5)


# ---------------------------------------------------------------------- many shapes, many threads
def shapes(report):
    """Distinct shapes through a small cache: memory stays, and what is found is found as fast as before."""
    engine = Engine("numpy", cache=CACHE)
    (partition,) = gfx_ir.partition(parse_text(ADD), ["numpy"])

    def compile_for(count):
        inputs = [LogicalTensor.of(t.id, "float32", (count,)) for t in partition.inputs]
        partition.compile(inputs, [LogicalTensor.of(partition.outputs[0].id, "float32", (-1,))], engine)

    def hits():
        return per_call(lambda: compile_for(1), 200)

    compile_for(1)
    before = hits()
    tracemalloc.start()
    for count in range(2, 2 * CACHE):
        compile_for(count)
    gc.collect()  # what was given up is in circles
    used = tracemalloc.get_traced_memory()[0]
    for count in range(2 * CACHE, SHAPES + 2):
        compile_for(count)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - used
    tracemalloc.stop()
    assert len(engine.cache) == CACHE
    compile_for(1)
    report.add(f"{SHAPES} shapes, {CACHE} entries: memory beyond them", [grown / 1e6], "MB", 1)
    report.add("a hit behind them / before", [a / b for a, b in zip(sorted(hits()), sorted(before))], "x", 1.3)


def load_test(report):
    """Threads that share compiled partitions: every result right, and memory as before."""
    engine = Engine("numpy")
    text = ADD.replace("z = add(x, y)", "t = multiply(x, y)\n    z = add(t, x)")
    frozen = Frozen(gfx_ir.partition(parse_text(text), ["numpy"]), {"numpy": engine})
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        arrays = [random.random(n, np.float32) for n in (4, 1 << 15)]
        wanted = [a * a + a for a in arrays]
        for k in range(CALLS):
            at = int(k % 50 == 0)
            if not np.array_equal(frozen(arrays[at], arrays[at]), wanted[at]):
                wrong.append((seed, k))

    work(0)
    tracemalloc.start()
    used = tracemalloc.get_traced_memory()[0]
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(THREADS)]
    [t.start() for t in threads], [t.join(600) for t in threads]
    grown = tracemalloc.get_traced_memory()[0] - used
    tracemalloc.stop()
    assert not any(t.is_alive() for t in threads)
    report.add(f"{THREADS} threads of {CALLS} calls: wrong results", [len(wrong)], "", 0)
    report.add(f"{THREADS} threads of {CALLS} calls: memory beyond", [grown / 1e6], "MB", 4)


# ---------------------------------------------------------------------- pipeline
CHILD = """
import json, threading, time
import torch, gfx_trace as gfx
from gfx_ir.partition import Dataflow, Pipeline, partition
from gfx_ir.loading import backend
from gfx_torch.device import TorchDevice

torch.set_num_threads(1)


class Second(TorchDevice):
    def __init__(self, owner):
        super().__init__(owner, "")
        self.name = "torch_again"


model = torch.nn.Sequential(*[layer for _ in range(8) for layer in (torch.nn.Linear(1024, 1024), torch.nn.ReLU())])
program, batches = gfx.symbolic_trace(model), [(torch.randn(512, 1024),) for _ in range(12)]
first = backend("torch").device()
own = [first, Second(backend("torch"))]
one = gfx.Frozen(partition(program, ["torch"]))
two = Dataflow(gfx.Frozen(partition(program, own, passes=[Pipeline(devices=own)])))
for (a,), b in zip(batches[:2], two.map(batches[:2])):
    torch.testing.assert_close(b, one(a))


def bare(count):
    torch.set_num_threads(1)
    with torch.no_grad():
        for batch in batches[:count]:
            model(*batch)


found = []
for _ in range(7):
    start = time.perf_counter()
    bare(12)
    middle = time.perf_counter()
    threads = [threading.Thread(target=bare, args=(6,)) for _ in range(2)]
    [t.start() for t in threads], [t.join() for t in threads]
    possible = (middle - start) / (time.perf_counter() - middle)
    start = time.perf_counter()
    for batch in batches:
        one(*batch)
    middle = time.perf_counter()
    two.map(batches)
    found.append((possible, (middle - start) / (time.perf_counter() - middle)))
print(json.dumps(found))
two.close()
"""


def pipeline(report):
    """Two balanced stages on two cores, in a process that may have both."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    unpinned = "import os; os.sched_setaffinity(0, range(os.cpu_count()))\n" if cores else ""
    done = subprocess.run([sys.executable, "-c", unpinned + CHILD], capture_output=True, text=True, check=True)
    pairs = json.loads(done.stdout.splitlines()[-1])
    report.add("one stage's time / two's, on two cores (1.6 on idle ones)", [ours for _, ours in pairs], "x")
    report.add(
        "what two bare threads gain / what two stages gain",
        [bare / ours for bare, ours in pairs],
        "x",
        1.25,
        noisy=True,
    )
