"""Functions that bring their own gradient may hang on an open size, of their arguments or of others'."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


@jax.custom_jvp
def tripled(x, y):
    return x * y + jnp.zeros((x.shape[0], 1))


@tripled.defjvp
def _(primals, tangents):
    (x, y), (dx, dy) = primals, tangents
    return tripled(x, y), dx * y * 3 + x * dy + jnp.zeros((x.shape[0], 1))


def given(x, y):
    return tripled(x, y)


def closed_over(x, y):
    n = x.shape[0]

    @jax.custom_jvp
    def by(x):
        return x * jnp.ones((n, 2)) / n

    @by.defjvp
    def _(primals, tangents):
        return by(primals[0]), tangents[0] * jnp.ones((n, 2)) * 5 / n

    return by(x) + y


def computed(x, y):
    n = x.shape[0] * 2 + y.shape[0]

    @jax.custom_vjp
    def by(x):
        return x * n

    by.defvjp(lambda x: (x * n, None), lambda _, grad: (grad * n * 3,))
    return by(x) + y


@pytest.mark.parametrize("f", [given, closed_over, computed], ids=lambda f: f.__name__)
@pytest.mark.parametrize("compiled", [False, True])
def test_the_gradient_is_that_of_the_rule_at_every_size(f, compiled):
    spec = gfx.TensorSpec(("n", 2), "float32")
    program = gfx.symbolic_trace(jax.jit(f) if compiled else f, spec, spec)
    for n in (3, 1, 5):
        x, y = np.arange(1, 2 * n + 1, dtype=np.float32).reshape(n, 2), np.full((n, 2), 0.5, np.float32)
        want = jax.grad(lambda x: jnp.sum(f(x, y) ** 2))(jnp.asarray(x))
        found = jax.grad(lambda x: jnp.sum(program.to("jax")(x, y) ** 2))(jnp.asarray(x))
        np.testing.assert_allclose(found, want, rtol=1e-5)
        leaf = torch.tensor(x, requires_grad=True)
        (program.to("torch")(leaf, torch.tensor(y)) ** 2).sum().backward()
        np.testing.assert_allclose(leaf.grad, want, rtol=1e-5)
