"""What the items of a loop are called that goes over several arrays at once: as the body calls what it takes apart."""

import jax
import jax.numpy as jnp
import numpy as np

import gfx_trace as gfx


def advantages(rewards, values, dones):
    def step(carry, given):
        r, v, d = given
        carry = r - v + 0.9 * (1 - d) * carry
        return carry, carry

    return jax.lax.scan(step, jnp.zeros_like(values[0]), (rewards, values, dones))[1]


def test_items_have_the_names_that_the_body_gives_them():
    given = [jnp.sin(jnp.arange(5.0) * at) for at in (1, 2, 3)]
    program = gfx.symbolic_trace(advantages, *given)
    assert "for r, v, d in zip(rewards, values, dones):" in program.source("torch")
    assert "r, v, d = items" in program.source("jax")
    np.testing.assert_allclose(program.to("jax")(*given), advantages(*given), rtol=1e-6)
