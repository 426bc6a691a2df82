"""Decompositions that NumPy has not as the catalogue has them: for stacks of matrices, with LAPACK's own pivots."""

import numpy as np

from ._lazy import Lazy

linalg = Lazy("scipy.linalg")


def eig(x):
    """Eigenvalues and eigenvectors, complex whether or not they have to be."""
    values, vectors = np.linalg.eig(x)
    kind = np.result_type(x, np.complex64)
    return values.astype(kind), vectors.astype(kind)


def lu_factor(x):
    """L and U in one matrix, and the rows (counted from 1) that each row was swapped with in turn."""
    packed = np.array(x)
    pivots = np.zeros((*x.shape[:-2], min(x.shape[-2:])), np.int32)
    factor = linalg.lapack.get_lapack_funcs("getrf", (x,))
    for at in np.ndindex(pivots.shape[:-1]):
        if pivots.size:
            packed[at], pivots[at], _ = factor(x[at])
    return packed, pivots + np.int32(1)


def lu_unpack(x, pivots):
    """P, L and U of what lu_factor gives: P @ L @ U is the matrix."""
    rows, columns = x.shape[-2:]
    order = np.tile(np.arange(rows), (*x.shape[:-2], 1))
    for at in np.ndindex(pivots.shape[:-1]):
        for k, other in enumerate(pivots[at] - 1):
            order[at][[k, other]] = order[at][[other, k]]
    least = min(rows, columns)
    lower = np.tril(x[..., :least], -1) + np.eye(rows, least, dtype=x.dtype)
    return np.swapaxes(np.eye(rows, dtype=x.dtype)[order], -1, -2), lower, np.triu(x[..., :least, :])


def lu(x):
    """P, L and U, of which P @ L @ U is the matrix."""
    return lu_unpack(*lu_factor(x))


def lu_solve(x, pivots, b, transposed=False):
    """The solution of A @ y = b (of A.mT @ y = b), A given by what lu_factor gives."""
    permutation, lower, upper = lu_unpack(x, pivots)
    if transposed:
        inner = np.linalg.solve(np.swapaxes(upper, -1, -2), b)
        return permutation @ np.linalg.solve(np.swapaxes(lower, -1, -2), inner)
    return np.linalg.solve(upper, np.linalg.solve(lower, np.swapaxes(permutation, -1, -2) @ b))


def cholesky_ex(x):
    """The lower factor, and the size of the first leading block that is not positive definite (0: all are)."""
    found, failed = np.full_like(x, np.nan), np.zeros(x.shape[:-2], np.int32)
    for at in np.ndindex(failed.shape):
        size = 0
        try:
            for size in range(1, x.shape[-1] + 1):
                part = np.linalg.cholesky(x[at][:size, :size])
            found[at] = part if size else x[at]
        except np.linalg.LinAlgError:
            failed[at] = size
    return found, failed


def householder_product(x, tau):
    """The first columns of the product of the reflections that the columns of x below the diagonal and tau say."""
    rows, columns = x.shape[-2:]
    found = np.array(np.broadcast_to(np.eye(rows, columns, dtype=x.dtype), x.shape))
    for k in reversed(range(tau.shape[-1])):
        vector = np.tril(x, -1)[..., k : k + 1] + np.eye(rows, columns, dtype=x.dtype)[:, k : k + 1]
        found = found - tau[..., k, None, None] * vector @ (np.conj(np.swapaxes(vector, -1, -2)) @ found)
    return found


def geqrf(x):
    """R above the diagonal and the reflections that make up Q below it, and their factors tau."""
    reflections, tau = np.linalg.qr(x, mode="raw")
    return np.swapaxes(reflections, -1, -2), tau


def solve_triangular(x1, x2, upper=False, unit_diagonal=False):
    """The solution of x1 @ y = x2, of x1 one triangle taken (its diagonal as ones)."""
    x1 = np.triu(x1) if upper else np.tril(x1)
    if unit_diagonal:
        x1 = np.where(np.eye(x1.shape[-1], dtype=bool), np.ones((), x1.dtype), x1)
    return np.linalg.solve(x1, x2)


def ldl_factor(x, hermitian=False):
    """L and D of L @ D @ L.mT (L.mH) in one matrix, and LAPACK's pivots, by the lower triangle of x."""
    kind = "hetrf" if hermitian and x.dtype.kind == "c" else "sytrf"
    factor = linalg.lapack.get_lapack_funcs(kind, (x,))
    packed, pivots = np.array(x), np.zeros(x.shape[:-1], np.int32)
    for at in np.ndindex(pivots.shape[:-1]):
        if x.shape[-1]:
            packed[at], pivots[at], _ = factor(x[at], lower=1)
    return np.tril(packed), pivots


def ldl_solve(x, pivots, b, hermitian=False):
    """The solution of A @ y = b, A given by what ldl_factor gives."""
    kind = "hetrs" if hermitian and x.dtype.kind == "c" else "sytrs"
    solver = linalg.lapack.get_lapack_funcs(kind, (x,))
    lead = np.broadcast_shapes(x.shape[:-2], b.shape[:-2])
    x, pivots = np.broadcast_to(x, (*lead, *x.shape[-2:])), np.broadcast_to(pivots, (*lead, x.shape[-1]))
    found = np.array(np.broadcast_to(b, (*lead, *b.shape[-2:])))
    for at in np.ndindex(lead):
        if found[at].size:
            found[at], _ = solver(x[at], pivots[at], found[at], lower=1)
    return found


LINALG = {
    f.__name__: f
    for f in (
        eig, lu, lu_factor, lu_unpack, lu_solve, cholesky_ex, householder_product, geqrf, solve_triangular,
        ldl_factor, ldl_solve,
    )
}  # fmt: skip
