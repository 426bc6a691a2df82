"""Factors whose signs and order are free: each backend's multiply back to the matrix, and are orthonormal where they must be."""

import numpy as np
import pytest

from gfx_ir.op import evaluate, lookup
from sampled import bound, loaded
from samples.decompose import VECTORS


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def close(got, want):
    np.testing.assert_allclose(got, np.broadcast_to(want, got.shape), rtol=1e-3, atol=1e-3)


def svd(x, u, s, vh):
    least = s.shape[-1]
    assert (np.diff(s) <= 0).all()
    close(u[..., :least] * s[..., None, :] @ vh[..., :least, :], x)
    close(adjoint(u) @ u, np.eye(u.shape[-1]))
    close(vh @ adjoint(vh), np.eye(vh.shape[-2]))


def qr(x, q, r):
    close(q @ r, x)
    close(adjoint(q) @ q, np.eye(q.shape[-1]))
    close(np.tril(r, -1), 0)


def eigh(x, values, vectors):
    assert (np.diff(values) >= 0).all()
    close(vectors * values[..., None, :] @ adjoint(vectors), x)


def eig(x, values, vectors):
    close(x @ vectors, vectors * values[..., None, :])
    close(np.linalg.norm(vectors, axis=-2), 1)


def eigvals(x, values):
    close(np.sort_complex(np.round(values, 3)), np.sort_complex(np.round(np.linalg.eigvals(x), 3)))


@pytest.mark.parametrize("name", ("numpy", "torch", "jax"))
@pytest.mark.parametrize("sample", VECTORS, ids=str)
def test_factors_multiply_back(name, sample):
    target, op, args = loaded(name), lookup(sample.op), bound(sample)
    found = target.run(op, (target.from_host(args[0]), *args[1:]))
    found = list(found) if len(op.kinds) > 1 else [found]
    expected = evaluate(op, args)
    for got, want in zip(found, expected if len(op.kinds) > 1 else [expected]):
        assert target.shape_of(got) == want.shape
        assert target.dtype_of(got).name == want.dtype.name
    globals()[sample.op](args[0], *(target.to_host(part) for part in found))
