"""Loops whose trips change the shape of what they carry: JAX's source says so, whatever the shapes are."""

import jax.numpy as jnp
import pytest

import gfx_trace as gfx


def assigned(x, k: int = 2):
    y = jnp.concatenate([x, jnp.ones(1)])
    for _ in range(k):
        y = x.astype(jnp.int8)
    return y


def longer(x, k: int = 2):
    y = x
    for _ in range(k):
        y = jnp.concatenate([x, jnp.ones(1)]).astype(jnp.int8)
    return y


def of_fewer_axes(x, k: int = 2):
    y = x[None] * jnp.ones((2, 1))
    for _ in range(k):
        y = x.astype(jnp.int8)
    return y


@pytest.mark.parametrize("fn", [assigned, longer, of_fewer_axes])
def test_they_are_refused_by_what_was_captured_open(fn):
    program = gfx.symbolic_trace(fn, backend="jax")
    with pytest.raises(TypeError, match="a loop changes the shape of what it carries"):
        program.to("jax")(jnp.arange(3.0), 2)
