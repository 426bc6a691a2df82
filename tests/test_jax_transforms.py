"""JAX's functions of functions: those that compute what they are given are captured as such."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import gfx_trace as gfx
from gfx_ir.errors import GfxError, MissingOp, UnsupportedConstruct

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


# ---------------------------------------------------------------- through JAX's own tracer
W = jnp.asarray(np.random.default_rng(1).standard_normal((3, 4)), jnp.float32)


@jax.custom_vjp
def clipped_backwards(x):
    return jnp.sin(x)


clipped_backwards.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (jnp.clip(g, -0.1, 0.1) * jnp.cos(x),))


def loss(w, x):
    return jnp.mean(jax.nn.relu(x @ w) ** 2)


def rounded_loss(w, x):
    return jnp.sum(clipped_backwards(x @ w))


SLOPE = jax.grad(loss)


def gradient_descent(w, x):
    for _ in range(20):
        w = w - 0.1 * jax.grad(loss)(w, x)
    return w


def closed_over(w, x):
    def inner(v):
        return jnp.sum(jnp.tanh(x @ v))

    return jax.value_and_grad(inner)(w)


def with_aux(w, x):
    def measured(params, x):
        return jnp.mean((x @ params["w"] + params["b"]) ** 2), {"sum": x.sum()}

    return jax.value_and_grad(measured, has_aux=True)({"w": w, "b": jnp.zeros(4)}, x)


def slope_of_a_test(w, x):
    def inner(v):
        s = x @ v
        if s.sum() > 0:
            return s.sum()
        return (s * s).sum()

    return jax.grad(inner)(w)


def slope_of_a_scan(w, x):
    def step(carry, row):
        return jnp.tanh(carry + row @ w), None

    return jax.grad(lambda start: lax.scan(step, start, x)[0].sum())(jnp.zeros(4))


def products(w, x):
    out, back = jax.vjp(loss, w, x)
    _, forward = jax.linearize(lambda v: jnp.tanh(v @ w), x)
    return out, back(jnp.ones(())), jax.jvp(loss, (w, x), (w, x)), forward(x)


TRANSFORMED = {
    "gradient descent": gradient_descent,
    "closed over": closed_over,
    "with aux": with_aux,
    "test": slope_of_a_test,
    "scan": slope_of_a_scan,
    "products": products,
    "made before": lambda w, x: SLOPE(w, x),
    "compiled": lambda w, x: jax.jit(jax.grad(loss))(w, x),
    "a derivative of its own": lambda w, x: jax.grad(rounded_loss)(w, x),
    "batch": lambda w, x: jax.vmap(lambda row: jnp.dot(row, w))(x),
    "batch of slopes": lambda w, x: jax.vmap(jax.grad(loss), in_axes=(None, 0))(w, x),
    "jacobian": lambda w, x: jax.jacrev(lambda v: jnp.tanh(v @ w))(x[0]),
    "hessian": lambda w, x: jax.hessian(lambda v: jnp.sum(jnp.sin(v) ** 2))(x[0]),
    "softmax": lambda w, x: jax.grad(lambda v: jax.nn.softmax(x @ v)[:, 0].sum())(w),
    "checkpoint": lambda w, x: jax.grad(lambda v: jnp.sum(jax.checkpoint(lambda z: jnp.sin(z @ v))(x)))(w),
    "map": lambda w, x: lax.map(lambda row: row @ w, x),
    "associative scan": lambda w, x: lax.associative_scan(jnp.add, x),
    "vectorize": lambda w, x: jnp.vectorize(lambda a: a * 2)(x) @ w,
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformed_functions_are_computed_alike(name):
    function = TRANSFORMED[name]
    program, want = gfx.symbolic_trace(function, W, X), jax.tree.leaves(function(W, X))
    for target, arrays in (("jax", (W, X)), ("numpy", (np.asarray(W), np.asarray(X)))):
        for a, b in zip(want, jax.tree.leaves(program.to(target)(*arrays)), strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-5, atol=1e-5)


def test_a_gradient_reads_as_one_writes_it():
    assert "return x.T @ jnp.where(h > 0.0, 0.05 * (2.0 * jax.nn.relu(h)), 0.0)" in gfx.symbolic_trace(
        lambda w, x: jax.grad(loss)(w, x), W, X
    ).source("jax")


def appending(w, x):
    kept = []

    def inner(v):
        kept.append(v)
        return v.sum()

    return jax.grad(inner)(w), kept


REFUSED = {
    "types": (lambda w, x: jax.grad(loss)(w, x), (), UnsupportedConstruct, "TensorSpec"),
    "written": (appending, (W, X), UnsupportedConstruct, "has_aux"),
    "number": (lambda x, n: jax.grad(lambda y, n: (y * n).sum())(x, n.shape[0]), (X,), GfxError, "shape"),
    "lost derivative": (lambda w, x: jax.vmap(clipped_backwards)(x), (W, X), MissingOp, "derivative of its own"),
    "draw": (
        lambda w, x: jax.vmap(lambda k: jax.random.bits(jax.random.key(k)))(jnp.arange(3)),
        (W, X),
        MissingOp,
        "random",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    function, args, error, text = REFUSED[name]
    with pytest.raises(error) as caught:
        gfx.symbolic_trace(function, *args)
    assert text in str(caught.value)
    assert caught.value.hint
