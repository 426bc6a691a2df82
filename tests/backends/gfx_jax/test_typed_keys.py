"""A key of `jax.random.key` as an argument: it has no dtype, and is drawn from as the numbers of `PRNGKey` are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GfxError, GuardError

X, KEY = jnp.ones(4), jax.random.key(1)


def split(key, x):
    k1, k2 = jax.random.split(key)
    return x + jax.random.normal(k1, x.shape) * jax.random.bernoulli(k2, 0.5, x.shape)


def carried(key, x):
    def step(c, z):
        k, s = c
        k, sub = jax.random.split(k)
        return (k, s + jax.random.normal(sub) * z), s

    return jax.lax.scan(step, (key, 0.0), x)[0][1]


def folded(key, x):
    return x + jax.random.uniform(jax.random.fold_in(key, 3), x.shape)


def cloned(key, x):
    return jax.vmap(lambda x: x + jax.random.normal(jax.random.clone(key)))(x)


@pytest.mark.parametrize("f", [split, carried, folded, cloned])
def test_draws(f):
    result = gfx.transpile(f, KEY, X, to="jax", backend="jax")
    for key in (KEY, jax.random.key(2)):
        want = f(key, X)
        for got in (result(key, X), result.program(key, X), jax.jit(result.fn)(key, X)):
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5)

    with pytest.raises(GuardError, match="key"):
        result(jnp.ones(2), X)


def test_it_is_a_generator_of_pytorch():
    result = gfx.transpile(split, KEY, X, to="torch")
    draw = lambda: result(torch.Generator().manual_seed(0), torch.ones(4))
    assert draw().equal(draw())


def test_in_a_tree_of_parameters():
    tree = {"w": jnp.ones((4, 3)), "key": KEY}
    f = lambda p, x: x @ p["w"] + jax.random.normal(p["key"], (3,))
    np.testing.assert_allclose(gfx.symbolic_trace(f, tree, X)(tree, X), f(tree, X), rtol=1e-5)


def closed_over(key, x):
    return jax.grad(lambda w: jnp.sum(w * jax.random.normal(key, x.shape)))(x)


def dropped(key, x):
    def loss(w, key):
        k1, k2, k3 = jax.random.split(key, 3)
        h = jnp.where(jax.random.bernoulli(k1, 0.8, w.shape), w / 0.8, 0) + jax.random.uniform(k2, w.shape, minval=-1.0)
        return jnp.sum(h**2) + jnp.sum(h * jax.random.randint(jax.random.fold_in(k3, 7), w.shape, 0, 5))

    return jax.value_and_grad(loss)(x, key)


def handed_back(key, x):
    def loss(w, key):
        key, sub = jax.random.split(key)
        return jnp.sum(w * jax.random.normal(sub, w.shape)), key

    g, key = jax.grad(loss, has_aux=True)(x, key)
    return g + jax.random.normal(key, x.shape)


def one_for_all(key, x):
    return jax.vmap(lambda v, k: v * jax.random.normal(k, (3,)), in_axes=(0, None))(x, key)


def made_inside(key, x):
    return jax.grad(lambda w: jnp.sum(w * jax.random.normal(jax.random.key(3), w.shape)))(x)


def over_keys(key, x):
    def step(total, item):
        k, row = item
        return total + row * jax.random.normal(k), row

    return jax.lax.scan(step, 0.0, (jax.random.split(key, 4), x)), jax.lax.scan(
        step, 1.0, (jax.random.split(key, 4), x), reverse=True
    )


def over_keys_in_a_derivative(key, x):
    def loss(w):
        return jax.lax.scan(
            lambda c, k: (c + jnp.sum(w * jax.random.normal(k, w.shape)), None), 0.0, jax.random.split(key, 3)
        )[0]

    return jax.grad(loss)(x)


@pytest.mark.parametrize("key", [KEY, jax.random.PRNGKey(1)], ids=["typed", "words"])
@pytest.mark.parametrize(
    "f", [closed_over, dropped, handed_back, one_for_all, made_inside, over_keys, over_keys_in_a_derivative]
)
def test_draws_in_what_jax_transforms(f, key):
    for derive in (False, True):
        result = gfx.transpile(f, key, X, to="jax", derive=derive)
        for got, want in zip(jax.tree.leaves(result(key, X)), jax.tree.leaves(f(key, X))):
            np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5)
        made = result.program.to("torch")(torch.Generator(), torch.tensor(np.asarray(X)))
        assert [x.shape for x in jax.tree.leaves(made)] == [x.shape for x in jax.tree.leaves(f(key, X))]


def test_a_batch_draws_with_a_key_for_each_item():
    draw = lambda key, x: jax.vmap(lambda k: jax.random.normal(k, (3,)))(jax.random.split(key, 4))
    result = gfx.transpile(draw, KEY, X, to="jax")
    np.testing.assert_allclose(np.asarray(result(KEY, X)), np.asarray(draw(KEY, X)), rtol=1e-6)


def test_draws_of_which_a_batch_does_not_tell_are_refused():
    chances = lambda key, x: jax.vmap(lambda p: jax.random.bernoulli(key, p))(jax.nn.sigmoid(x))
    with pytest.raises(GfxError, match="draws that JAX makes for each item of a batch"):
        gfx.symbolic_trace(chances, KEY, X)
    with pytest.raises(CaptureError, match="several keys of random numbers: 'reshape'"):
        gfx.symbolic_trace(lambda key, x: jax.random.split(key, 4).reshape(2, 2), KEY, X)


def test_several_keys_are_refused():
    with pytest.raises(GfxError, match="no dtype for a JAX array of key"):
        gfx.symbolic_trace(split, jax.random.split(KEY, 4), X)


WORDS = jax.random.split(jax.random.PRNGKey(3))[1]


def held(x):
    return x + jax.random.normal(KEY, x.shape)


def held_words(x):
    a, b = jax.random.split(WORDS)
    return x + jax.random.normal(a, x.shape) * jax.random.uniform(b, x.shape)


def held_in_a_loop(x):
    return jax.lax.scan(lambda c, at: (c + jax.random.normal(jax.random.fold_in(WORDS, at)), c), x.sum(), jnp.arange(3))


@pytest.mark.parametrize("f", [held, held_words, held_in_a_loop])
def test_a_key_that_the_code_holds_is_made_of_its_seed_in_every_target(f):
    got = gfx.transpile(f, X, to="jax")(X)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), got, f(X))
    for target, x in (("torch", torch.ones(4)), ("numpy", np.ones(4, np.float32))):
        made = gfx.transpile(f, X, to=target)
        for a, b in zip(jax.tree.leaves(made(x)), jax.tree.leaves(made(x))):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def counted(x, n):
    return x + jax.random.normal(jax.random.fold_in(KEY, n), x.shape)


def counted_in_a_loop(x, n):
    return jax.lax.scan(lambda c, at: (c + jax.random.normal(jax.random.fold_in(WORDS, at + n), x.shape), None), x, X)[
        0
    ]


@pytest.mark.parametrize("f", [counted, counted_in_a_loop])
def test_what_is_folded_into_a_key_that_the_code_holds_makes_other_draws(f):
    one, two = jnp.asarray(1), jnp.asarray(2)
    got = gfx.transpile(f, X, one, to="jax")
    np.testing.assert_allclose(got(X, two), f(X, two), rtol=1e-5)
    made = gfx.transpile(f, X, one, to="torch")
    first, again, other = (made(torch.ones(4), torch.tensor(n, dtype=torch.int32)) for n in (1, 1, 2))
    assert first.equal(again) and not first.equal(other)


@jax.tree_util.register_pytree_node_class
class Noisy:
    """A layer that keeps the key of its noise, and counts its calls."""

    def __init__(self, weight, key, count):
        self.weight, self.key, self.count = weight, key, count

    def __call__(self, x):
        key = jax.random.fold_in(self.key, self.count)
        self.count = self.count + 1
        return x @ self.weight + jax.random.normal(key, (2,))

    def tree_flatten(self):
        return (self.weight, self.key, self.count), None

    @classmethod
    def tree_unflatten(cls, _, held):
        return cls(*held)


def test_a_model_that_holds_a_key_and_counts_draws_anew_in_each_call():
    layer = lambda: Noisy(jnp.ones((4, 2)), KEY, jnp.asarray(0, jnp.uint32))
    reference, made, program = layer(), layer(), gfx.transpile(layer(), X, to="jax")
    for _ in range(3):
        np.testing.assert_allclose(program(X), reference(X), rtol=1e-5)
    module = gfx.transpile(made, X, to="torch").module()
    assert len(list(module.parameters())) == 1
    first, second = module(torch.ones(4)), module(torch.ones(4))
    assert not first.equal(second)


def test_a_key_is_no_generator_of_pytorch():
    with pytest.raises(gfx.GfxError, match="draws random numbers from what torch has"):
        gfx.transpile(split, KEY, X, to="torch")(KEY, torch.ones(4))
