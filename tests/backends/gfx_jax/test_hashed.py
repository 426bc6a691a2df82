"""Numbers of data where functions of JAX hash what they are given: they are read in Python."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn import functional

import gfx_trace as gfx


def split(x, m):
    return [part.sum(0) for part in x.split(m.tolist())], x.tensor_split([int(m[1])])[1]


def shifted(x, m):
    return torch.tril(x, int(m[0]) - 2), torch.triu(x, int(m[1])), torch.diagonal(x, int(m[2]) - 1)


def padded(x, m):
    return functional.pad(x, (int(m[0]), int(m[1])))


def in_a_loop(x, m):
    k = 0
    while m.sum() > k + 1:
        k = int(m[0]) + k
        x = torch.tril(x, k - 2) + 1
    for at in range(int(m.sum())):
        x = torch.triu(x, at - 1) + 1
    return x


def in_a_test(x, m):
    if m.sum() > 2:
        first, second = x.split((int(m[1]), 4 - int(m[1])))
        return second.sum(0) - first.sum(0)
    return x[0]


@pytest.mark.parametrize("fn", [split, shifted, padded, in_a_loop, in_a_test])
def test_such_numbers_are_read(fn):
    x, m = torch.rand(4, 4), torch.tensor([1, 2, 1])
    made = gfx.transpile(fn, x, m, to="jax")
    wanted, found = fn(x, m), made(jnp.asarray(x.numpy()), jnp.asarray(m.numpy()))
    flat = lambda tree: [leaf for part in tree for leaf in flat(part)] if isinstance(tree, (list, tuple)) else [tree]
    for a, b in zip(flat(wanted), flat(found), strict=True):
        np.testing.assert_allclose(np.asarray(b), a.numpy(), rtol=1e-5)
    assert "Reads values of tensors in Python" in made.source
