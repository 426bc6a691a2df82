"""What one side of a test says of two tensors, asked behind it: where that side is not run, nothing of it is computed, which may raise."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def by_a_quotient(x, k: int):
    v = x * 2
    w = v
    if k:
        w = x if 6 // k > 2 else v
    w += 1
    return x, v


def by_an_optional_array(x, m=None):
    v = x * 2
    w = v
    if m is not None and m.sum() > 2:
        w = x
    w += 1
    return x, v


def by_a_loop(x, m=None):
    v = x * 2
    w = v
    if m is not None:
        i = 0
        while i < m:
            w = x
            i += 1
    w += 1
    return x, v


def by_a_loop_in_a_loop(x, k: int):
    v = x * 2
    w = v
    for j in range(k + 2):
        if k:
            i = 0
            while i < 6 // k:
                w = x if i % 2 else v
                i += 1
        w += 1
    return x, v


def by_trips_of_a_loop(x, k: int):
    v = s = x
    for t in range(k + 2):
        s += t
        if k:
            i = 0
            while i < 6 // k:
                i += 1
                v = v + 0.1
    return v


def by_trips_with_an_optional_array(x, m=None):
    v = s = x
    for t in range(3):
        s += t
        if m:
            i = 0
            while i < 2:
                i += 1
                v = v + m * 0.1
    return v


NUMBERS, ARRAYS = [(0,), (1,), (2,), (6,)], [(None,), (torch.tensor(1.0),), (torch.tensor(5.0),)]
CASES = [
    (by_a_quotient, NUMBERS), (by_an_optional_array, ARRAYS), (by_a_loop, ARRAYS), (by_a_loop_in_a_loop, NUMBERS),
    (by_trips_of_a_loop, NUMBERS), (by_trips_with_an_optional_array, ARRAYS),
]  # fmt: skip


@pytest.mark.parametrize("f, given", CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_a_side_that_is_not_run_is_not_computed(f, given):
    program = gfx.symbolic_trace(f, backend="torch")
    as_jax = lambda x: jnp.asarray(x.numpy()) if isinstance(x, torch.Tensor) else x
    for more in given:
        x = lambda: torch.tensor([1.0, 2.0, 3.0])
        want = f(x(), *more)
        jax_x = as_jax(x())
        for got in (program(x(), *more), program.to("torch")(x(), *more), program.to("jax")(jax_x, *map(as_jax, more))):
            found = got[0] if program.writes and len(got) == 2 and isinstance(got[1], dict) else got
            for a, b in zip(found if isinstance(want, tuple) else [found], want if isinstance(want, tuple) else [want]):
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)
