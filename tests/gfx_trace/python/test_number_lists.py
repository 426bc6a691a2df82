"""Lists of so many numbers as an open size says, as tables of dynamic programming are: one tensor, in loops and under jax.jit too."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError


def longest_rise(x):
    n = len(x)
    best, before = [1] * n, [-1] * n
    for i in range(n):
        for j in range(i):
            if x[j] < x[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
                before[i] = j
    return max(best), best, before


def counted(x):
    counts = [0] * len(x)
    for v in x:
        counts[int(v * v) % len(x)] += 1
    return counts, sum(counts), counts[-1]


def fractions(x):
    sums = [0.0] * len(x)
    for i in range(len(x)):
        sums[i] = float(x[i]) * 2 + sums[i - 1]
    return sums


def flags(x):
    seen, i = [False] * len(x), 0
    while i < len(x) and not seen[i]:
        seen[i] = True
        if x[i] > 1:
            seen[len(x) - 1] = True
        i += 1
    return seen, i


def copied(x):
    a = [0] * len(x)
    b, c = list(a), a[:]
    for i in range(len(x)):
        a[i] = i
    b[0] = 7
    return a, b, c


def by_another_name(x):
    a = b = [0] * len(x)
    for i in range(len(x)):
        b[i] = i
    return a


def put_in_its_place(x):
    now = [0] * len(x)
    for i in range(len(x)):
        after = [0] * len(x)
        for j in range(len(x)):
            after[j] = now[j] + (1 if x[j] > x[i] else 0)
        now = after
    return now


def under_a_test(x):
    a = [0] * len(x)
    if x.sum() > 0:
        a[1] = 5
    else:
        a[0] = 2
    return a, a[0] + a[1]


@pytest.mark.parametrize(
    "fn",
    (longest_rise, counted, fractions, flags, copied, by_another_name, put_in_its_place, under_a_test),
    ids=lambda fn: fn.__name__,
)
def test_tables(fn):
    program = gfx.symbolic_trace(fn, backend="numpy")
    ways = (program, program.to("torch"), jax.jit(program.to("jax")))
    for x in ([0.5, 2.0, -1.0, 3.0, 2.5], [1.5, -3.0], [-1.0, 0.25, 0.5]):
        x = np.array(x, np.float32)
        want = jax.tree.leaves(fn(x))
        for run, to in zip(ways, (np.copy, torch.tensor, np.copy)):
            np.testing.assert_allclose(jax.tree.leaves(run(to(x))), want, rtol=1e-6)


def fibonacci(n: int):
    found = [0] * (n + 1)
    found[1] = 1
    for i in range(2, n + 1):
        found[i] = found[i - 1] + found[i - 2]
    return found[n], found


def fewer_than_none(n: int):
    items = [1] * (n - 2)
    return len(items), sum(items)


@pytest.mark.parametrize("fn", (fibonacci, fewer_than_none), ids=lambda fn: fn.__name__)
def test_the_size_is_a_number_that_is_given(fn):
    program = gfx.symbolic_trace(fn, backend="numpy")
    for n in (1, 2, 9):
        for target in ("numpy", "torch", "jax"):
            np.testing.assert_array_equal(jax.tree.leaves(program.to(target)(n)), jax.tree.leaves(fn(n)))


def test_a_list_of_axes_is_a_shape():
    def fn(x):
        return x.reshape([1] * x.ndim + [-1])

    program = gfx.symbolic_trace(fn, backend="numpy")
    assert program.to("torch")(torch.ones(2, 3)).shape == (1, 1, 6)


def test_tensors_do_not_stand_among_numbers():
    def fn(x):
        best = [0.0] * len(x)
        for i in range(len(x)):
            best[i] = x[i] * 2
        return best

    with pytest.raises(CaptureError, match="changes the contents of 'best'") as caught:
        gfx.symbolic_trace(fn, backend="numpy")
    assert "make a tensor of it before the loop" in str(caught.value)
