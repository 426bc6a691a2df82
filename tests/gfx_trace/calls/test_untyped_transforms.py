"""What jax.grad, jax.vmap and their like make of functions whose arguments have no types: transformations of the graph's own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError


def loss(w, x):
    return jnp.mean((x @ w) ** 2)


def of_helper(row):
    return jax.lax.cond(row[0] > 0, lambda: row.sum(), lambda: row[1] * 2)


gradient = jax.grad(loss)


def descent(x):
    w = x[0] * 1
    for _ in range(3):
        w = w - 0.1 * gradient(w, x)
    return w


def with_value(x):
    return jax.value_and_grad(lambda t: (t**3).sum())(x)


def several(x):
    return jax.grad(lambda a, b: (a * b).sum(), argnums=[0, 1])(x, x + 1)


def with_aux(x):
    def error(params, x):
        return jnp.mean((x @ params["w"] + params["b"]) ** 2), x.sum()

    params = {"w": x[0], "b": x[0, 0]}
    (value, aux), found = jax.value_and_grad(error, has_aux=True)(params, x)
    return value, aux, jax.tree.map(lambda p, g: p - 0.1 * g, params, found)


def scanned(x):
    return jax.lax.scan(lambda w, _: (w - 0.1 * jax.grad(loss)(w, x), loss(w, x)), x[0] * 0 + 1, None, length=3)


def batched(x):
    mean = x.mean()
    return jax.vmap(lambda row: row - mean)(x), jax.vmap(lambda r, s: r * s, in_axes=(-1, None), out_axes=1)(x, x[:, 0])


def of_items(x):
    return jax.vmap(lambda d: d["a"] + d["b"], in_axes=({"a": 0, "b": None},))({"a": x, "b": x[0]})


def nested(x):
    return jax.vmap(jax.grad(lambda r: jnp.sin(r).sum()))(x), jax.vmap(jax.vmap(lambda e: e**2))(x).sum()


def jacobians(x):
    return jax.jacfwd(lambda r: r**2)(x[0]), jax.jacrev(jnp.sin)(x[1]), jax.hessian(lambda r: (r**3).sum())(x[0])


def products(x):
    y, back = jax.vjp(jnp.sin, x)
    z, push = jax.linearize(lambda t: t**3, x)
    return jax.jvp(lambda t: t**2, (x,), (x + 1,)), y, back(x)[0], z, push(x)


def mapped(x):
    return jax.lax.map(lambda row: row * 2 + row.sum(), x)


def under_a_test(x):
    return jax.grad(lambda t: jnp.max(t**2))(x) if x.sum() > 0 else x


def with_tests(x):
    return jax.vmap(of_helper)(x), jax.vmap(lambda r: jax.lax.cond(r.sum() > 0, lambda: (r, 1.0), lambda: (-r, r[0])))(
        x
    )


def twice_tested(x):
    def each(row):
        inner = lambda: jax.lax.cond(row[1] > 0, lambda: row[0], lambda: row[1])
        return jax.lax.cond(row[0] > 0, inner, lambda: of_helper(row) + 1)

    return jax.vmap(each)(x)


FUNCTIONS = [
    descent, with_value, several, with_aux, scanned, batched, of_items, nested, jacobians, products, mapped, under_a_test,
    with_tests, twice_tested,
]  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda f: f.__name__)
def test_without_types(fn):
    program = gfx.symbolic_trace(fn, backend="jax")
    for x in (
        np.arange(6.0, dtype=np.float32).reshape(2, 3) - 2.5,
        np.array([[1.5, -1], [-1, 2], [-1, -3]], np.float32),
    ):
        want = jax.tree.leaves(fn(jnp.asarray(x)))
        for found in (program(jnp.asarray(x)), program.to("jax")(jnp.asarray(x)), program.to("torch")(torch.tensor(x))):
            for a, b in zip(jax.tree.leaves(found), want, strict=True):
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("fn", [batched, of_items, with_tests, twice_tested, mapped], ids=lambda f: f.__name__)
def test_numpy_takes_the_items_of_a_batch_in_turn(fn):
    source = gfx.symbolic_trace(fn, backend="jax").to("numpy")
    again = gfx.symbolic_trace(source, backend="numpy")
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3) - 2.5
    for found in (source(x), again(x)):
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(fn(jnp.asarray(x))), strict=True):
            np.testing.assert_allclose(a, np.asarray(b), rtol=2e-5, atol=1e-6)


def test_a_batch_without_items():
    source, x = gfx.symbolic_trace(with_tests, backend="jax").to("numpy"), np.zeros((0, 3), np.float32)
    for a, b in zip(jax.tree.leaves(source(x)), jax.tree.leaves(with_tests(jnp.asarray(x))), strict=True):
        assert a.shape == b.shape


def test_the_source_calls_them_too():
    source = gfx.transpile(descent, gfx.TensorSpec(None), to="jax").source
    assert "jax.grad(loss)(w, x)" in source


def test_a_loop_that_data_end_is_no_choice():
    def halved(x):
        return jax.vmap(lambda r: jax.lax.while_loop(lambda a: a.sum() > 1, lambda a: a / 2, r))(x)

    with pytest.raises(CaptureError, match="cannot batch '<lambda>' by vmap"):
        gfx.symbolic_trace(halved, backend="jax")


def test_a_test_of_pytorch_in_a_batch():
    def chosen(x):
        return torch.vmap(lambda r: torch.cond(r.sum() > 0, lambda r: r * 2, lambda r: -r, (r,)))(x)

    x = torch.tensor([[1.0, -3.0], [2.0, 1.0]])
    program = gfx.symbolic_trace(chosen, backend="torch")
    for found in (program(x), program.to("torch")(x), program.to("jax")(jnp.asarray(x.numpy()))):
        np.testing.assert_allclose(np.asarray(found), chosen(x).numpy())
