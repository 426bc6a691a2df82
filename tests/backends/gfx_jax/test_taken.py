"""Dtypes that JAX's functions do not take are refused, where JAX raises, and assumed where they are open."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import gfx_trace as gfx
from gfx_ir.errors import GfxError, GuardError

WHOLE = jnp.arange(6).reshape(2, 3)
FLOAT = WHOLE * 1.0
FLAG = WHOLE > 2

CALLS = {
    "lax.exp": (lambda x: lax.exp(x), WHOLE),
    "lax.tanh": (lambda x: lax.tanh(x), FLAG),
    "jnp.sign": (lambda x: jnp.sign(x), FLAG),
    "jnp.negative": (lambda x: jnp.negative(x), FLAG),
    "nn.softmax": (lambda x: jax.nn.softmax(x, axis=-1), FLAG),
    "lax.add": (lambda x: lax.add(x, FLOAT), WHOLE),
    "lax.select": (lambda x: lax.select(x > 2, x, FLOAT), WHOLE),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_jax_refuses_is_refused(name):
    call, x = CALLS[name]
    with pytest.raises(TypeError):
        call(x)
    with pytest.raises(GfxError, match="dtype"):
        gfx.symbolic_trace(call, x)


TAKEN = [
    lambda x: jnp.where(x > 0, FLOAT, WHOLE),
    lambda x: jnp.exp(x),
    lambda x: jnp.take(FLOAT, x[0, :1].astype(int), axis=0),
    lambda x: lax.mul(x, 2),
    lambda x: lax.reduce_max(x, (0,)),
    lambda x: jnp.concatenate([x, FLOAT]),
]


@pytest.mark.parametrize("call", TAKEN)
def test_what_jax_takes_is_taken(call):
    assert jnp.allclose(gfx.symbolic_trace(call, WHOLE)(WHOLE), call(WHOLE))


def flipped(x: jax.Array):
    ~x
    return x * 2


def grown(x: jax.Array):
    return lax.exp(x)


@pytest.mark.parametrize("fn, right, wrong", [(flipped, WHOLE, FLOAT), (grown, FLOAT, WHOLE)])
def test_open_dtypes_are_assumed(fn, right, wrong):
    program = gfx.symbolic_trace(fn)
    assert jnp.allclose(program(right), fn(right))
    with pytest.raises(GuardError):
        program(wrong)
