"""Where a dtype is open, one of several or weak, emitted source gives the dtype that the author's framework gives."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves

DATA = np.array([1.5, -2.0, 3.5, 0.25])
MAKE = {"numpy": np.array, "jax": jnp.asarray, "torch": lambda x: torch.from_numpy(x.copy())}


def agree(fn, own, dtype, *more, typed=False):
    """What is captured of fn gives values and dtypes of fn, as PyTorch and as JAX source."""
    x = DATA.astype(dtype)
    want = [np.asarray(leaf) for leaf in leaves(fn(MAKE[own](x), *more))]
    program = gfx.symbolic_trace(fn, *([MAKE[own](x), *more] if typed else []))
    for target in {"torch", "jax"} - {own}:
        got = [np.asarray(leaf) for leaf in leaves(program.to(target)(MAKE[target](x), *more))]
        for a, b in zip(want, got, strict=True):
            assert a.dtype == b.dtype, (target, dtype)
            np.testing.assert_allclose(a, b, 1e-3 if a.dtype.itemsize < 8 else 1e-12)


def scalars(x: np.ndarray):
    return (
        np.float64(2.5) * x,
        x - x.mean(dtype=np.float64),
        np.where(x > np.float64(0.1), x, np.float64(0)),
        x * np.sqrt(2),
    )


def counts(x: np.ndarray):
    m = x > 0
    return x.sum() / m.sum() * x, x - np.argmax(x), m.sum() * 0.5 + x, x / np.count_nonzero(x)


def halved(x: np.ndarray):
    n = np.count_nonzero(x)
    for _ in range(3):
        n = n / 2
    return n, n * x


def one_of_two(x: np.ndarray, k: int = 1):
    s = x.max() if k else np.argmax(x)
    t = s / 3
    return t, x * t, np.full(2, x[1])


def has_float64(x: np.ndarray, k: int = 1):
    if k:
        s = np.mean(x)
    else:
        s = np.count_nonzero(x)
    s /= 2
    return s.dtype == np.float64


def weak(x, eps=0.1):
    w = jnp.where(x > 0, 1.0, 0.1)
    made = (
        w,
        w * x,
        jnp.sum(x > 0) * 0.5,
        jnp.asarray(float(x[0]) / 3),
        jnp.full((4,), 0.1) * x,
        jnp.where(x > 0, eps, 0.0),
    )
    return *made, 2.0 ** jnp.arange(3), jnp.stack([x[0], 0.1]), jnp.stack([0.1, 0.2]), jnp.ones(4, jnp.int8) + 1.5


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("fn", [scalars, counts, halved, one_of_two])
def test_numpy_code_of_open_dtypes(fn, dtype):
    with jax.enable_x64(True):
        agree(fn, "numpy", dtype)
        agree(fn, "numpy", dtype, typed=True)


@pytest.mark.parametrize("k", [0, 1])
def test_what_may_be_a_count_is_halved_as_a_float(k):
    with jax.enable_x64(True):
        agree(one_of_two, "numpy", "float32", k) if k else None
        agree(has_float64, "numpy", "float64", k)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("wide", [False, True])
def test_arrays_that_are_weak_in_jax_give_way_in_torch(dtype, wide):
    if wide or dtype != "float64":
        with jax.enable_x64(wide):
            agree(weak, "jax", dtype)
            agree(weak, "jax", dtype, typed=True)


def test_whole_numbers_of_open_dtype_stay_whole():
    fn = lambda x: x + np.int64(2)
    with jax.enable_x64(True):
        for target in ("torch", "jax"):
            got = gfx.symbolic_trace(fn, backend="numpy").to(target)(MAKE[target](np.arange(3)))
            assert str(got.dtype).endswith("int64")


def test_one_dtype_needs_no_cast():
    source = gfx.symbolic_trace(lambda x: (x - np.mean(x)) / np.std(x) * 2.0, backend="numpy").source("torch")
    assert "promote" not in source and ".to(" not in source


def truths(x: np.ndarray):
    h = bool(x.sum())
    return x * (h + 1), x * (h * 2.5), x * -h, x / (h + 2), x * (h / 3), x * h**0.5, x * math.exp(h)


def truth_of_a_test(x: np.ndarray):
    k = True if x[0] > 1 else False
    if k:
        x = x * (k / 3)
    return x, x * (k + k), x * math.sqrt(k + 1)


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("fn", [truths, truth_of_a_test])
def test_booleans_of_pythons_count_as_whole_numbers_that_give_way(fn, dtype, typed):
    with jax.enable_x64(True):
        agree(fn, "numpy", dtype, typed=typed)


def test_an_array_of_numbers_alone_has_the_default_dtype_of_its_framework():
    def fn(x: np.ndarray):
        chosen = np.where(x > 0, 2.0, 3.0)
        return chosen, chosen.dtype == np.float64, np.where(x > 0, 1.0, 0)

    with jax.enable_x64(True):
        agree(fn, "numpy", "float32")


@pytest.mark.parametrize("runs", [1, 3])
def test_a_number_before_a_loop_stays_one_behind_a_mark_of_gradients(runs):
    @torch.no_grad()
    def f(x):
        last = 0
        for t in range(x.shape[0]):
            last = x[t] + 0.5 * last
        return x + last

    x = torch.arange(float(runs * 2)).reshape(runs, 2)
    made = gfx.transpile(f, torch.ones(2, 2), dynamic=True, to="jax")
    np.testing.assert_allclose(made(jnp.asarray(x.numpy())), f(x))
