"""Lists of what ranges, enumerate and zip give where the length is open, and what sorts and picks of them by keys that are data."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def pairs(x):
    found = list(enumerate(x))
    return found[0], found[-1], len(found), tuple(zip(x, x * 2))[1]


def positions_in_order(x):
    return sorted(range(len(x)), key=lambda i: x[i]), sorted([i for i in range(len(x))], key=lambda i: -x[i])


def largest_two(x):
    return [i for i, _ in sorted(enumerate(x), key=lambda pair: -pair[1])[:2]]


def put_in_order(x):
    both = list(zip(x, range(len(x))))
    both.sort(key=lambda pair: pair[0])
    return both[0], [at for _, at in both]


def best(x):
    return max(range(len(x)), key=lambda i: x[i]), min(enumerate(x), key=lambda pair: pair[1])


def swapped(x):
    order = list(range(len(x)))
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[order[j]] < x[order[i]]:
                order[i], order[j] = order[j], order[i]
    return order


def greedy(x):
    total, taken = 0.0, []
    for i, v in sorted(enumerate(x), key=lambda pair: -pair[1]):
        if total + v < 3:
            total = total + v
            taken.append(i)
    return total, taken


def ranges(x):
    n = len(x)
    return (
        list(range(2, n)),
        list(range(n, 0, -1)),
        list(reversed(range(n))),
        list(range(n - 9)),
        x[list(range(0, n, 2))],
    )


@pytest.mark.parametrize(
    "fn",
    (pairs, positions_in_order, largest_two, put_in_order, best, swapped, greedy, ranges),
    ids=lambda fn: fn.__name__,
)
def test_as_python_does(fn):
    program = gfx.symbolic_trace(fn, backend="numpy")
    ways = ((program, np.copy), (program.to("torch"), torch.tensor), (program.to("jax"), jax.numpy.asarray))
    for x in ([0.5, 2.0, -1.0, 3.0, 2.5], [1.5, -3.0, 0.25]):
        x = np.array(x, np.float32)
        want = jax.tree.leaves(fn(x))
        for run, to in ways:
            got = jax.tree.leaves(run(to(x)))
            for a, b in zip(got, want, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6)
