"""Functions that are given parts of a tree of parameters take that subtree; those that are given arrays one by one take these."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def dense(params, x):
    h = jnp.tanh(x @ params["w"]) * 2.0
    return h + jnp.sum(h) + params["b"]


def separate(w, b, x):
    h = jnp.tanh(x @ w) * 2.0
    return h + jnp.sum(h) + b


def both(params, other, x):
    h = jnp.tanh(x @ params["w"]) * other["b"]
    return h + jnp.sum(h) + 1.0


def blocks(params, x):
    for layer in params["blocks"]:
        x = dense(layer, x)
    return dense(params["head"], x)


def one_by_one(params, x):
    for layer in params["blocks"]:
        x = separate(layer["w"], layer["b"], x)
    return separate(params["head"]["w"], params["head"]["b"], x)


def crossed(params, x):
    first, second = params["blocks"]
    return both(second, first, both(first, second, x))


def of_named(params, x):
    return dense({"w": params["head"]["w"], "b": params["blocks"][0]["b"]}, dense(params["head"], x))


WANTED = {
    blocks: ("def dense(params, x):", 'for block in params["blocks"]:', 'dense(params["head"], x)'),
    one_by_one: ("def separate(",),
    crossed: ("def both(",),
    of_named: ('params["head"]', 'params["blocks"][0]["b"]'),
}


@pytest.mark.parametrize("fn", WANTED, ids=lambda fn: fn.__name__)
def test_parameters_are_taken_as_the_author_gives_them(fn):
    layer = lambda seed: {
        "w": jnp.sin(seed + jnp.arange(400.0)).reshape(20, 20) / 9,
        "b": jnp.cos(seed * jnp.arange(20.0)),
    }
    params = {"blocks": [layer(1), layer(2)], "head": layer(3)}
    x = jnp.linspace(-1.0, 1.0, 60).reshape(3, 20)
    made = gfx.transpile(functools.partial(fn, params), x, to="torch")
    for text in WANTED[fn]:
        assert text in made.source, made.source
    np.testing.assert_allclose(made(torch.tensor(np.asarray(x))).detach(), fn(params, x), rtol=1e-4, atol=1e-4)
