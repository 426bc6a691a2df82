"""Tuples and lists that hold numbers of data are compared as Python does: the first items that differ decide, else the lengths do."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves

NAN = float("nan")
GIVEN = [([1.0, 3.0, -2.0], [1.0, 3.0, 2.0]), ([-1.0, 3.0, 0.5], [1.0, 3.0, 2.0]), ([NAN, 1.0, 2.0], [NAN, 0.0, 2.0])]


def pairs(x, y):
    a, b = (x[0].item(), y[1].item(), 1), (y[0].item(), 3.0, 2)
    return a == b, a != b, a < b, a <= b, a > b, a >= b


def lists(x, y):
    a, b = x.tolist(), y.tolist()
    return a == b, a < b, a[:2] == [1.0, 3.0], [1.0, 3.0] != b[:2], a[:1] < a, a[:2] >= b[:1], [a[:1], 1] == [b[:1], 1]


def itself(x, y):
    a = x.tolist()
    return a == a, a == list(a), a != x.tolist(), (a[0],) == (a[0],), a <= a


def other_kinds(x, y):
    a = x[0].item()
    return (a,) == [a], [a] == [a, 1.0], (a,) == (3,), (a, "up") == (1.0, "up")


def beside_sizes(x, y, n: int = 2):
    a = (n, x[0].item())
    return a == (2, 1.0), a < (2, 5.0), a >= (n, y[0].item()), (len(x), a) > (3, (n, 0.0))


def best_pair(x, y):
    best = (-1e9, -1)
    for i, v in enumerate(x.tolist()):
        if (v, -i) > best:
            best = (v, -i)
    return best


def greatest(x, y):
    a, b = (x[0].item(), 0), (y[0].item(), 1)
    return (
        max(a, b),
        min([list(a), list(b)]),
        max(zip(x.tolist(), y.tolist())),
        min((v, i) for i, v in enumerate(y.tolist())),
    )


def by_keys(x, y):
    key = lambda i: (x[i].item() > 0, y[i].item())
    return max(range(3), key=key), min([0, 1, 2], key=lambda i: (abs(x[i].item()), -i))


def among(x, y):
    return x.tolist()[:2] in [y.tolist()[:2], [1.0, 3.0]], (1.0, 1.0) in list(zip(x.tolist(), y.tolist()))


@pytest.mark.parametrize(
    "f",
    [pairs, lists, itself, other_kinds, beside_sizes, best_pair, greatest, by_keys, among],
    ids=lambda f: f.__name__,
)
def test_numbers_of_data_in_containers_are_compared(f):
    double = lambda x: torch.tensor(x, dtype=torch.float64)
    program = gfx.symbolic_trace(f, *map(double, GIVEN[0]))
    for given in GIVEN:
        want = list(leaves(f(*map(double, given))))
        for call, make in ((program, double), (program.to("torch"), double), (program.to("numpy"), np.array)):
            found = list(leaves(call(*map(make, given))))
            assert list(map(type, found)) == list(map(type, want))
            np.testing.assert_equal(found, want)
        moved = program.to("jax")(*map(jnp.asarray, given))
        np.testing.assert_allclose([*map(float, leaves(moved))], [*map(float, want)])
