"""Keys that are data: rows of an array of keys, and keys that the code or its parameters hold, each of two words."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

KEY, KEYS, X = jax.random.PRNGKey(3), jax.random.split(jax.random.PRNGKey(0), 3), jnp.ones((3, 4))


def noise(key, x):
    return x + jax.random.normal(key, x.shape)


def apart(key, x):
    a, b = jax.random.split(key)
    return x + jax.random.normal(a, x.shape) - jax.random.uniform(b, x.shape) + noise(jax.random.fold_in(a, 2), x)


def by_while(keys, x):
    def trip(held):
        i, key, x = held
        key, here = jax.random.split(key)
        return i + 1, key, noise(here, x)

    return jax.lax.while_loop(lambda held: held[0] < 3, trip, (0, keys[1], x))[2]


def begun_again(key, x):
    return jax.lax.cond(x.sum() > 0, lambda x: apart(key, x), lambda x: x, x)


def by_table(table, x):
    return jax.vmap(jax.vmap(noise))(table, x)


OF_KEYS = [
    jax.vmap(noise),
    jax.vmap(apart),
    jax.vmap(begun_again),
    lambda keys, x: jax.vmap(apart, (0, None))(keys, x),
    lambda keys, x: jax.vmap(lambda key, x: by_while(key[None].repeat(2, 0), x))(keys, x),
    lambda keys, x: noise(keys[0], x) - jax.jit(noise)(keys[1], x),
    lambda keys, x: jax.lax.scan(lambda x, key: (apart(key, x), x), x, keys),
    lambda keys, x: jax.lax.map(lambda held: noise(*held), (keys, x)),
    lambda keys, x: jax.lax.fori_loop(0, 3, lambda i, x: apart(keys[i], x), x),
    lambda keys, x: jax.lax.cond(x.sum() > 0, noise, lambda key, x: x, keys[2], x),
    by_while,
    lambda keys, x: by_table(jnp.stack([keys, keys[::-1]], 1), jnp.stack([x, x], 1)),
    lambda keys, x: jax.vmap(noise)(jax.vmap(jax.random.split, out_axes=1)(keys)[1], x),
    lambda keys, x: jax.grad(lambda x: jnp.sum(noise(keys[0], x) ** 2))(x),
]


@pytest.mark.parametrize("fn", OF_KEYS)
@pytest.mark.parametrize("held", [False, True], ids=["given", "held"])
def test_draws(fn, held):
    f, args = (lambda x: fn(KEYS, x), (X,)) if held else (fn, (KEYS, X))
    got, want = gfx.transpile(f, *args, to="jax", backend="jax")(*args), f(*args)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6), got, want)
    in_torch = gfx.transpile(f, *args, to="torch", backend="jax")
    first, again = (jax.tree.leaves(in_torch(*[torch.tensor(np.asarray(x)) for x in args])) for _ in range(2))
    for a, b, as_wanted in zip(first, again, jax.tree.leaves(want)):
        assert a.equal(b)
        assert a.shape == as_wanted.shape
        assert a.unique().numel() == np.unique(as_wanted).size


@pytest.mark.parametrize("target", ["torch", "numpy"])
def test_keys_of_one_are_others(target):
    def differences(keys, x):
        pairs = jax.vmap(jax.random.split)(keys)
        a, b, draw = pairs[:, 0], pairs[:, 1], jax.vmap(lambda key: jax.random.normal(key))
        return draw(a) - draw(b), draw(a) - draw(a)

    given = [torch.tensor(np.asarray(x)) if target == "torch" else np.asarray(x) for x in (KEYS, X)]
    others, same = gfx.transpile(differences, KEYS, X, to=target, backend="jax")(*given)
    assert (others != 0).all()
    assert (same == 0).all()


HELD = [
    functools.partial(noise, KEY),
    lambda x: jax.jit(apart)(KEY, x),
    lambda x: noise(KEY, x) - jax.checkpoint(noise)(KEY, x),
    lambda x: noise(jax.random.fold_in(KEY, 2), x),
]


@pytest.mark.parametrize("fn", HELD)
def test_held(fn):
    np.testing.assert_allclose(gfx.transpile(fn, X, to="jax", backend="jax")(X), fn(X), rtol=2e-5, atol=1e-6)
    for target, x in (("torch", torch.ones(3, 4)), ("numpy", np.ones((3, 4), np.float32))):
        program = gfx.transpile(fn, X, to=target, backend="jax")
        np.testing.assert_array_equal(program(x), program(x))


def drawn(key, w):
    return w * jax.random.normal(key, w.shape)


@jax.custom_jvp
def by_tangents(key, w):
    return drawn(key, w)


@by_tangents.defjvp
def _(given, tangents):
    return drawn(*given), 2 * drawn(given[0], tangents[1])


@jax.custom_vjp
def backwards(key, w):
    return drawn(key, w)


backwards.defvjp(lambda key, w: (drawn(key, w), key), lambda key, grad: (None, 2 * drawn(key, grad)))


@pytest.mark.parametrize("fn", [by_tangents, backwards])
@pytest.mark.parametrize("key", [KEY, jax.random.key(1)], ids=["words", "typed"])
@pytest.mark.parametrize("held", [False, True], ids=["given", "held"])
def test_a_rule_for_derivatives_draws_what_its_function_drew(fn, key, held):
    f, args = (lambda w: fn(key, w), (X,)) if held else (lambda key, w: fn(key, w), (key, X))
    program = gfx.transpile(f, *args, to="torch", backend="jax")
    w = torch.ones(3, 4, requires_grad=True)
    out = program(w) if held else program(torch.Generator().manual_seed(0), w)
    out.sum().backward()
    torch.testing.assert_close(w.grad, 2 * out)
