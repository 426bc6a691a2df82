"""Chains of 1k, 10k and 100k ops, a loop unrolled at capture, against torch.fx: time and peak memory a node."""

import functools
import gc
import tracemalloc

import torch
from harness import paired, seconds

import gfx_trace as gfx

SIZES = (1_000, 10_000, 100_000)


def chain(count):
    """A function of `count` ops: calls and operators in turn."""

    def run(x):
        for _ in range(count // 2):
            x = torch.sin(x) + 1.0
        return x

    return run


def captured(count):
    return gfx.symbolic_trace(chain(count), unroll=True)


def measure(report):
    captured(SIZES[0])  # the rewriting of the function is not a matter of its trips
    for count, rounds in zip(SIZES, (9, 5, 1)):
        fn = chain(count)
        ours = functools.partial(gfx.symbolic_trace, fn, unroll=True)
        theirs = functools.partial(torch.fx.symbolic_trace, fn)
        report.compare(f"{count}: capture / torch.fx, a node", ours, theirs, rounds, 0.4, per=count)
    flat(report, "capture", captured)
    for count in SIZES:
        report.add(f"{count}: peak memory of capture", [peak(count) / count / 1000], "KB a node", 1.5)


def flat(report, name, stage, prepare=lambda count: count, rounds=5, sizes=SIZES):
    """Time a node at the largest size against the smallest: 1 is linear."""
    small, large = sizes[0], sizes[-1]
    few, many = prepare(small), prepare(large)
    repeat = large // small // 10  # the small ones take a tenth of the time of the large one

    def often():
        for _ in range(repeat):
            stage(few)

    pairs = [(a / large, b / (repeat * small)) for a, b in paired(lambda: stage(many), often, rounds)]
    detail = " : ".join(seconds(sorted(times)[len(times) // 2]) for times in zip(*pairs))
    report.add(f"{name}: a node at {large} / at {small}", [a / b for a, b in pairs], "x", 1.3, detail)


def peak(count):
    """Bytes at the peak of a capture, over what stood before it."""
    fn = chain(count)
    gc.collect()
    tracemalloc.start()
    program = gfx.symbolic_trace(fn, unroll=True)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(program.entry) == count
    return found
