"""Arrays of sizes in JAX source: what a slice, a shape or a loop needs of them is there under jax.jit, and in the author's function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def ends(x):
    span = torch.tensor(min(x.shape[0], 3))
    return x[2 - span : 2 + span].sum(0) + span


def read(x):
    return x[: torch.tensor(x.shape[0]).item() // 2] * 2


def shape(x):
    sizes = torch.tensor([x.shape[0], x.shape[1]])
    return x.reshape(sizes[1], sizes[0]) * sizes.float().prod()


def counted(x):
    return torch.zeros(torch.arange(x.shape[0]).max() + 1) + x.sum()


def trips(x):
    out = x[0] * 0
    for i in range(torch.tensor(x.shape[0] - 1)):
        out = out + x[i] * i
    return out


def spanned(x, y):
    return torch.tensor(min(max(x.size(-2), y.size(-2)), 3))


def of_a_function(x):
    span, other = spanned(x, x), spanned(x[1:], x * 2)
    return x[3 - span : other].sum(0)


@pytest.mark.parametrize("fn", [ends, read, shape, counted, trips, of_a_function])
def test_numbers_of_sizes_are_there_under_jit(fn):
    made = gfx.transpile(fn, torch.rand(3, 2), to="jax", dynamic=True)
    for n in (5, 3):
        x = torch.arange(2.0 * n).reshape(n, 2)
        np.testing.assert_allclose(jax.jit(made.fn)(jnp.asarray(x.numpy())), fn(x), rtol=1e-5)
    assert "np." in made.source.replace("jnp.", "") and "jax.jit refuses" not in made.source


def test_arrays_of_sizes_that_only_compute_are_jaxs():
    def scaled(x):
        return x * torch.tensor(x.shape[0]).float().sqrt()

    source = gfx.symbolic_trace(scaled, torch.rand(3, 2), dynamic=True).source("jax")
    assert "np." not in source.replace("jnp.", "")


def by_axis(x):
    order = np.argsort(x.shape)
    return x.mean(axis=int(order[-1])) + x.sum(axis=int(order[-1]), keepdims=True).sum()


def chosen(x):
    longest = int(np.argsort(np.array(x.shape))[-1])
    return x.mean(axis=longest) if longest > 0 else x.sum(axis=longest)


def below(x):
    rows, columns = np.nonzero(np.tril(np.ones(x.shape)))
    return x[rows, columns]


def unlike(x):
    kept = np.unique(np.array([1, 1, 0]))
    return [x[:, int(at)] for at in kept], x.sum() / len(kept)


@pytest.mark.parametrize(
    ("fn", "dynamic"), [(fn, open) for fn in (by_axis, below, unlike) for open in (False, True)] + [(chosen, False)]
)
def test_what_numpy_tells_of_sizes_is_there_under_jit(fn, dynamic):
    x = jnp.arange(8.0).reshape(2, 4)
    made = gfx.transpile(fn, x, to="jax", dynamic=dynamic)
    for given in (x, x[:, :3]) if dynamic else (x,):
        for want, have in zip(jax.tree.leaves(fn(given)), jax.tree.leaves(jax.jit(made.fn)(given)), strict=True):
            np.testing.assert_allclose(want, have, rtol=1e-6)
