"""Functions that treat vectors and matrices unlike, of tensors whose rank is open, and of the rows that a loop gave."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

TO = {"torch": torch.tensor, "numpy": np.array, "jax": jnp.asarray}


def rows_numpy(x):
    both = np.vstack([x, x * 2])
    return both.sum(axis=0), both[0] * 3, np.atleast_2d(x).shape[0]


def rows_torch(x):
    both = torch.vstack([x, x * 2])
    return both.softmax(-1)[0], both.T, torch.atleast_1d(x.sum())


def diagonals_torch(x):
    return torch.diag(x) * 2, torch.diag(x).sum(0)


def rows_jax(x):
    return jnp.vstack((x, x)).mean(axis=1), jnp.atleast_2d(x)[0] * 2


def diagonals_numpy(x):
    return np.diag(x) * 2, np.diag(x + 1, 1).sum(axis=0)


def diagonals_jax(x):
    return jnp.diag(x) * 2, jnp.diag(x, -1).sum(0)


@pytest.mark.parametrize(
    "fn",
    (rows_numpy, rows_torch, rows_jax, diagonals_torch, diagonals_jax, diagonals_numpy),
    ids=lambda fn: fn.__name__,
)
def test_vectors_and_matrices(fn):
    own = fn.__name__.rpartition("_")[2]
    program = gfx.symbolic_trace(fn, backend=own)
    for shape in ((3,), (2, 4)):
        assert_equal(program, fn, own, np.arange(float(np.prod(shape)), dtype=np.float32).reshape(shape))


def sieve(n: int):
    flags = np.ones(n + 1, dtype=bool)
    flags[:2] = False
    p = 2
    while p * p <= n:
        if flags[p]:
            flags[p * p :: p] = False
        p += 1
    return np.nonzero(flags)[0]


def test_positions_of_an_array_that_is_made_by_a_number():
    program = gfx.symbolic_trace(sieve, backend="numpy")
    for n in (11, 30):
        for target in ("numpy", "torch", "jax"):
            np.testing.assert_array_equal(np.asarray(program.to(target)(n)), sieve(n))


def joined_numpy(x):
    parts = [row * 2 for row in x]
    return np.vstack(parts), np.hstack(parts), np.column_stack(parts)


def joined_torch(x):
    parts = []
    for row in x:
        parts.append(row + 1)
    return torch.vstack(parts), torch.hstack(parts), torch.column_stack(parts)


@pytest.mark.parametrize("fn", (joined_numpy, joined_torch), ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("more", ((), (2,)), ids=("vectors", "matrices"))
def test_rows_of_open_number_are_joined(fn, more):
    own = fn.__name__.rpartition("_")[2]
    program = gfx.symbolic_trace(fn, TO[own](np.ones((2, 3, *more), np.float32)), dynamic=True, backend=own)
    for size in ((4, 3, *more), (1, 5, *more)):
        assert_equal(program, fn, own, np.arange(float(np.prod(size)), dtype=np.float32).reshape(size))


def assert_equal(program, fn, own, x):
    want = jax.tree.leaves(fn(TO[own](x)))
    for target in ("torch", "jax", "numpy"):
        run = program.to(target) if target != "jax" else jax.jit(program.to("jax"))
        for a, b in zip(jax.tree.leaves(run(TO[target](x))), want, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


def test_index_select_keeps_the_axis_for_an_index_without_axes():
    def f(x, mask):
        return x.index_select(0, mask.nonzero().squeeze()).sum(0)

    program = gfx.symbolic_trace(f, torch.rand(4, 3), torch.ones(4) > 0)
    for mask in ([True, False, True, False], [False, True, False, False]):
        x, mask = torch.rand(4, 3), torch.tensor(mask)
        torch.testing.assert_close(program(x, mask), f(x, mask))
    single = gfx.symbolic_trace(lambda x, i: torch.index_select(x, 1, i), torch.rand(2, 3), torch.tensor(1))
    assert single(torch.rand(2, 3), torch.tensor(1)).shape == (2, 1)


def tiled(x):
    y = np.tile(x, (2, 1)).mean(axis=0)
    y[1] = -1.5
    return y


def of_products(x):
    y = np.diag(x[:, None] * x[None, :]).copy()
    y[1:] = np.flip(x)[:-1]
    return y


def at_least_a_matrix(x):
    y = np.atleast_2d(x).sum(axis=0)
    y[0] += 1
    return y


def a_diagonal_or_its_matrix(x):
    y = np.diag(x) + 1
    y[0] += x[0]
    return y


@pytest.mark.parametrize("fn", [tiled, of_products, at_least_a_matrix, a_diagonal_or_its_matrix])
@pytest.mark.parametrize("target", TO)
def test_what_has_axes_whatever_the_rank_of_arguments_is_an_array(fn, target):
    x = np.array([1.0, -2.0, 4.0])
    got = gfx.transpile(fn, backend="numpy", to=target)(TO[target](x))
    np.testing.assert_allclose(np.asarray(got), fn(x), rtol=1e-6)


@pytest.mark.parametrize("make, diag", [(torch.ones, torch.diag), (np.ones, np.diag), (jnp.ones, jnp.diag)])
@pytest.mark.parametrize("shape", [(), (2, 2, 2)])
def test_a_diagonal_is_that_of_a_matrix(make, diag, shape):
    with pytest.raises(gfx.GfxError, match=f"this has {len(shape)} axes"):
        gfx.symbolic_trace(lambda x: diag(x), make(shape))
