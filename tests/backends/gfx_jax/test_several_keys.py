"""An array of keys that `jax.random.split` makes: loops and batches over it stay loops, for any number of keys."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax, random

import gfx_trace as gfx
from gfx_ir.errors import GfxError

KEY = random.key(3)
X = jnp.array([0.5, -1.0, 2.0, 0.3])


def walk(key, x):
    def step(x, k):
        k1, k2 = random.split(k)
        moved = x + 0.1 * random.normal(k1, x.shape)
        return jnp.where(jnp.log(random.uniform(k2)) < jnp.sum(x**2) - jnp.sum(moved**2), moved, x), x[0]

    return lax.scan(step, x, random.split(key, 100))


def filtered(key, ys):
    def step(c, item):
        k, y = item
        return 0.9 * c + random.normal(k) * y, c

    return lax.scan(step, 0.0, (random.split(key, ys.shape[0]), ys))


def batch(key, x):
    def one(k, v):
        k1, k2 = random.split(k)
        ks = random.split(k1, 3)
        return v + random.normal(k2, (2,)).sum() + random.uniform(ks[1]) + random.bernoulli(ks[2], jax.nn.sigmoid(v))

    return jax.vmap(one)(random.split(key, 4), x[:4])


def drawn(key, x):
    return jax.vmap(lambda k, v: random.normal(k) * v)(random.split(key, x.shape[0]), x)


def grid(key, x):
    step = lambda c, ks: (c + jax.vmap(random.normal)(ks).sum(), c)
    return lax.scan(step, x.sum(), random.split(key, (3, 2)))


def parts(key, x):
    ks, step = random.split(key, 5), lambda c, k: (c * 0.5 + random.normal(k), c)
    return lax.scan(step, 0.0, ks[1:])[1], lax.scan(step, 0.0, ks[::2], reverse=True)[1], random.normal(ks[0])


def of_numbers(key, x):
    folded = jax.vmap(lambda i: random.fold_in(key, i))(jnp.arange(x.shape[0]) * 3)
    made = jax.vmap(lambda s: random.normal(random.key(s), (2,)))(jnp.arange(x.shape[0]))
    return jax.vmap(lambda k, v: random.normal(k) * v)(folded, x), made


def both(key, x):
    return jax.vmap(lambda k, n: random.normal(random.fold_in(k, n)))(random.split(key, 4), jnp.arange(4) * 7)


def chains(key, x):
    one = lambda k: lax.scan(lambda c, kk: (c + random.normal(kk), c), 0.0, random.split(k, 3))[1]
    return jax.vmap(one)(random.split(key, 2))


def handed_back(key, x):
    pairs = jax.vmap(random.split)(random.split(key, 3))
    return [random.normal(a) + random.uniform(b) for a, b in pairs]


@pytest.mark.parametrize("key", [KEY, random.PRNGKey(3)], ids=["typed", "words"])
@pytest.mark.parametrize(
    "f", [walk, filtered, batch, drawn, grid, parts, of_numbers, both, chains, handed_back], ids=lambda f: f.__name__
)
def test_draws(f, key):
    program = gfx.symbolic_trace(f, key, X)
    for made in (program, gfx.transpile(program, to="jax")):
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), made(key, X), f(key, X))
    drawn = gfx.transpile(program, to="torch")(torch.Generator().manual_seed(0), torch.tensor(np.asarray(X)))
    assert [tuple(np.shape(x)) for x in jax.tree.leaves(drawn)] == [x.shape for x in jax.tree.leaves(f(key, X))]


@pytest.mark.parametrize("f", [filtered, drawn, of_numbers], ids=lambda f: f.__name__)
def test_of_an_open_number(f):
    made = gfx.transpile(f, KEY, X, to="jax", dynamic=True)
    more = jnp.concatenate([X, X, X])
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), made(KEY, more), f(KEY, more))


def test_source_does_not_grow_with_the_number_of_keys():
    assert len(gfx.symbolic_trace(walk, KEY, X).source("torch").splitlines()) < 25
    assert "lax.scan" in gfx.symbolic_trace(walk, KEY, X).source("jax")


DRAWS = {
    "normal": lambda k, w: random.normal(k, w.shape),
    "uniform": lambda k, w: random.uniform(k, w.shape, minval=1.0, maxval=3.0),
    "bernoulli": lambda k, w: random.bernoulli(k, 0.3, w.shape),
    "truncated": lambda k, w: random.truncated_normal(k, -1.0, 2.0, w.shape),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_draws_in_the_derivative_of_a_loop(draw):
    """JAX computes the bounds of the draws before the loop, and gives the rest of the draw what it makes of them."""

    def over_keys(key, x):
        step = lambda w: lambda c, k: (c + jnp.sum(w * draw(k, w)), None)
        return jax.grad(lambda w: lax.scan(step(w), 0.0, random.split(key, 3))[0])(x)

    def carried(key, x):
        def loss(w):
            def step(c, z):
                k, q = random.split(c[0])
                return (k, c[1] + jnp.sum(w * draw(q, w)) * z), None

            return lax.scan(step, (key, 0.0), jnp.arange(3.0))[0][1]

        return jax.grad(loss)(x)

    for f in (over_keys, carried):
        np.testing.assert_allclose(gfx.transpile(f, KEY, X, to="jax")(KEY, X), f(KEY, X), rtol=1e-5)


def test_draws_of_which_a_derivative_leaves_a_part_are_refused():
    def f(key, x):
        step = lambda w: lambda c, k: (c + jnp.sum(w * random.randint(k, w.shape, 2, 9)), None)
        return jax.grad(lambda w: lax.scan(step(w), 0.0, random.split(key, 3))[0])(x)

    np.testing.assert_allclose(gfx.transpile(f, KEY, X, to="jax")(KEY, X), f(KEY, X), rtol=1e-5)
    with pytest.raises(GfxError, match="randint"):
        gfx.symbolic_trace(f, KEY, X, derive=True)
