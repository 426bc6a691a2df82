"""Decompositions that JAX spells in another form. Emitted source contains the ones it needs."""

import jax
import jax.numpy as jnp

from .helpers import straight_through


def lu_factor(x):
    """L and U in one matrix, and the rows (counted from 1) that each row was swapped with in turn."""
    packed, pivots = jax.scipy.linalg.lu_factor(x)
    return packed, pivots + 1


def lu_unpack(x, pivots):
    """P, L and U of what lu_factor gives: P @ L @ U is the matrix."""
    rows, columns = x.shape[-2:]
    order = jax.lax.linalg.lu_pivots_to_permutation(pivots - 1, rows)
    least = min(rows, columns)
    lower = jnp.tril(x[..., :least], -1) + jnp.eye(rows, least, dtype=x.dtype)
    return jnp.eye(rows, dtype=x.dtype)[order].mT, lower, jnp.triu(x[..., :least, :])


def lu(x):
    """P, L and U, of which P @ L @ U is the matrix."""
    return lu_unpack(*lu_factor(x))


def lu_solve(x, pivots, b, transposed=False):
    """The solution of A @ y = b (of A.mT @ y = b), A given by what lu_factor gives."""
    lead = jnp.broadcast_shapes(x.shape[:-2], b.shape[:-2])
    x, b = (jnp.broadcast_to(m, (*lead, *m.shape[-2:])) for m in (x, b))
    pivots = jnp.broadcast_to(pivots, (*lead, pivots.shape[-1]))
    return jax.scipy.linalg.lu_solve((x, pivots - 1), b, trans=int(transposed))


def hermitian(x, uplo="L"):
    """The Hermitian matrix of one triangle of x; its gradient is that of the mean of both triangles, which are the same."""
    low = jnp.tril(x) if uplo == "L" else jnp.triu(x).mT.conj()
    return straight_through((x + x.mT.conj()) / 2, low + jnp.tril(low, -1).mT.conj())


def cholesky_ex(x):
    """The lower factor, and the size of the first leading block that is not positive definite (0: all are)."""
    x = hermitian(x)
    found = jnp.linalg.cholesky(x)
    corners = [jnp.linalg.cholesky(x[..., :k, :k])[..., -1, -1] for k in range(1, x.shape[-1] + 1)]
    if not corners:
        return found, jnp.zeros(x.shape[:-2], jnp.int32)
    failed = jnp.isnan(jnp.stack(corners, axis=-1))
    return found, jnp.where(failed.any(-1), jnp.argmax(failed, axis=-1) + 1, 0).astype(jnp.int32)


def geqrf(x):
    """R above the diagonal and the reflections that make up Q below it, and their factors tau."""
    reflections, tau = jnp.linalg.qr(x, mode="raw")
    return reflections.mT, tau


def solve_triangular(x1, x2, upper=False, unit_diagonal=False):
    """The solution of x1 @ y = x2, of x1 one triangle taken (its diagonal as ones)."""
    lead = jnp.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    x1, x2 = (jnp.broadcast_to(m, (*lead, *m.shape[-2:])) for m in (x1, x2))
    return jax.scipy.linalg.solve_triangular(x1, x2, lower=not upper, unit_diagonal=unit_diagonal)
