"""Arrays that code holds, where functions take sizes or axes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves


def in_numpy(x):
    rows = np.split(np.pad(x, np.array([[1, 0], [0, 2]])), np.cumsum(np.array([1, 1])), axis=0)
    turned = np.transpose(np.moveaxis(x, np.array([0]), np.array([-1])), np.array([1, 0])).reshape(np.array([-1]))
    return (
        rows,
        turned,
        np.tile(x, np.array([2, 1])),
        np.roll(x, np.array([1, 2]), axis=(0, 1)),
        np.zeros(np.array([2, 3])),
    )


def in_jax(x):
    rows = jnp.split(jnp.pad(x, np.array([[1, 0], [0, 2]])), np.cumsum(np.array([1, 1])), axis=0)
    turned = jnp.transpose(x, np.array([1, 0])).reshape(np.array([-1]))
    bent = jax.vmap(lambda row: jax.hessian(lambda v: jnp.tanh(v).prod())(row))(
        x
    )  # JAX's own code splits at np.cumsum([])
    return (
        rows,
        turned,
        bent,
        jnp.tile(x, np.array([2, 1])),
        jnp.roll(x, np.array([1, 2]), axis=(0, 1)),
        jnp.zeros(np.array([2, 3])),
    )


@pytest.mark.parametrize("f, array", [(in_numpy, np.asarray), (in_jax, jnp.asarray)], ids=["numpy", "jax"])
def test_an_array_of_sizes_or_axes_is_its_numbers(f, array):
    x = array(np.arange(6.0, dtype="float32").reshape(2, 3))
    for got, want in zip(
        leaves(gfx.transpile(f, x, to="torch")(torch.from_numpy(np.array(x)))), leaves(f(x)), strict=True
    ):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-6)


def test_what_a_scan_collects_is_a_stack_also_where_open_sizes_are_not_told_equal():
    def scaled(u, a):
        return jax.lax.scan(lambda x, row: (row * x, row * 2), a, u)

    u, a = jnp.ones((5, 2)), jnp.ones(2)
    state, rows = gfx.transpile(scaled, u, a, to="torch", dynamic=True)(torch.ones(1, 3), torch.ones(3))
    assert (state.shape, rows.shape) == ((3,), (1, 3))


@pytest.mark.parametrize("n, k", [(7, 2), (9, 5), (2, 4)])
def test_cuts_at_open_sizes_are_slices(n, k):
    made = gfx.transpile(lambda u, w: np.split(u, [len(w), 3, -1]), np.ones(7), np.ones(2), to="torch", dynamic=True)
    for got, want in zip(
        made(torch.arange(float(n), dtype=torch.float64), torch.ones(k, dtype=torch.float64)),
        np.split(np.arange(n), [k, 3, -1]),
        strict=True,
    ):
        np.testing.assert_array_equal(got, want)
