"""What the rewriting of Python code costs: the first conversion of a function, and a call of one that is converted."""

import linecache
import time
import types

import gfx_trace as gfx
from gfx_trace.calls.hooks import TABLE
from gfx_trace.rewrite import convert

CALLS = 20_000
LOOP = list(range(CALLS))  # iterated by Python itself


def thirty_lines(x, weights, limit: float = 1.0, steps: int = 10):
    """Every construct of an ordinary function: tests, loops, jumps, calls, comprehensions, unpacking."""
    total, count = 0.0, 0
    rows = [w * 2 for w in weights]
    if x is None:
        return total
    for step in range(steps):
        for row in rows:
            y = row @ x
            if y.sum() > limit and step > 1:
                total += y.max()
                continue
            if y.min() < -limit or not count:
                count += 1
            x, previous = y / (1 + abs(y).sum()), x
        while abs(x - previous).max() > limit:
            previous = x
            x = x / 2
            if count > 3:
                break
        else:
            total = total + step
    try:
        assert total >= 0, f"negative: {total}"
        scaled = x * (limit if limit > 0 else 1.0)
    finally:
        count -= 1
    if total > 10:
        return scaled
    first, *others = rows
    return first[0] * scaled + sum(row.mean() for row in others)


def identity(x):
    return x


def calling(x):
    for _ in LOOP:
        identity(x)
    return x


def not_calling(x):
    for _ in LOOP:
        pass
    return x


def measure(report):
    found = [first_conversion() for _ in range(31)][1:]
    report.add("first conversion of 30 lines", [1e3 * s for s in found], "ms", 10, "AutoGraph takes 17.7 ms")
    cached = [per_call(lambda: [convert(identity, TABLE) for _ in LOOP]) for _ in range(9)]
    report.add("conversion of a converted function", cached, "us")
    hook = [
        per_call(lambda: gfx.symbolic_trace(calling)) - per_call(lambda: gfx.symbolic_trace(not_calling))
        for _ in range(9)
    ]
    report.add("call of a converted function", hook, "us", 3, "AutoGraph takes 28 us")


def first_conversion():
    """Seconds for a code object never seen before, of a file that was not read yet."""
    fn = types.FunctionType(thirty_lines.__code__.replace(), thirty_lines.__globals__)
    linecache.clearcache()
    start = time.process_time()
    convert(fn, TABLE)
    return time.process_time() - start


def per_call(work):
    start = time.process_time()
    work()
    return 1e6 * (time.process_time() - start) / CALLS
