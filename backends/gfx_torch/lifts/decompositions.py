"""Decompositions: torch's own forms of them, old and new."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import int32
from gfx_ir.ops._body import as_wide_as, widened
from gfx_ir.ops.decompose import cutoff

from ..lifting import known_size, names, plain, refuse

Svd = namedtuple("Svd", ("U", "S", "Vh"))
OldSvd = namedtuple("OldSvd", ("U", "S", "V"))
Qr = namedtuple("Qr", ("Q", "R"))
Eigen = namedtuple("Eigen", ("eigenvalues", "eigenvectors"))
SignLog = namedtuple("SignLog", ("sign", "logabsdet"))
Lu = namedtuple("Lu", ("P", "L", "U"))
LuFactor = namedtuple("LuFactor", ("LU", "pivots"))
LuFactorEx = namedtuple("LuFactorEx", ("LU", "pivots", "info"))
CholeskyEx = namedtuple("CholeskyEx", ("L", "info"))
Geqrf = namedtuple("Geqrf", ("a", "tau"))
Ldl = namedtuple("Ldl", ("LD", "pivots"))
LdlEx = namedtuple("LdlEx", ("LD", "pivots", "info"))


def adjoint(x: Any) -> Any:
    """x transposed and conjugated."""
    return ops.conj(ops.matrix_transpose(x))


# ---------------------------------------------------------------- singular values, eigenvalues
def svd(A: Any, full_matrices: Any = True, *, driver: Any = None) -> Any:
    """torch.linalg.svd."""
    return Svd(*ops.svd(A, full_matrices=full_matrices))


def old_svd(input: Any, some: Any = True, compute_uv: Any = True) -> Any:
    """torch.svd: V itself; without compute_uv zeros in the place of U and V."""
    if compute_uv:
        u, s, vh = ops.svd(input, full_matrices=not some)
        return OldSvd(u, s, adjoint(vh))
    u, s, vh = ops.svd(input, full_matrices=True)
    return OldSvd(ops.zeros_like(u), s, ops.zeros_like(vh))


def qr(A: Any, mode: Any = "reduced") -> Any:
    """torch.linalg.qr; in mode r there is an empty Q."""
    if mode == "r":
        q, r = ops.qr(A)
        return Qr(ops.getitem(ops.flatten(q), slice(0, 0)), r)
    return Qr(*ops.qr(A, mode=mode))


def old_qr(input: Any, some: Any = True) -> Any:
    """torch.qr."""
    return Qr(*ops.qr(input, mode="reduced" if some else "complete"))


def eigh(A: Any, UPLO: Any = "L") -> Any:
    """torch.linalg.eigh."""
    return Eigen(*ops.eigh(A, uplo=UPLO.upper()))


def eigvalsh(A: Any, UPLO: Any = "L") -> Any:
    """torch.linalg.eigvalsh."""
    return ops.eigvalsh(A, uplo=UPLO.upper())


def eig(A: Any) -> Any:
    """torch.linalg.eig."""
    return Eigen(*ops.eig(A))


def slogdet(A: Any) -> Any:
    """Sign and log of the absolute value of the determinant."""
    return SignLog(*ops.slogdet(A))


def logdet(A: Any) -> Any:
    """log of the determinant, NaN where that is negative."""
    sign, size = ops.slogdet(A)
    return ops.add(ops.log(sign), size)


# ---------------------------------------------------------------- by singular values
def _limit(size: Any, A: Any, atol: Any, rtol: Any) -> Any:
    """max(atol, rtol * the first and largest of `size`); rtol is 0 where only atol is given."""
    top = ops.getitem(size, (..., slice(None, 1)))
    if atol is None:
        return ops.multiply(top, cutoff(A) if rtol is None else _last(rtol))
    relative = ops.multiply(top, 0.0 if rtol is None else _last(rtol))
    if rtol is None and not isinstance(atol, (int, float)):  # a tolerance of 0 leaves the choice to torch
        relative = ops.multiply(top, ops.where(ops.greater(_last(atol), 0), 0.0, cutoff(A)))
    return ops.maximum(_last(atol), relative)


def _last(tolerance: Any) -> Any:
    return tolerance if isinstance(tolerance, (int, float)) else ops.expand_dims(tolerance, -1)


def pinv(A: Any, rcond: Any = None, hermitian: Any = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """torch.linalg.pinv."""
    rtol = rcond if rtol is None else rtol
    if atol is None or (isinstance(atol, (int, float)) and atol == 0):
        return ops.pinv(A, rtol=rtol, hermitian=hermitian)
    u, s, vh = ops.svd(A, full_matrices=False)
    large = ops.greater(s, _limit(s, A, atol, rtol))
    inverse = ops.where(large, ops.divide(1.0, ops.where(large, s, 1.0)), 0.0)
    return ops.matmul(ops.multiply(adjoint(vh), ops.expand_dims(inverse, -2)), adjoint(u))


def matrix_rank(A: Any, tol: Any = None, hermitian: Any = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """torch.linalg.matrix_rank; `tol` is absolute, and alone."""
    if tol is not None:
        atol, rtol = tol, 0.0
    if atol is None and (rtol is None or isinstance(rtol, float)):
        return ops.matrix_rank(A, rtol=rtol, hermitian=hermitian)
    size = ops.sort(ops.abs(ops.eigvalsh(A)), descending=True) if hermitian else ops.svdvals(A)
    return ops.count_nonzero(ops.greater(size, _limit(size, A, atol, rtol)), axis=-1)


def matrix_power(input: Any, n: Any) -> Any:
    """input @ input @ …, n times."""
    return ops.matrix_power(input, n)


def matrix_exp(A: Any) -> Any:
    """The exponential of a matrix; of half precision it goes by float32, in which no power on the way overflows."""
    return as_wide_as(A, ops.matrix_exp(widened(A)))


# ---------------------------------------------------------------- LU, Cholesky, LDL, QR as LAPACK has them
def _pivoting(call: str, pivot: Any) -> None:
    if pivot is not True:
        refuse(f"{call} with pivot={pivot!r} has no counterpart", "leave pivot= out")


def lu(A: Any, *, pivot: Any = True) -> Any:
    """torch.linalg.lu."""
    _pivoting("torch.linalg.lu", pivot)
    return Lu(*ops.lu(A))


def lu_factor(A: Any, *, pivot: Any = True) -> Any:
    """torch.linalg.lu_factor."""
    _pivoting("torch.linalg.lu_factor", pivot)
    return LuFactor(*ops.lu_factor(A))


def _first_zero(packed: Any) -> Any:
    """LAPACK's info of getrf: the first diagonal element of U that is 0, counted from 1; 0 where there is none."""
    zero = ops.equal(ops.diagonal(packed, 0, -2, -1), 0)
    before = ops.equal(ops.cumulative_sum(ops.astype(zero, int32), axis=-1), 0)
    first = ops.add(ops.count_nonzero(before, axis=-1), 1)
    return ops.astype(ops.where(ops.any(zero, axis=-1), first, 0), int32)


