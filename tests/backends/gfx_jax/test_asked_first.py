"""Names that only one side of a Python test gives a value to, read under tests on data that ask for that side: JAX traces these, too."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def several(x, k: int):
    if k > 1 and k < 5 and (m := torch.sum(x)) > 0:
        return x + m
    return x - k


def neither(x, k: int):
    if k <= 1 or (m := torch.sum(x)) <= 0:
        return x - 1
    return x * m


def behind(x, k: int):
    if k > 1:
        m = torch.sum(x)
    if k > 2:
        q = m * 2
    if k > 2 and k > 1 and q > 0:
        x = x + q + m
    return x


def within(x, k: int):
    if k > 1:
        if k > 2:
            m = torch.sum(x)
    if k > 1 and k > 2 and m > 0:
        x = x * m
    return x - 1


def carried(x, k: int):
    m = None
    if k > 2:
        m = torch.sum(x)
    i = 0
    while m is not None and m > 1 and i < 3:
        m = m / 2
        i = i + 1
        x = x + m
    if m is None:
        return x
    return x * m


def best_of(x, k: int):
    best = None
    for i in range(k):
        v = torch.sum(x) * i
        if best is None or v > best:
            best = v
    return best if best is not None else torch.sum(x) * 0


def in_the_test_of_a_loop(x, k: int):
    while k * 2 > 4 and (m := torch.sum(x)) > 1:
        x = x / m
    return x


def two_of_them(x, k: int):
    t = torch.max(x) if k > 2 else None
    u = torch.min(x) if k > 3 else None
    if t is not None and u is not None and t > u:
        return x * (t - u)
    if t is not None and t > 0:
        return x * t
    return x


def returned_under_one(x, k: int):
    if x.sum() > 0:
        if k > 2:
            m = x * k
            return m - 1
        x = x + 1
    return x + 3


def named_under_a_number(x, k: int):
    if x[0] > 2:
        x = x + 2
    elif k:
        if x[2] > 0:
            x = x - 1
        else:
            m = x.sum()
            return x * m
        return x + 1
    return x


def a_number_in_the_test_of_a_loop(x, k: int, m: int = 3):
    while (x.sum() > 0.1 and k) and m is not None:
        x = x * 0.5 - 0.125
    return x


def numbers_in_the_test_of_a_loop(x, k: int, m: int = 3):
    n = 0
    while n < 3 and (x.sum() > 0.1 and (k - 1)) and (x[0] > 0.2 and k) and (k - 2 or m):
        n = n + 1
        x = x * 0.5
    return x * n


def a_number_in_tests_in_a_row(x, k: int):
    if (x.sum() > 0.1 and k) and (x[0] > 0 and k) and (k and x[1] > 1):
        x = x * k
    return x


@pytest.mark.parametrize(
    "f",
    [
        several, neither, behind, within, carried, best_of, in_the_test_of_a_loop, two_of_them, returned_under_one,
        named_under_a_number, a_number_in_the_test_of_a_loop, numbers_in_the_test_of_a_loop, a_number_in_tests_in_a_row,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_a_side_that_python_rules_out_is_not_traced(f):
    fast = gfx.transpile(f, to="jax", backend="torch")
    for k in (0, 1, 2, 3, 4, 6):
        for x in ((1.0, 2.0, 0.5), (-1.0, -2.0, 0.5), (4.0, -9.0, 8.0)):
            np.testing.assert_allclose(fast(jnp.array(x), k), f(torch.tensor(x), k), rtol=1e-5)


def test_what_is_ruled_out_already_is_not_checked_again():
    assert "check" not in gfx.transpile(several, to="jax", backend="torch").source
