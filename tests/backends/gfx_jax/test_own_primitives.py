"""Primitives that a library adds to JAX's: they are what their implementations compute, with the derivatives of their rules."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax.extend.core import Primitive
from jax.interpreters import ad

import gfx_trace as gfx

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


counted = primitive("counted_norm", lambda x: (jnp.sqrt(jnp.sum(x * x)), jnp.sum(x > 0)), scalar_of(jnp.float32))
counted.multiple_results = True
counted.def_abstract_eval(lambda x: (jax.core.ShapedArray((), jnp.float32), jax.core.ShapedArray((), jnp.int32)))
still = primitive("still", lambda x: x, lambda x: x)


def counted_rule(primals, tangents):
    moved = 7 * jnp.sum(tangents[0])
    return counted.bind(*primals), (moved, np.zeros((), jax.dtypes.float0))


half = primitive("half", lambda x: jax.lax.stop_gradient(x) / 2, lambda x: x)
ad.primitive_jvps[half] = lambda primals, tangents: (half.bind(*primals), half.bind(*tangents))
ad.primitive_transposes[half] = lambda grad, x: [half.bind(grad)]
scaled = primitive("scaled", lambda x, by: x * by, lambda x, by: x)


def scaled_rule(primals, tangents):
    if not isinstance(tangents[1], ad.Zero):
        raise ValueError("no derivative by the factor")
    return scaled.bind(*primals), tangents[0] * 3


def no_rule(primals, tangents):
    raise ValueError("no derivative")


ad.primitive_jvps[counted] = counted_rule
ad.primitive_jvps[still] = no_rule
ad.primitive_jvps[scaled] = scaled_rule
HAVE_RULES = {
    "a rule": lambda x: x * norm.bind(x),
    "a rule, behind a rule": lambda x: norm.bind(x * norm.bind(x)) * x,
    "a rule that is linear by another one, of code that is not": lambda x: x * half.bind(x),
    "a rule that refuses one of two": lambda x: scaled.bind(x, jax.lax.stop_gradient(x)),
    "results that are whole numbers": lambda x: x * jnp.stack(counted.bind(x)).sum(),
    "a rule that refuses, of what has no derivative": lambda x: x * still.bind(jax.lax.stop_gradient(x)),
}


@pytest.mark.parametrize("f", HAVE_RULES.values(), ids=HAVE_RULES)
def test_the_rule_of_one_gives_its_derivatives(f):
    want = jax.grad(lambda x: jnp.sum(f(x)))(X)
    x = torch.tensor(np.asarray(X), requires_grad=True)
    gfx.transpile(jax.jit(f), X, to="torch")(x).sum().backward()
    np.testing.assert_allclose(x.grad, want, rtol=1e-5)
    made = gfx.transpile(jax.jit(f), X, to="jax").fn
    np.testing.assert_allclose(jax.grad(lambda x: jnp.sum(made(x)))(X), want, rtol=1e-5)


def test_a_derivative_that_no_rule_gives_is_refused_where_it_is_asked():
    made, x = (
        gfx.transpile(jax.jit(lambda x: x * still.bind(x)), X, to="torch"),
        torch.tensor(np.asarray(X), requires_grad=True),
    )
    np.testing.assert_allclose(made(x).detach(), X * X, rtol=1e-6)
    with pytest.raises(RuntimeError, match="does not derive still"):
        made(x).sum().backward()


def test_a_second_derivative_of_one_is_that_of_its_rule_or_refused():
    first = lambda x: jax.grad(lambda x: norm.bind(x) * jnp.sum(x))(x)
    x = torch.tensor(np.asarray(X), requires_grad=True)
    gfx.transpile(jax.jit(jax.grad(lambda x: norm.bind(x) * jnp.sum(x))), X, to="torch")(x).sum().backward()
    np.testing.assert_allclose(x.grad, jax.grad(lambda x: jnp.sum(first(x)))(X), rtol=1e-6)
    made = gfx.transpile(first, X, to="torch")
    np.testing.assert_allclose(made(x).detach(), first(X), rtol=1e-6)
    with pytest.raises(RuntimeError, match="does not derive norm_of"):
        made(x).sum().backward()


def raises(place):
    raise ValueError(f"too large, at {place}")


def checked(x):
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.lax.cond(x[0] > 3, lambda x: jax.pure_callback(raises, out, 2), jnp.sin, x)


def test_a_side_that_calls_what_never_returns_is_a_check():
    program = gfx.symbolic_trace(jax.jit(primitive("checked", checked, lambda x: x).bind), X)
    for call, array in ((program.to("torch"), torch.tensor), (jax.jit(program.to("jax")), jnp.asarray)):
        np.testing.assert_allclose(np.asarray(call(array(np.asarray(X)))), np.sin(X), rtol=1e-6)
        with pytest.raises(Exception, match="too large, at 2"):
            np.asarray(call(array(np.asarray(X + 3))))


def test_a_gradient_that_a_rule_refuses_is_no_zero():
    with pytest.raises(ValueError, match="no derivative by the factor"):
        jax.grad(lambda by: scaled.bind(X, by).sum())(X)
    made = gfx.transpile(jax.jit(lambda x, by: scaled.bind(x, by)), X, X, to="torch")
    x, by = (torch.tensor(X.tolist(), requires_grad=True) for _ in range(2))
    found = torch.autograd.grad(made(x, by).sum(), [x, by])
    assert found[0].tolist() == [3, 3, 3]
    assert found[1].isnan().all()
