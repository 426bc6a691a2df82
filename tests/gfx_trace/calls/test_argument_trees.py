"""Functions that are given parts of a tree of arrays take the subtree, as their author has them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

RNG = np.random.default_rng(0)


def dense(width=4):
    return {"w": RNG.normal(size=(width, 4)).astype("f"), "b": RNG.normal(size=4).astype("f")}


def layer(p, x):
    h = jnp.tanh(x @ p["w"] + p["b"])
    return h / (1.0 + jnp.abs(h).sum())


def norm(p, x):
    x = x - x.mean(-1, keepdims=True)
    return x * p["scale"] + p["bias"]


def block(p, x):
    y = norm(p["ln"], x)
    return x + layer(p["ff"], y) * layer(p["gate"], y)


def model(params, x):
    for p in params["blocks"]:
        x = block(p, x)
    return norm(params["last"], x)


def loss(params, batch):
    return ((model(params, batch["x"]) - batch["y"]) ** 2).mean()


def two_trees(first, second, x):
    return layer(first, x) + layer(second, x)


def one_is_computed(params, x):
    a, b = params
    return layer(a, x) + layer({"w": b["w"] * 2, "b": b["b"]}, x)


def crossed(params, x):
    a, b = params
    return layer({"w": a["w"], "b": b["b"]}, x) + layer({"w": b["w"], "b": a["b"]}, x)


def swapped(params, x):
    """The same leaves, by other keys."""
    a, b = params
    return layer(a, x) + layer({"w": b["w"], "b": b["w"][0]}, x)


def in_a_loop(params, x):
    total = x
    for row in x:
        total = layer(params, total) + layer(params, row)
    return total


def asked(params, x):
    if x.sum() > 0:
        return block(params["blocks"][0], x)
    return block(params["blocks"][1], block(params["blocks"][0], x))


def pairs(params, x):
    def apply(p, x):
        h = jnp.tanh(x @ p[0] + p[1])
        return h / (1.0 + jnp.abs(h).sum())

    for p in params:
        x = apply(p, x)
    return x


def norms():
    return {"scale": np.ones(4, "f"), "bias": np.zeros(4, "f")}


def normed(w, stats, x):
    return jnp.tanh((x - stats["mean"]) / stats["scale"] @ w["w"] + w["b"])


def of_collections(v, x):
    for name in NAMES:
        x = normed(v["weights"][name], v["stats"][name]["seen"], x)
    return x


X = RNG.normal(size=(3, 4)).astype("f")
BLOCKS = {"blocks": [{"ln": norms(), "ff": dense(), "gate": dense()} for _ in range(2)], "last": norms()}
NAMES = "one", "two"
SEEN = {"mean": np.ones(4, "f"), "scale": np.full(4, 2.0, "f")}
COLLECTIONS = {"weights": {name: dense() for name in NAMES}, "stats": {name: {"seen": SEEN} for name in NAMES}}
CASES = [
    (model, (BLOCKS, X)),
    (loss, (BLOCKS, {"x": X, "y": 2 * X})),
    (two_trees, (dense(), dense(), X)),
    (one_is_computed, ([dense(), dense()], X)),
    (crossed, ([dense(), dense()], X)),
    (swapped, ([dense(), dense()], X)),
    (in_a_loop, (dense(), X)),
    (asked, (BLOCKS, X)),
    (asked, (BLOCKS, -abs(X))),
    (of_collections, (COLLECTIONS, X)),
    (pairs, ([(dense()["w"], dense()["b"]) for _ in range(2)], X)),
]


@pytest.mark.parametrize(("fn", "args"), CASES, ids=[fn.__name__ for fn, _ in CASES])
def test_what_is_computed_stays(fn, args):
    arrays = jax.tree.map(jnp.asarray, args)
    want = fn(*arrays)
    for target, make in (("jax", jnp.asarray), ("torch", torch.from_numpy), ("numpy", np.asarray)):
        emitted = gfx.transpile(fn, *arrays, to=target)
        np.testing.assert_allclose(np.asarray(emitted(*jax.tree.map(make, args))), want, rtol=1e-4, atol=1e-5)


def test_functions_take_subtrees():
    source = gfx.transpile(model, *jax.tree.map(jnp.asarray, (BLOCKS, X)), to="torch").source
    assert 'block(params["blocks"][1], x)' in source and 'norm(params["ln"], x)' in source
    assert 'layer(params["ff"], y)' in source and "def layer(params, x)" in source
    assert "Assumes params: the types of 14 arrays, x: f32[3, 4]." in source


def test_leaves_that_stand_in_no_subtree_are_arguments_of_their_own():
    source = gfx.transpile(crossed, *jax.tree.map(jnp.asarray, ([dense(), dense()], X)), to="torch").source
    assert 'params[0]["w"], params[1]["b"], x)' in source


def test_functions_take_several_subtrees_of_one_argument():
    source = gfx.transpile(of_collections, *jax.tree.map(jnp.asarray, (COLLECTIONS, X)), to="torch").source
    assert 'normed(v["weights"]["one"], v["stats"]["one"]["seen"], x)' in source
    assert "def normed(weights, stats, x)" in source
