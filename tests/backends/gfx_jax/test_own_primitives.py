"""Primitives that a library adds to JAX's: they are what their implementations compute."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax.extend.core import Primitive
from jax.interpreters import ad

import gfx_trace as gfx
from gfx_ir.errors import MissingOp

X = jnp.array([0.5, -1.0, 2.0])


def primitive(name, implementation, result):
    made = Primitive(name)
    made.def_impl(implementation)
    made.def_abstract_eval(result)
    return made


def scalar_of(dtype):
    return lambda x: jax.core.ShapedArray((), dtype)


positive = primitive("any_positive", lambda x: jnp.any(x > 0), scalar_of(jnp.bool_))
norm = primitive("norm_of", lambda x: jnp.sqrt(jnp.sum(x * x)), scalar_of(jnp.float32))
ad.primitive_jvps[norm] = lambda primals, tangents: (norm.bind(*primals), 7 * jnp.sum(tangents[0]))


def test_one_without_derivatives_is_captured():
    def loss(x, y):
        return jnp.sum(jnp.where(positive.bind(y), x * y, -x))

    fn = jax.value_and_grad(loss)
    made = gfx.transpile(fn, X, X, to="torch")
    for y in (X, -jnp.abs(X)):
        found = made(*(torch.from_numpy(np.array(a)) for a in (X, y)))
        for a, b in zip(found, fn(X, y)):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_one_with_a_rule_of_its_own_is_refused():
    with pytest.raises(MissingOp, match="norm_of"):
        gfx.transpile(jax.vmap(lambda x: x * norm.bind(X)), X, to="torch")
