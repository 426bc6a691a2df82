"""jax.grad and jax.value_and_grad of captured code stay calls, of functions over trees as the author has them."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import gfx_trace as gfx

RNG = np.random.default_rng(0)
W, X = (jnp.asarray(RNG.standard_normal(shape), jnp.float32) for shape in ((3, 4), (5, 3)))
PARAMS = {"w": W, "b": jnp.ones(4), "out": [{"w": W.T}, {"w": W.T * 2}]}


def net(params, x):
    h = jnp.tanh(x @ params["w"] + params["b"])
    return h @ params["out"][0]["w"] * (h @ params["out"][1]["w"])


def loss(params, x):
    found = net(params, x)
    return jnp.mean(found**2), {"found": found, "x": x, "many": 3, "named": "loss"}


def step(params, x):
    (value, beside), grads = jax.value_and_grad(loss, has_aux=True)(params, x)
    params = jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
    return params, value, beside["found"] * beside["many"], beside["x"]


class Held(NamedTuple):
    w: jax.Array
    b: jax.Array


def squares(w, x):
    return jnp.sum(jnp.tanh(x @ w) ** 2)


def trained(w, x):
    def one(w, row):
        value, slope = jax.value_and_grad(squares)(w, row)
        return w - 0.01 * slope, value

    return lax.scan(one, w, x)


def descended(w, x):
    slope = jax.grad(lambda w: squares(w, x))
    ends = lambda s: (s[1] < 5) & (jnp.sum(slope(s[0]) ** 2) > 1e-3)
    return lax.while_loop(ends, lambda s: (s[0] - 0.3 * slope(s[0]), s[1] + 1), (w, 0))


def adapted(w, x):
    def outer(w):
        slope = jax.grad(squares)(w, x)
        return squares(w - 0.1 * slope, x), slope

    return jax.value_and_grad(outer, has_aux=True)(w)


def branching(w, x):
    def inner(w):
        if w.sum() > 0:
            return (w**2).sum()
        return jnp.sin(w).sum()

    return jax.grad(inner)(w), lax.cond(x.sum() > 0, jax.grad(jnp.sum), jax.grad(lambda w: jnp.sum(w**2)), w)


def kinks(w, x):
    def inner(z):
        ends = jax.nn.relu(z) + jax.nn.leaky_relu(z) + jax.nn.relu6(z) + jnp.maximum(z, 2 * z) + jnp.sign(z)
        return jnp.sum(ends) + jnp.max(z) + jnp.sort(z)[0] + jnp.prod(z + 1)

    return jax.grad(inner)(jnp.zeros(3) + 0 * x[0])


def descending(w, x):
    values = []
    for i in range(3):
        value, slope = jax.value_and_grad(lambda w: squares(w, x) * (i + 1))(w)
        w = w - 0.1 * slope
        values.append(value)
    return w, jnp.stack(values)


KEPT = {
    "values alone": lambda w, x: jax.value_and_grad(squares)(w, x)[0],
    "both arguments": lambda w, x: jax.value_and_grad(squares, argnums=(0, 1))(w, x),
    "the last argument": lambda w, x: jax.grad(squares, argnums=-1)(w, x),
    "by keyword": lambda w, x: jax.grad(lambda w, *, x, times=1.0: squares(w, x) * times)(w, x=x, times=2.0),
    "what is beside": lambda w, x: jax.grad(lambda w: (squares(w, x), (x.sum(0), w)), has_aux=True)(w),
    "named fields": lambda w, x: jax.grad(lambda s: squares(s.w, x) + s.b.sum())(Held(w, w[0])),
    "unread": lambda w, x: jax.grad(lambda p: squares(p["w"], x))({"w": w, "unread": w[0]}),
    "one at two places": lambda w, x: jax.grad(lambda a, b: jnp.sum((x @ a) * jnp.sin(x @ b)), argnums=(0, 1))(w, w),
    "a second derivative": lambda w, x: jax.grad(lambda w: jnp.sum(jax.grad(squares)(w, x) ** 2))(w),
    "compiled around": lambda w, x: jax.jit(jax.value_and_grad(squares))(w, x),
    "compiled within": lambda w, x: jax.value_and_grad(jax.jit(squares))(w, x),
    "bound before": lambda w, x: jax.grad(partial(lambda times, w, x: squares(w, x) * times, 2.0))(w, x),
    "of a batch": lambda w, x: jax.grad(lambda w: jnp.mean(jax.vmap(squares, (None, 0))(w, x)))(w),
    "of a scan": lambda w, x: jax.grad(lambda w: lax.scan(lambda c, r: (jnp.tanh(c + r @ w), None), w[0], x)[0].sum())(
        w
    ),
    "stopped": lambda w, x: jax.grad(lambda w: jnp.sum(lax.stop_gradient(w) * w**2))(w),
    "written": lambda w, x: jax.grad(lambda v: jnp.sum(v.at[0].set(0.0).at[1].add(v[2]) ** 2))(w),
    "an open number": lambda w, x: jax.grad(lambda w, n: squares(w, x) * n)(w, x.shape[0]),
    **{f.__name__: f for f in (trained, descended, adapted, branching, kinks, descending)},
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_stay_calls_and_compute_what_jax_does(name, compiled):
    function = KEPT[name]
    want = jax.tree.leaves(function(W, X))
    program = gfx.symbolic_trace(jax.jit(function) if compiled else function, W, X)
    for target, make in (("torch", torch.tensor), ("jax", jnp.asarray)):
        assert "grad(" in program.source(target) or "grad_and_value(" in program.source(target)
        found = jax.tree.leaves(program.to(target)(*(make(np.asarray(x)) for x in (W, X))))
        for a, b in zip(found, want, strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-4, atol=1e-5)


def test_a_training_step_reads_as_its_author_wrote_it():
    for function in (step, jax.jit(step)):
        program = gfx.symbolic_trace(function, PARAMS, X)
        source = program.source("torch")
        assert "grads, (value, h) = torch.func.grad_and_value(loss, has_aux=True)(params, x)" in source
        assert "def loss(params, x):" in source and "def net(params, x):" in source
        assert '"w": params["w"] - 0.1 * grads["w"]' in source
        assert "(value, h), grads = jax.value_and_grad(loss, has_aux=True)(params, x)" in program.source("jax")
        made = program.to("torch")(
            jax.tree.map(lambda x: torch.tensor(np.asarray(x)), PARAMS), torch.tensor(np.asarray(X))
        )
        for a, b in zip(jax.tree.leaves(made), jax.tree.leaves(step(PARAMS, X)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_a_tree_that_holds_more_than_is_derived_is_not_handed_on_whole():
    def f(state, x):
        return jax.grad(lambda w, b: squares(w, x) + jnp.sum(b * state["step"]), argnums=(0, 1))(state["w"], state["b"])

    state = {"w": W, "b": W[0], "step": jnp.int32(3)}
    made = gfx.transpile(f, state, X, to="torch")
    found = made(jax.tree.map(lambda x: torch.tensor(np.asarray(x)), state), torch.tensor(np.asarray(X)))
    for a, b in zip(found, f(state, X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4)


@jax.custom_vjp
def clipped(x):
    return jnp.sin(x)


clipped.defvjp(lambda x: (jnp.sin(x), jnp.cos(x)), lambda kept, g: (jnp.clip(g * kept, -0.5, 0.5),))


@jax.custom_jvp
def steeper(x):
    return jnp.exp(x)


steeper.defjvp(lambda primals, tangents: (jnp.exp(*primals), 2 * tangents[0] * jnp.exp(*primals)))


@pytest.mark.parametrize("own", [clipped, steeper])
@pytest.mark.parametrize("compiled", [False, True])
def test_what_brings_its_own_derivative_is_derived_as_jax_does_twice_too(own, compiled):
    slope = lambda w, x: jax.grad(lambda w: jnp.sum(own(x @ w) ** 2))(w)
    for f in (slope, lambda w, x: jax.grad(lambda w: jnp.sum(slope(w, x) ** 2))(w)):
        program = gfx.symbolic_trace(jax.jit(f) if compiled else f, W, X)
        for target, make in (("torch", torch.tensor), ("jax", jnp.asarray)):
            found = program.to(target)(*(make(np.asarray(x)) for x in (W, X)))
            np.testing.assert_allclose(np.asarray(found), f(W, X), rtol=1e-4, atol=1e-5)
        if not compiled:  # without types it is JAX's alone
            program = gfx.symbolic_trace(f, backend="jax")
            np.testing.assert_allclose(program.to("jax")(W, X), f(W, X), rtol=1e-4, atol=1e-5)


def test_at_edges_a_gradient_is_that_of_the_target_or_computed_as_jax_does():
    slope = lambda z: jax.grad(lambda z: jnp.sum(jnp.abs(z)) + 10 * jnp.sum(jnp.maximum(z, 0)))(z)
    z = jnp.zeros(2)
    kept, computed = (gfx.transpile(slope, z, to="torch", derive=derive) for derive in (False, True))
    assert any("derive=True" in note for note in kept.program.notes) and not computed.program.notes
    np.testing.assert_array_equal(computed(torch.zeros(2)), slope(z))
    np.testing.assert_array_equal(kept(torch.zeros(2)), [10.0, 10.0])


def test_numpy_source_has_what_jax_computes():
    made = gfx.transpile(lambda w, x: jax.value_and_grad(squares)(w, x), W, X, to="numpy")
    for a, b in zip(made(np.asarray(W), np.asarray(X)), jax.value_and_grad(squares)(W, X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    with pytest.raises(gfx.GfxError, match="derive=True"):
        gfx.symbolic_trace(lambda w, x: jax.grad(squares)(w, x), W, X).source("numpy")


def test_a_long_call_of_a_derivative_is_broken_within_both_pairs_of_brackets():
    names = [f"weight_of_layer_{at}" for at in range(4)]

    def f(model, x):
        given = [model[name] for name in names]
        beside = lambda *w: (sum(squares(w, x) for w in w), tuple(jnp.sum(w) for w in w))
        return jax.value_and_grad(beside, argnums=(0, 1, 2, 3), has_aux=True)(*given)

    source = gfx.symbolic_trace(f, {name: W for name in (*names, "unread")}, X).source("torch")
    assert max(map(len, source.splitlines())) <= 110


def magnitude(z):
    return jnp.sum(jnp.abs(z * (1 + 2j)) ** 2) + jnp.sum(z.real * 3) + jnp.sum(z.imag)


@pytest.mark.parametrize("derive", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_gradient_by_complex_numbers_is_the_one_of_the_authors_framework(derive, compiled):
    z = jnp.asarray([1 + 2j, 3 - 1j], jnp.complex64)
    slope = lambda z: jax.grad(magnitude)(z)
    program = gfx.symbolic_trace(jax.jit(slope) if compiled else slope, z, derive=derive)
    for target, make in (("torch", torch.tensor), ("jax", jnp.asarray)):
        found = program.to(target)(make(np.asarray(z)))
        found = found.resolve_conj() if target == "torch" else found
        np.testing.assert_allclose(np.asarray(found), slope(z), rtol=1e-5)
    np.testing.assert_allclose(program(z), slope(z), rtol=1e-5)


def test_that_of_pytorch_is_kept_in_jax():
    z = torch.tensor([1 + 2j, 3 - 1j])
    magnitude = lambda z: (torch.abs(z * (1 + 2j)) ** 2).sum() + z.real.sum() * 3 + z.imag.sum()

    def taped(z):
        z = z.detach().requires_grad_(True)
        return torch.autograd.grad(magnitude(z), z)[0]

    for slope in (taped, lambda z: torch.func.grad(magnitude)(z)):
        program = gfx.symbolic_trace(slope, z)
        np.testing.assert_allclose(program.to("jax")(jnp.asarray(z.numpy())), slope(z), rtol=1e-5)
        np.testing.assert_allclose(program(jnp.asarray(z.numpy())), slope(z), rtol=1e-5)


def test_numbers_that_are_derived_by_give_way_to_dtypes_of_arrays():
    x = jnp.full(3, 1.01, jnp.bfloat16)
    slope = lambda x: jax.grad(lambda t: jnp.sum((x * t * 1.37).astype(jnp.float32)))(2.0)
    for f in (slope, jax.jit(slope)):
        np.testing.assert_array_equal(gfx.transpile(f, x, to="jax")(x), slope(x))
