"""Where a test or loop decides a dtype, a target that holds one of them refuses; where it decides only what gives way, it does not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def weak_beside_narrow(x: jax.Array, n: jax.Array):
    y = jnp.where(x > 0, 1, 2)
    if n:
        y = x.astype(jnp.int8)
    return y


def weak_beside_booleans(x: jax.Array, n: jax.Array):
    y = jnp.where(x > 0, 1, 2)
    if n:
        y = x > 0
    return y


def weak_in_loop(x: jax.Array, n: jax.Array):
    y = jnp.where(x > 0, 1.0, 2.0)
    for _ in range(n):
        y = y * x
    return y


def number_or_array(x: jax.Array, n: jax.Array):
    y = 2.0
    if n:
        y = x[0]
    return y * x.astype(jnp.float16)


def number_of_a_loop(x: jax.Array, n: jax.Array):
    y = 0
    for i in range(n):
        y = y + x.sum()
    return jnp.arange(3) * y


def torch_number(x: torch.Tensor, n: torch.Tensor):
    y = x[0]
    if n:
        y = 2
    return y * x.to(torch.int8)


def numpy_number(x: np.ndarray, n: np.ndarray):
    y = 2.0
    if n:
        y = x[0]
    return y * x.astype(np.float16)


MAKE = {"jax": jnp.asarray, "torch": torch.tensor, "numpy": np.array}
OPEN = {
    weak_beside_narrow: "jax",
    weak_beside_booleans: "jax",
    weak_in_loop: "jax",
    number_or_array: "jax",
    number_of_a_loop: "jax",
    torch_number: "torch",
    numpy_number: "numpy",
}


@pytest.mark.parametrize("fn", OPEN, ids=lambda fn: fn.__name__)
def test_open(fn):
    make = MAKE[OPEN[fn]]
    with pytest.raises(UnsupportedConstruct, match=r" or .* holds one dtype|changes its dtype"):
        gfx.symbolic_trace(fn, make(np.float32([0.5, 1.5, -2])), make(np.int64(2))).source("jax")


def total(x: jax.Array, n: jax.Array):
    y = 0
    for _ in range(n):
        y = y + x.sum()
    return y * x, y + 1, y / 2


def scale(x: jax.Array, n: jax.Array):
    y = 1.0
    if n:
        y = x.max()
    return y * x


def counted(x: jax.Array, n: jax.Array):
    y = jnp.where(x > 0, 1, 2)
    if n:
        y = y + 1
    return y * x


@pytest.mark.parametrize("fn", [total, scale, counted])
def test_one(fn):
    x, n = jnp.float32([0.5, 1.5, -2]), jnp.asarray(2)
    got, want = gfx.symbolic_trace(fn, x, n)(x, n), fn(x, n)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b)


def begins_weak(x: jax.Array, n: jax.Array):
    y = jnp.where(x > 0, 1.0, 0.0)
    for _ in range(n):
        y = y + x
    return y


def test_weak_array_that_a_loop_makes_strong():
    """An array of several elements is no number: it does not change its shape where a trip makes it an array of that dtype."""
    x, n = jnp.float64([0.5, 1.5, -2]), jnp.asarray(2)
    np.testing.assert_allclose(gfx.symbolic_trace(begins_weak, x, n)(x, n), begins_weak(x, n))
