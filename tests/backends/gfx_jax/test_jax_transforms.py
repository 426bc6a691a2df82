"""JAX's functions of functions: those that compute what they are given are captured as such."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax
from jax.example_libraries import optimizers

import gfx_trace as gfx
from gfx_ir.errors import BackendError, MissingOp, UnsupportedConstruct
from gfx_ir.loading import backend
from sweeps import one_in

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


IMAGE = jnp.asarray(np.random.default_rng(2).standard_normal((2, 3, 6, 6)), jnp.float32)
KERNEL = jnp.asarray(np.random.default_rng(3).standard_normal((4, 3, 3, 3)), jnp.float32)
ROWS = jnp.array([0, 2, 2, 1])


def pooled(x, start, combine):
    return lax.reduce_window(x, start, combine, (1, 1, 2, 2), (1, 1, 2, 2), "SAME")


def convolved(kernel, image):
    return lax.conv_general_dilated(image, kernel, (2, 2), "SAME")


def doubled_until(row):
    return lax.while_loop(lambda s: s[0].sum() < 10, lambda s: (s[0] * 2 + 1, s[1] + 1), (row, 0))


def newton(f, x):
    return lax.fori_loop(0, 8, lambda _, x: x - f(x) / (3 * x**2), x)


def cube_root(a):
    return lax.custom_root(lambda x: x**3 - a, jnp.ones_like(a), newton, lambda g, y: y / g(jnp.ones_like(y)))


START, ADAM, BEST = optimizers.adam(0.1)
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
    "extrema of windows": lambda w, x: jax.grad(lambda v: pooled(v, -jnp.inf, lax.max).sum())(IMAGE),
    "sums of windows": lambda w, x: jax.grad(lambda v: (pooled(v, 0.0, lax.add) ** 2).sum())(IMAGE),
    "convolution": lambda w, x: jax.grad(lambda k, v: (convolved(k, v) ** 2).sum(), argnums=(0, 1))(KERNEL, IMAGE),
    "sorted": lambda w, x: jax.grad(lambda v: jnp.sort(v, -1)[..., 0].sum())(x),
    "rows": lambda w, x: jax.grad(lambda v: (v[ROWS] ** 2).sum() + v[1, 2] + v[:, ROWS].sum())(w),
    "written in a batch": lambda w, x: jax.vmap(lambda v: v.at[0].multiply(2.0).at[1].max(0.5).at[2].min(-0.5))(x),
    "rows of a batch": lambda w, x: jax.vmap(lambda v, i: v[i])(x, jnp.array([0, 1, 2, 0, -1])),
    "solved": lambda w, x: jax.grad(lambda v: jnp.linalg.solve(v, v[0]).sum() + jnp.linalg.inv(v)[0, 1])(x[:3]),
    "solved in a batch": lambda w, x: jax.vmap(lambda v: jnp.linalg.solve(v, v))(jnp.stack([x[:3], x[1:4]])),
    "determinant": lambda w, x: jax.grad(lambda v: jnp.linalg.slogdet(v)[1])(x[:3]),
    "while of a batch": lambda w, x: jax.vmap(doubled_until)(jnp.abs(x)),
    "test of a batch": lambda w, x: jax.vmap(lambda v: lax.cond(v.sum() > 0, lambda: v, lambda: -v))(x),
    "written": lambda w, x: jax.vmap(lambda v, i: v.at[i].set(3.0))(x, jnp.array([0, 1, 2, 0, 1])),
    "reduced": lambda w, x: lax.reduce(x, 2.0, lambda a, b: a * 2 + b, (1,)),
    "a root by a solver of the code": lambda w, x: jax.grad(cube_root)(x[0, 0] ** 2 + 1),
    "an optimizer of jax.example_libraries": lambda w, x: BEST(ADAM(0, jnp.tanh(w), START(w))),
    "map": lambda w, x: lax.map(lambda row: row @ w, x),
    "associative scan": lambda w, x: lax.associative_scan(jnp.add, x),
    "of a whole number, too": lambda w, x: jax.vjp(lambda n, x: (x * 2 + n) @ w, 3, x)[1](x @ w)[1],
    "vectorize": lambda w, x: jnp.vectorize(lambda a: a * 2)(x) @ w,
}


@pytest.mark.parametrize("name", one_in(3, TRANSFORMED))
def test_transformed_functions_are_computed_alike(name):
    function = TRANSFORMED[name]
    want = jax.tree.leaves(function(W, X))
    computed = gfx.symbolic_trace(function, W, X, derive=True)
    for program, target in ((computed, "numpy"), (gfx.symbolic_trace(function, W, X), "torch"), (computed, "jax")):
        made = program.to(target)
        arrays = [backend(target).from_host(np.array(x)) for x in (W, X)]
        for a, b in zip(want, jax.tree.leaves(made(*arrays)), strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-5, atol=1e-5)


FRACTIONS = np.linspace(0.5, 2.0, 6).reshape(3, 2)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x @ FRACTIONS,
        lambda x: jnp.asarray(FRACTIONS)[0] * x[:, :2],
        lambda x: x * np.linspace(0, 1, 3),
        lambda x: jax.vmap(lambda row: row @ FRACTIONS)(x),
        lambda x: jax.grad(lambda w: jnp.tanh(x @ w).sum())(FRACTIONS),
    ],
)
def test_arrays_of_numpy_are_what_jax_makes_of_them(f):
    made, want = gfx.transpile(f, X, to="torch")(torch.tensor(np.asarray(X))), f(X)
    assert made.dtype == torch.float32
    np.testing.assert_allclose(made, want, rtol=1e-5, atol=1e-6)


def test_a_gradient_reads_as_one_writes_it():
    program = gfx.symbolic_trace(lambda w, x: jax.grad(loss)(w, x), W, X, derive=True)
    assert "return x.T @ jnp.where(h > 0.0, 0.05 * (2.0 * jax.nn.relu(h)), 0.0)" in program.source("jax")


def appending(w, x):
    kept = []

    def inner(v):
        kept.append(v)
        return v.sum()

    return jax.grad(inner)(w), kept


def branching(v):
    if v > 4:
        v = v / 2
    if v > 0:
        return v**2
    return -v


@pytest.mark.parametrize("x", [2.0, -3.0, 10.0])
def test_functions_from_outside_may_branch_on_data(x):
    fn = lambda x: (jax.grad(branching)(x), jax.value_and_grad(branching)(x * 2))
    program = gfx.symbolic_trace(fn, jnp.float32(1))
    wanted = jax.tree.leaves(fn(jnp.float32(x)))
    for call in (program, jax.jit(program.module("jax").load())):
        np.testing.assert_allclose(jax.tree.leaves(call(jnp.float32(x))), wanted, 1e-6)


@jax.custom_jvp
def steeper(x, times):
    return jnp.sum(jnp.sin(x)) * times


@steeper.defjvp
def steeper_jvp(primals, tangents):
    (x, times), (x_dot, _) = primals, tangents
    return steeper(x, times), jnp.sum(7 * jnp.cos(x) * x_dot) * times


@pytest.mark.parametrize("fn", [jax.vmap(clipped_backwards), lambda x: jax.vmap(steeper, (0, None))(x, 2)])
def test_in_a_batch_a_derivative_of_its_own_is_kept(fn):
    program, want = gfx.symbolic_trace(fn, X), jax.grad(lambda x: jnp.sum(fn(x)))(X)
    np.testing.assert_allclose(jax.grad(lambda x: jnp.sum(program.to("jax")(x)))(X), want, rtol=1e-5)
    x = torch.tensor(np.asarray(X), requires_grad=True)
    program.to("torch")(x).sum().backward()
    np.testing.assert_allclose(x.grad, want, rtol=1e-5)


def masked(key, x):
    return jax.vmap(lambda k, row: jnp.where(jax.random.bernoulli(k, 0.5, row.shape), row, 0.0))(
        jax.random.split(key, 5), x
    )


def perturbed(key, x):
    def one(k, row):
        k, own = jax.random.split(k)
        low = jax.random.uniform(own, (2,), minval=row[0], maxval=row[0] + 1)
        at = jax.random.randint(jax.random.fold_in(own, 3), (), 0, 3)
        return k, low, row[at], jax.random.permutation(k, 4)

    keys, *found = jax.vmap(one)(jax.random.split(key, 5), x)
    return (*found, jax.vmap(lambda i: jax.random.normal(jax.random.fold_in(keys[1], i)))(jnp.arange(3)))


@pytest.mark.parametrize("fn", [masked, perturbed])
def test_a_batch_draws_with_a_key_of_its_own_for_each_item(fn):
    program, key = gfx.symbolic_trace(fn, jax.random.key(1), X), jax.random.key(2)
    want = jax.tree.leaves(fn(key, X))
    for a, b in zip(want, jax.tree.leaves(program.to("jax")(key, X)), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-6)
    made = program.to("torch")(torch.Generator(), torch.tensor(np.asarray(X)))
    assert [tuple(x.shape) for x in (made if isinstance(made, tuple) else (made,))] == [x.shape for x in want]


def test_a_batch_whose_draws_take_what_may_be_of_each_item_is_refused():
    def fn(key, low):
        return jax.vmap(lambda k: jax.random.uniform(k, (3,), minval=low))(jax.random.split(key, 3))

    with pytest.raises(MissingOp, match="not plain what each item takes"):
        gfx.symbolic_trace(fn, jax.random.key(0), X[0])


REFUSED = {
    "types": (lambda x: jnp.vectorize(jnp.sum, signature="(n)->()")(x), (), UnsupportedConstruct, "TensorSpec"),
    "written": (appending, (W, X), UnsupportedConstruct, "has_aux"),
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


def test_what_jax_derives_without_types_is_refused_with_what_to_give():
    def summed(x):
        return jnp.vectorize(lambda v: v.sum(), signature="(n)->()")(x)

    with pytest.raises(
        UnsupportedConstruct, match=r"what jax.grad, .* of '<lambda>': the type of 'x' .*\s.*\s.*TensorSpec"
    ):
        gfx.symbolic_trace(summed)
    with pytest.raises(BackendError, match=r"no dtype for a JAX array of key<fry>\s.*jax.random.PRNGKey"):
        gfx.symbolic_trace(lambda key: jax.random.normal(key), jax.random.split(jax.random.key(0)))


class Model:
    """A model as libraries of JAX have them: it asks JAX for the shapes of its params when it runs."""

    def apply(self, variables, x):
        made = jax.eval_shape(lambda: jax.nn.initializers.lecun_normal()(jax.random.key(0), (x.shape[-1], 2)))
        assert made.shape == variables["kernel"].shape
        return x @ variables["kernel"] + variables["bias"]


def test_a_model_of_a_library_is_taken_apart_by_jax():
    model, x = Model(), jnp.arange(6.0).reshape(2, 3)
    variables = {"kernel": jnp.arange(6.0).reshape(3, 2) * 0.1, "bias": jnp.ones(2)}
    mapped = jax.vmap(model.apply, in_axes=None, out_axes=None, axis_size=1)
    for target in (model.apply, mapped):
        result = gfx.transpile(partial(target, variables), x, to="torch")
        np.testing.assert_allclose(result(torch.from_numpy(np.array(x))), model.apply(variables, x), rtol=1e-6)
        assert sorted(result.params) == ["bias", "kernel"]


def test_a_derivative_through_a_step_that_derives():
    def loss(p, x):
        return jnp.mean((jnp.tanh(x @ p) - 1) ** 2)

    def meta(p, x):
        return jax.grad(lambda p: loss(p - 0.1 * jax.grad(loss)(p, x), x))(p)

    p, x = jnp.ones((4, 2)), jnp.linspace(-1.0, 1.0, 12).reshape(3, 4)
    found = gfx.transpile(meta, p, x, to="torch")(torch.ones(4, 2), torch.from_numpy(np.array(x)))
    np.testing.assert_allclose(found, meta(p, x), rtol=1e-5)


def affine(w, b, row):
    return jax.nn.relu(w @ row + b)


@pytest.mark.parametrize(
    "fn",
    [
        lambda w, b, x: jax.vmap(partial(affine, w, b))(x),
        lambda w, b, x: jax.vmap(jax.grad(lambda r, w, b: jnp.sum(affine(w, b, r) ** 2)), (0, None, None))(x, w, b),
        lambda w, b, x: jax.jvp(lambda w: jax.vmap(partial(affine, w, b))(x), (w,), (w,)),
    ],
)
def test_what_a_batch_has_once_meets_each_of_its_items(fn):
    args = jnp.linspace(-1, 1, 48).reshape(8, 6), jnp.arange(8.0), jnp.linspace(0, 1, 24).reshape(4, 6)
    made = gfx.transpile(fn, *args, to="torch")
    for a, b in zip(jax.tree.leaves(fn(*args)), jax.tree.leaves(made(*(torch.tensor(np.asarray(x)) for x in args)))):
        np.testing.assert_allclose(b, a, rtol=1e-5)