def lu_factor_ex(A: Any, *, pivot: Any = True, check_errors: Any = False) -> Any:
    """torch.linalg.lu_factor_ex."""
    _pivoting("torch.linalg.lu_factor_ex", pivot)
    plain("torch.linalg.lu_factor_ex", check_errors=check_errors)
    packed, pivots = ops.lu_factor(A)
    return LuFactorEx(packed, pivots, _first_zero(packed))


def old_lu(A: Any, pivot: Any = True, get_infos: Any = False) -> Any:
    """torch.lu."""
    packed, pivots, info = lu_factor_ex(A, pivot=pivot)
    return (packed, pivots, info) if get_infos else (packed, pivots)


def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: Any = True, unpack_pivots: Any = True) -> Any:
    """torch.lu_unpack; what is not asked for is empty."""
    p, lower, upper = ops.lu_unpack(LU_data, LU_pivots)
    nothing = ops.getitem(ops.flatten(LU_data), slice(0, 0))
    return Lu(p if unpack_pivots else nothing, *((lower, upper) if unpack_data else (nothing, nothing)))


def lu_solve(LU: Any, pivots: Any, B: Any, *, left: Any = True, adjoint: Any = False) -> Any:
    """torch.linalg.lu_solve."""
    turn = ops.matrix_transpose
    if left and not adjoint:
        return ops.lu_solve(LU, pivots, B)
    if left:
        return ops.conj(ops.lu_solve(LU, pivots, ops.conj(B), True))
    if not adjoint:
        return turn(ops.lu_solve(LU, pivots, turn(B), True))
    return turn(ops.conj(ops.lu_solve(LU, pivots, ops.conj(turn(B)))))


