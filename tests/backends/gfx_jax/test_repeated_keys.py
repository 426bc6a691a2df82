"""A key that is taken twice gives the same numbers, also where source has generators, which draws move on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

draw = jax.random.uniform
SOURCES = {"torch": lambda seed: torch.Generator().manual_seed(seed), "numpy": np.random.default_rng}


def drawn(key):
    return draw(key) == draw(key), True


def in_another_order(key):
    a, b = jax.random.split(key)
    first, second = draw(a), draw(b)
    return (draw(b) == second) & (draw(a) == first), first != second


def split_again(key):
    (a, b), (c, d) = jax.random.split(key), jax.random.split(key)
    return (draw(b) == draw(d)) & (draw(a) == draw(c)), draw(a) != draw(b)


def folded(key):
    fold = jax.random.fold_in
    return draw(fold(key, 1)) == draw(fold(key, 1)), (draw(fold(key, 1)) != draw(fold(key, 2))) & (
        draw(key) != draw(fold(key, 0))
    )


def in_trips(key):
    first = draw(key)
    steady, others, n = True, True, 0
    while n < jnp.int32(3):
        steady, n = steady & (draw(key) == first), n + 1
    for i in range(3):
        new = draw(jax.random.fold_in(key, i))
        others, first = others & (new != first), new
    return steady, others


def by_a_function(key):
    def made(key, n):
        a, b = jax.random.split(key)
        return jax.random.normal(a, (n,)), jax.random.normal(b, (n,))

    (a, b), (c, d) = made(key, 3), made(key, 3)
    return jnp.all(a == c) & jnp.all(b == d), jnp.all(a != b)


def on_one_side(key):
    side = lambda k: jnp.where(jnp.asarray(1.0) > 0, draw(k), 0.0)
    found = jax.lax.cond(jnp.asarray(2.0) > 1, side, lambda k: draw(k) + 1, key)
    return found == draw(key), True


ALL = [drawn, in_another_order, split_again, folded, in_trips, by_a_function, on_one_side]


@pytest.mark.parametrize("fn", ALL)
@pytest.mark.parametrize("target", [*SOURCES, "jax"])
def test_the_same_numbers(fn, target):
    for held in (lambda: fn(jax.random.key(0)), fn):
        written = gfx.symbolic_trace(held, backend="jax").to(target)
        given = [SOURCES.get(target, jax.random.key)(1)] if held is fn else []
        for _ in range(2):
            equal, different = written(*given)
            assert equal
            assert different


@pytest.mark.parametrize("target", SOURCES)
def test_each_call_draws_others(target):
    def sums(key):
        return draw(key) - draw(key), draw(key)

    written, source = gfx.symbolic_trace(sums, backend="jax").to(target), SOURCES[target](1)
    (none, a), (again, b) = written(source), written(source)
    assert none == again == 0
    assert a != b


def test_keys_that_are_taken_once_share_a_generator():
    def noisy(key, x):
        for i in range(3):
            key, here = jax.random.split(key)
            x = x + jax.random.normal(here, x.shape) + draw(jax.random.fold_in(key, i)) if i > 3 else x + draw(here)
        return x

    assert "derived" not in gfx.symbolic_trace(noisy, backend="jax").source("torch")
