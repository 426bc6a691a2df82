"""Functions of jax.lax promote nothing: what they refuse is refused at capture, where other frameworks would promote it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct

I, F = jnp.array([3, 1, 2]), jnp.array([1.0, 2.0, 3.0])
REFUSED = {
    "exp": lambda x: lax.exp(x),
    "sqrt": lambda x: lax.sqrt(x),
    "floor": lambda x: lax.floor(x),
    "round": lambda x: lax.round(x),
    "add": lambda x: lax.add(x, jnp.ones(3)),
    "max": lambda x: lax.max(jnp.ones(3), x),
    "lt": lambda x: lax.lt(x, jnp.ones(3)),
    "select": lambda x: lax.select(x > 1, x, jnp.ones(3)),
    "concatenate": lambda x: lax.concatenate([x, jnp.ones(3)], 0),
    "clamp": lambda x: lax.clamp(0.0, x, 1.0),
    "pad": lambda x: lax.pad(x, 0.0, ((1, 1, 0),)),
    "dynamic_update_slice": lambda x: lax.dynamic_update_slice(x, jnp.ones(1), (0,)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_jax_refuses_is_refused(name):
    fn = REFUSED[name]
    with pytest.raises(TypeError):
        fn(I)
    with pytest.raises(UnsupportedConstruct):
        gfx.symbolic_trace(fn, I)
    program = gfx.symbolic_trace(fn, F)
    np.testing.assert_allclose(program(F), fn(F), rtol=1e-6)


@pytest.mark.parametrize("name", ["exp", "sqrt", "floor", "round"])
def test_without_arguments_it_is_a_guard(name):
    program = gfx.symbolic_trace(REFUSED[name], backend="jax")
    assert "Assumes: x holds floating-point numbers" in program.source("torch")
    np.testing.assert_allclose(program(F), REFUSED[name](F), rtol=1e-6)
    with pytest.raises(GuardError):
        program(I)


def taken(x):
    y = lax.add(x, x) + lax.mul(x, lax.full_like(x, 2))
    z = lax.sub(y, x)
    return lax.convert_element_type(y, jnp.float32) + lax.neg(z), lax.rem(x, lax.abs(x)), lax.cumsum(x)


@pytest.mark.parametrize("x", [I, F])
@pytest.mark.parametrize("level", [0, 1])
def test_what_it_takes_converts(x, level):
    program = gfx.symbolic_trace(taken, *([x] if level else []), backend="jax")
    for got, want in zip(program(x), taken(x)):
        np.testing.assert_allclose(got, want)
    jax.jit(program.to("jax"))(x)
