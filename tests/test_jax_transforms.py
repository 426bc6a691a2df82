"""JAX's functions of functions: those that compute what they are given are captured as such."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import gfx_trace as gfx

X = jnp.asarray(np.random.default_rng(0).standard_normal((5, 3)), jnp.float32)


def chosen(x):
    at = jnp.int32(x[0, 0] * 4)
    return lax.switch(at, [lambda v: v, lambda v: -v, lambda v: v.sum() + v * 0], x)


def scanned_backwards(x):
    def step(carry, row):
        carry = carry * 0.5 + row
        return carry, {"carry": carry, "sum": carry.sum()}

    carry, ys = lax.scan(step, jnp.zeros(3), x, reverse=True)
    return carry, ys["carry"], ys["sum"]


@jax.jit
def leaky(x):
    return jnp.where(x > 0, x, 0.1 * x)


@partial(jax.jit, static_argnums=1)
def doubled(x, times):
    for _ in range(times):
        x = x * 2
    return x


def compiled_inside(x):
    return leaky(x) + doubled(x, 3)


@pytest.mark.parametrize("function", [chosen, scanned_backwards, compiled_inside])
@pytest.mark.parametrize("sign", [1, -1, 0])
def test_computed_alike(function, sign):
    program = gfx.symbolic_trace(function, X)
    want = jax.tree.leaves(function(X * sign))
    torch_input = np.asarray(X * sign)
    for run, x in ((program, X * sign), (jax.jit(program.to("jax")), X * sign), (program.to("numpy"), torch_input)):
        for a, b in zip(want, jax.tree.leaves(run(x)), strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-5, atol=1e-6)