def old_lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """torch.lu_solve."""
    return ops.lu_solve(LU_data, LU_pivots, b)


def cholesky_ex(A: Any, *, upper: Any = False, check_errors: Any = False) -> Any:
    """torch.linalg.cholesky_ex."""
    plain("torch.linalg.cholesky_ex", check_errors=check_errors)
    lower, info = ops.cholesky_ex(adjoint(A) if upper else A)  # of the triangle that is asked for
    return CholeskyEx(adjoint(lower) if upper else lower, info)


def cholesky_solve(B: Any, L: Any, upper: Any = False) -> Any:
    """The solution of (L @ L.mH) @ y = B."""
    lower = adjoint(L) if upper else L
    return ops.solve_triangular(adjoint(lower), ops.solve_triangular(lower, B), True)


def cholesky_inverse(L: Any, upper: Any = False) -> Any:
    """The inverse of L @ L.mH."""
    size = ops.size(L, -1)
    return cholesky_solve(ops.eye(size, dtype=_dtype(L)), L, upper)


def _dtype(x: Any) -> Any:
    known = getattr(getattr(x, "type", None), "dtype", None)
    return known or ops.dtype_of(x)


def geqrf(input: Any) -> Any:
    """torch.geqrf."""
    return Geqrf(*ops.geqrf(input))


def householder_product(A: Any, tau: Any) -> Any:
    """torch.linalg.householder_product."""
    return ops.householder_product(A, tau)


def ormqr(input: Any, tau: Any, other: Any, left: Any = True, transpose: Any = False) -> Any:
    """The product of the whole Q of geqrf (or its adjoint) and `other`."""
    rows, columns = known_size(input, -2), known_size(input, -1)
    if rows is None or columns is None:
        refuse("torch.ormqr of matrices of unknown size", "give the argument's shape: gfx.TensorSpec(shape, dtype)")
    more = max(rows - columns, 0)
    reflections = ops.pad(input, ((0, more),)) if more else ops.getitem(input, (..., slice(None, rows)))
    q = ops.householder_product(reflections, tau)
    q = adjoint(q) if transpose else q
    return ops.matmul(q, other) if left else ops.matmul(other, q)


def ldl_factor(A: Any, *, hermitian: Any = False) -> Any:
    """torch.linalg.ldl_factor."""
    return Ldl(*ops.ldl_factor(A, hermitian=hermitian))


def ldl_factor_ex(A: Any, *, hermitian: Any = False, check_errors: Any = False) -> Any:
    """torch.linalg.ldl_factor_ex; info is that of a decomposition that went through."""
    plain("torch.linalg.ldl_factor_ex", check_errors=check_errors)
    packed, pivots = ops.ldl_factor(A, hermitian=hermitian)
    zero = ops.equal(ops.diagonal(packed, 0, -2, -1), 0)
    single = ops.greater(pivots, 0)
    return LdlEx(packed, pivots, ops.astype(ops.any(ops.logical_and(zero, single), axis=-1), int32))


def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: Any = False) -> Any:
    """torch.linalg.ldl_solve."""
    return ops.ldl_solve(LD, pivots, B, hermitian=hermitian)


LIFTS = {
    names("svd"): old_svd,
    names("logdet"): logdet,
    "torch.lu Tensor.lu": old_lu,
    "torch.linalg.lu_factor_ex": lu_factor_ex,
    names("cholesky_solve"): cholesky_solve,
    names("cholesky_inverse"): cholesky_inverse,
    names("ormqr"): ormqr,
    "torch.linalg.ldl_factor_ex": ldl_factor_ex,
    names("pinverse"): lambda input, rcond=1e-15: ops.pinv(input, rtol=rcond),
}
