"""Functions of arrays of several dtypes, which NumPy and JAX promote and PyTorch takes of one dtype alone."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

FLOATS, WHOLE = np.linspace(-1.0, 2.0, 16).reshape(4, 4), np.arange(1, 17).reshape(4, 4) % 5 + 6 * np.eye(4, dtype=int)


def contracted(xp, a, b):
    return xp.einsum("ij,jk->ik", a, b), xp.tensordot(a, b, axes=1), xp.inner(a, b), a @ b, xp.dot(b, a)


def of_vectors(xp, a, b):
    return xp.vdot(a[0], b[0]), xp.vecdot(a, b), xp.cross(a[:, :3], b[:, :3]), xp.outer(a[0], b[0]), xp.kron(a, b)


def solved(xp, a, b):
    return xp.linalg.solve(WHOLE @ WHOLE.T, b[0]), xp.linalg.solve(a @ a.T + xp.eye(4), b)


def as_a_grid(xp, a, b):
    return (*xp.meshgrid(a[0], b[0]), *xp.meshgrid(a[0], b[0] > 0, b[1], indexing="ij"), *xp.meshgrid(a[0, 0], b[0]))


def as_numpy(fn):
    return lambda a, b: fn(np, a, b)


@pytest.mark.parametrize("fn", [contracted, of_vectors, solved, as_a_grid])
@pytest.mark.parametrize("a, b", [(FLOATS, WHOLE), (WHOLE, FLOATS), (WHOLE, WHOLE), (FLOATS.astype("f4"), FLOATS)])
def test_arrays_of_several_dtypes_are_promoted_for_pytorch(fn, a, b):
    written = as_numpy(fn)
    for got, want in zip(
        gfx.transpile(written, a, b, to="torch")(torch.tensor(a), torch.tensor(b)), written(a, b), strict=True
    ):
        assert str(got.dtype) == f"torch.{want.dtype}"
        np.testing.assert_allclose(got, want, *((1e-4, 1e-6) if a.dtype == "f4" else (1e-9, 1e-12)))


def test_a_cast_stands_where_it_is_needed_alone():
    source = gfx.transpile(as_numpy(contracted), WHOLE, FLOATS, to="torch").source
    assert 'torch.einsum("ij,jk->ik", a.double(), b)' in source
    jax_code = lambda a, b: jnp.tensordot(a, b, axes=1)
    assert "torch.tensordot(a, b, dims=1)" in gfx.transpile(jax_code, FLOATS, FLOATS, to="torch").source


def test_what_is_in_both_has_the_dtype_of_either():
    both = as_numpy(lambda xp, a, b: xp.intersect1d(a, b))
    for a, b in ((np.array([3, 1, 2]), np.array([2.0, 3.0])), (np.array([3, 1], "i4"), np.array([1, 9]))):
        made = gfx.symbolic_trace(both, a, b)
        for got in (made(a, b), made.to("torch")(torch.tensor(a), torch.tensor(b)).numpy()):
            assert got.dtype == both(a, b).dtype and np.array_equal(got, both(a, b))


def test_quantiles_of_half_precision_are_computed_in_single():
    x = np.linspace(-2.0, 3.0, 12).reshape(3, 4).astype(np.float16)
    for fn in (
        lambda x: np.percentile(x, 30),
        lambda x: np.median(x, axis=1),
        lambda x: np.nanquantile(x, 0.2, axis=(0, 1)),
    ):
        got = gfx.transpile(fn, x, to="torch")(torch.tensor(x))
        assert got.dtype == torch.float16
        np.testing.assert_allclose(got, fn(x), rtol=2e-3)
