"""jax.lax.associative_scan stays one call, whatever its length, and in source of PyTorch and NumPy a helper does the same."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import gfx_trace as gfx


def affine(earlier, later):
    return earlier[0] * later[0], later[0] * earlier[1] + later[1]


def recurrence(a, b):
    return lax.associative_scan(affine, (a, b))[1]


@jax.vmap
def affine_of_one(earlier, later):
    return affine(earlier, later)


def scaled(a, b, w):
    def combine(earlier, later):
        return {"a": earlier["a"] * later["a"] * w, "b": later["a"] * earlier["b"] * w + later["b"]}

    return lax.associative_scan(combine, {"b": b, "a": a}, axis=1)["b"]


def within(a):
    return lax.associative_scan(lambda x, y: lax.associative_scan(jnp.maximum, x, axis=1) * 0 + x + y, a)


def in_loop(a):
    return lax.scan(lambda c, _: (lax.associative_scan(jnp.add, c) / 2, c.sum()), a, None, 3)


LONGEST = lambda a: lax.associative_scan(lambda x, y: jnp.where(x >= y, x, y), jnp.arange(a.shape[0]) % 3)
SHAPES = {"a": [(7, 3), (10, 4), (2, 5), (1, 3)], "batch": [(2, 7, 3), (3, 10, 4)]}
CASES = {
    "pairs": (recurrence, "a", 2),
    "reversed": (lambda a: lax.associative_scan(jnp.add, a, reverse=True), "a", 1),
    "along an axis": (lambda a: lax.associative_scan(jnp.maximum, a, axis=-2), "batch", 1),
    "of matrices": (lambda a: lax.associative_scan(lambda x, y: x @ y, a[:, :, None] * a[:, None]), "a", 1),
    "a function of one element": (lambda a: lax.associative_scan(affine_of_one, (a, 2 * a)), "a", 1),
    "trees, and a captured array": (lambda a: scaled(a, 2 * a, a[0, 0]), "batch", 1),
    "whole numbers": (LONGEST, "a", 1),
    "within each other": (within, "a", 1),
    "in a loop": (in_loop, "a", 1),
    "under jit": (jax.jit(recurrence), "a", 2),
    "under vmap": (jax.vmap(recurrence), "batch", 2),
    "under vmap, a captured array": (jax.vmap(lambda a: scaled(a[None], a[None] + 1, a[0])), "batch", 1),
    "within each other, under vmap": (jax.vmap(within), "batch", 1),
    "in a loop, under jit": (jax.jit(in_loop), "a", 1),
}


def arrays(shape, count):
    draw = np.random.default_rng(0)
    return [draw.random(shape).astype(np.float32) for _ in range(count)]


def agree(made, want, rtol=2e-5):
    for a, b in zip(jax.tree.leaves(made), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a.detach() if isinstance(a, torch.Tensor) else a, b, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_it_is_one_call_for_every_length(name):
    f, kind, count = CASES[name]
    given = [arrays(shape, count) for shape in SHAPES[kind]]
    shared = gfx.Dim("n"), gfx.Dim("d")
    lead = (gfx.Dim("b"),) if kind == "batch" else ()
    program = gfx.symbolic_trace(f, *[gfx.TensorSpec((*lead, *shared), "float32")] * count, backend="jax")
    for target, own in (("torch", torch.from_numpy), ("numpy", np.array), ("jax", jnp.asarray)):
        made = program.to(target)
        for few in given:
            agree(made(*map(own, few)), f(*map(jnp.asarray, few)))
        source = program.source(target)
        assert source.count("associative_scan(") - 2 * (target != "jax") == (2 if "each other" in name else 1)


def test_gradients_are_those_of_jax():
    a, b = arrays((7, 3), 2)
    made = gfx.transpile(recurrence, jnp.asarray(a), jnp.asarray(b), to="torch", dynamic=True)
    tensors = [torch.from_numpy(x).requires_grad_() for x in arrays((12, 4), 2)]
    (made(*tensors) ** 2).sum().backward()
    loss = lambda a, b: (recurrence(a, b) ** 2).sum()
    want = jax.grad(loss, (0, 1))(*map(jnp.asarray, arrays((12, 4), 2)))
    agree([x.grad for x in tensors], want, 2e-4)
    for dynamic, shape in (
        (False, (7, 3)),
        (True, (12, 4)),
    ):  # as the code derives it: one element after the other if it is open
        step = gfx.transpile(jax.grad(loss, (0, 1)), jnp.asarray(a), jnp.asarray(b), to="torch", dynamic=dynamic)
        few = arrays(shape, 2)
        agree(step(*map(torch.from_numpy, few)), jax.grad(loss, (0, 1))(*map(jnp.asarray, few)), 2e-4)


def test_its_source_is_captured_again():
    a, b = arrays((7, 3), 2)
    made = gfx.transpile(recurrence, jnp.asarray(a), jnp.asarray(b), to="torch", dynamic=True)
    again = gfx.transpile(made.fn, torch.from_numpy(a), torch.from_numpy(b), to="jax", dynamic=True)
    assert "jax.lax.associative_scan(" in again.source
    few = list(map(jnp.asarray, arrays((10, 4), 2)))
    agree(again(*few), recurrence(*few))


def test_arrays_of_other_lengths_are_refused_when_it_runs():
    a, b = arrays((7, 3), 2)
    apart = lambda a, b: lax.associative_scan(lambda x, y: (x[0] + y[0], x[1] + y[1]), (a, b))
    made = gfx.transpile(apart, jnp.asarray(a), jnp.asarray(b), to="torch", dynamic=True)
    with pytest.raises(ValueError, match="as many elements"):
        made(torch.ones(7, 3), torch.ones(9, 3))


def test_the_graph_runs_and_has_types():
    program = gfx.symbolic_trace(recurrence, *[gfx.TensorSpec((7, 3), "float32")] * 2, backend="jax")
    a, b = arrays((7, 3), 2)
    agree(program(a, b), recurrence(jnp.asarray(a), jnp.asarray(b)))
    assert program.infer().entry.result.type.dims == (7, 3)
