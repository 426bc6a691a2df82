"""JAX source under `jax.disable_jit()`: there tests and loops hand on Python's own truths and numbers as they are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

INPUTS = ([1.0, 3.0, 2.0], [-1.0, -3.0, 4.0], [2.0, -0.5, 0.0])


def toggled(x):
    odd = False
    for i in range(20):
        if not odd:
            x = x + 1
        odd = not odd
        if x[0] > 3:
            odd = True
    return x


def left_at_an_index(x):
    for i in range(3):
        for j in range(3):
            if x[i] * j > 2:
                break
            x = x + j
        else:
            x = x * 2
            continue
        x = x - 1
        if i == 1:
            break
    else:
        x = x + 100
    return x


def counted(x):
    steps = 0
    while steps < 30:
        steps += 1
        if steps > 4 and steps % 3 == 0:
            break
        if x.sum() > 50:
            return x, steps
        x = x * 1.5
    return -x, steps


def flags(x):
    n, found = 0, False
    for i in range(5):
        if x[i % 3] > 1.5:
            n, found = n + i, not found
        elif found:
            n -= 1
    return x if found else -x, n


@pytest.mark.parametrize("function", [toggled, left_at_an_index, counted, flags])
def test_source_that_is_not_compiled_gives_the_same(function):
    fn = gfx.symbolic_trace(function, backend="torch").module("jax").load()
    for given in INPUTS:
        want = function(torch.tensor(given))
        with jax.disable_jit():
            got = fn(jnp.array(given))
        for a, b in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)
