"""A key of `jax.random.key` as an argument: it has no dtype, and is drawn from as the numbers of `PRNGKey` are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GfxError, GuardError

X, KEY = jnp.ones(4), jax.random.key(1)


def split(key, x):
    k1, k2 = jax.random.split(key)
    return x + jax.random.normal(k1, x.shape) * jax.random.bernoulli(k2, 0.5, x.shape)


def carried(key, x):
    def step(c, z):
        k, s = c
        k, sub = jax.random.split(k)
        return (k, s + jax.random.normal(sub) * z), s

    return jax.lax.scan(step, (key, 0.0), x)[0][1]


def folded(key, x):
    return x + jax.random.uniform(jax.random.fold_in(key, 3), x.shape)


@pytest.mark.parametrize("f", [split, carried, folded])
def test_draws(f):
    result = gfx.transpile(f, KEY, X, to="jax", backend="jax")
    for key in (KEY, jax.random.key(2)):
        want = f(key, X)
        for got in (result(key, X), result.program(key, X), jax.jit(result.fn)(key, X)):
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5)

    with pytest.raises(GuardError, match="key"):
        result(jnp.ones(2), X)


def test_it_is_a_generator_of_pytorch():
    result = gfx.transpile(split, KEY, X, to="torch")
    draw = lambda: result(torch.Generator().manual_seed(0), torch.ones(4))
    assert draw().equal(draw())


def test_in_a_tree_of_parameters():
    tree = {"w": jnp.ones((4, 3)), "key": KEY}
    f = lambda p, x: x @ p["w"] + jax.random.normal(p["key"], (3,))
    np.testing.assert_allclose(gfx.symbolic_trace(f, tree, X)(tree, X), f(tree, X), rtol=1e-5)


def test_what_jax_transforms_takes_no_key():
    def f(key, x):
        return jax.grad(lambda w: jnp.sum(w * jax.random.normal(key, x.shape)))(x)

    with pytest.raises(CaptureError, match=r"draws from a key of random numbers(.|\n)*draw the random numbers outside"):
        gfx.symbolic_trace(f, KEY, X)


def test_several_keys_are_refused():
    with pytest.raises(GfxError, match="no dtype for a JAX array of key"):
        gfx.symbolic_trace(split, jax.random.split(KEY, 4), X)
