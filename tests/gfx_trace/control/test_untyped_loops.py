"""Captured without any argument: what a loop makes and what is returned out of it, before any type is known."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves


def from_endless(x):
    while True:
        x = x * 0.5
        if x < 1:
            return x * x


def tuple_from_while(x, n):
    while n > 0:
        y = x * n
        if y > 10:
            return y, n
        n = n - 1
    return x, n


def from_rows_in_rows(x):
    for row in x:
        for v in row:
            if v > 3:
                return v
    return x.sum()


def from_while_in_while(x, n):
    while n > 0:
        m = n
        while m > 0:
            if x + m > 9:
                return x + m
            m = m - 1
        n = n - 1
    return x


def from_helper(x, n):
    def find(x):
        while x < 100:
            x = x * 2
            if x > n:
                return x
        return -x

    return find(x) + find(x + 1)


def two_returns(x):
    while x > 1:
        if x > 10:
            return x
        if x > 5:
            return -x
        x = x - 1
    return x + 100


def from_else(x):
    for v in x:
        if v > 2:
            return v
    else:
        return x[0]


def dictionary(x, n):
    while n > 0:
        if x > 3:
            return {"a": x, "n": n}
        x = x + 1
        n = n - 1
    return {"a": x, "n": n}


def read_behind(x, n):
    for i in range(n):
        for j in range(i):
            y = x + i * j
    return y


def number_that_becomes_a_tensor(x, n):
    s = 0
    while n > 0:
        s = s + x
        t = s * 2
        n = n - 1
    return t


def defined_by_a_loop_on_one_side(x, n):
    if x > 0:
        for i in range(n):
            y = i * x
    for i in range(n):
        if x > i - 1:
            y = x + i
    return y


def chosen(s):
    return s if s < 0.7 else -0.75


def defined_of_a_number_that_becomes_a_tensor(x, n):
    s = 1.5
    for _ in range(n):
        late = x + chosen(s)
        s = abs(chosen(s) * 0.5 if x > 0.1 else 0.3 * x)
    return s, late


GRID = np.array([[1.0, 2.0], [5.0, 6.0]], np.float32)
CASES = [
    (from_endless, [(9.0,), (0.5,)]), (tuple_from_while, [(2.0, 7), (0.5, 3)]), (from_rows_in_rows, [(GRID,), (GRID / 10,)]),
    (from_while_in_while, [(5.0, 6), (0.0, 3)]), (from_helper, [(3.0, 10.0), (3.0, 1e5)]),
    (two_returns, [(0.0,), (3.0,), (7.0,), (20.0,)]), (from_else, [(GRID[1],), (GRID[0],)]),
    (dictionary, [(1.0, 5), (1.0, 1)]), (read_behind, [(1.0, 5)]), (number_that_becomes_a_tensor, [(1.5, 3)]),
    (defined_by_a_loop_on_one_side, [(0.5, 3), (1.5, 2)]),
    (defined_of_a_number_that_becomes_a_tensor, [(0.7, 3), (-0.7, 2)]),
]  # fmt: skip


@pytest.mark.parametrize("fn, tuples", CASES, ids=lambda x: getattr(x, "__name__", None))
def test_results_without_types(fn, tuples):
    program = gfx.symbolic_trace(fn, backend="torch")
    assert program.level == 0
    for args in tuples:
        wanted = [np.asarray(x) for x in leaves(fn(*map(torch.tensor, args)))]
        for target, array in (("torch", torch.tensor), ("jax", jnp.asarray)):
            found = [np.asarray(x) for x in leaves(program.to(target)(*map(array, args)))]
            assert all(np.allclose(a, b) for a, b in zip(wanted, found, strict=True)), program.source(target)


def test_a_variable_that_no_trip_defines_is_an_error():
    program = gfx.symbolic_trace(read_behind, backend="torch")
    with pytest.raises(UnboundLocalError, match="'y'"):
        program(torch.tensor(1.0), torch.tensor(0))


def test_what_a_test_assigns_is_assigned_there():
    def settle(x, tol):
        while (r := torch.tanh(x) - x).abs().max() > tol:
            x = x + 0.5 * r
        return x

    program = gfx.symbolic_trace(settle, backend="torch")
    source = program.source("torch")
    assert source.count("tanh") == 1 and ":=" in source
    x, tol = torch.tensor([2.0, -1.0]), torch.tensor(0.1)
    assert torch.allclose(program(x, tol), settle(x, tol))
    again = gfx.symbolic_trace(program.to("torch"), backend="torch")
    assert torch.allclose(again(x, tol), settle(x, tol))


def one_or_all(x, n):
    return x if n > 1 else x[:1]


def number_or_all(x, n):
    return x if n > 1 else 0.5


def changing_places(x, n):
    v, r = x, 0.5
    for _ in range(n):
        v, r = r, v
    return v


@pytest.mark.parametrize("fn", [one_or_all, number_or_all, changing_places])
def test_other_shapes_are_an_error_of_jax_and_not_broadcast(fn):
    with pytest.raises(TypeError, match="shape"):
        gfx.symbolic_trace(fn, backend="torch").to("jax")(jnp.ones(3), 1)
