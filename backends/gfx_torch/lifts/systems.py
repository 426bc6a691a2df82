"""Systems of linear equations: torch's own forms of them, old and new."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from gfx_ir import ops
from gfx_ir.lifting.ranks import is_one_size

from ..lifting import INT64, ask_rank, kind, known_rank, known_size, names, plain, refuse, told_size
from .decompositions import _first_zero

SolveEx = namedtuple("SolveEx", ("result", "info"))
InverseEx = namedtuple("InverseEx", ("inverse", "info"))
TriangularSolve = namedtuple("TriangularSolve", ("solution", "cloned_coefficient"))
Lstsq = namedtuple("Lstsq", ("solution", "residuals", "rank", "singular_values"))


# ---------------------------------------------------------------- systems of equations
def _is_vector(A: Any, B: Any) -> bool:
    """Whether B is a stack of vectors: one axis fewer than A and the same sizes before its last."""
    other = known_rank(B)
    if other == 1:
        return True
    rank = ask_rank(A, 2, "torch.linalg.solve")  # of one matrix, B is a vector where it has one axis
    if rank is None or other is None or rank - 1 != other:
        return False
    return all(is_one_size("torch.linalg.solve", told_size(A, at), told_size(B, at)) for at in range(other))


def solve(A: Any, B: Any, *, left: Any = True) -> Any:
    """torch.linalg.solve: B may be a stack of vectors."""
    if _is_vector(A, B) and left:
        if known_rank(B) == 1 and known_rank(A) == 2:
            return ops.solve(A, B)
        return ops.squeeze(ops.solve(A, ops.expand_dims(B, -1)), axis=-1)
    if left:
        return ops.solve(A, B)
    return ops.matrix_transpose(ops.solve(ops.matrix_transpose(A), ops.matrix_transpose(B)))


def solve_ex(A: Any, B: Any, *, left: Any = True, check_errors: Any = False) -> Any:
    """torch.linalg.solve_ex."""
    plain("torch.linalg.solve_ex", check_errors=check_errors)
    return SolveEx(solve(A, B, left=left), _first_zero(ops.lu_factor(A)[0]))


def inv_ex(A: Any, *, check_errors: Any = False) -> Any:
    """torch.linalg.inv_ex."""
    plain("torch.linalg.inv_ex", check_errors=check_errors)
    return InverseEx(ops.inv(A), _first_zero(ops.lu_factor(A)[0]))


def solve_triangular(A: Any, B: Any, *, upper: Any, left: Any = True, unitriangular: Any = False) -> Any:
    """torch.linalg.solve_triangular."""
    if left:
        return ops.solve_triangular(A, B, upper=upper, unit_diagonal=unitriangular)
    turn = ops.matrix_transpose
    return turn(ops.solve_triangular(turn(A), turn(B), upper=not upper, unit_diagonal=unitriangular))


def triangular_solve(b: Any, A: Any, upper: Any = True, transpose: Any = False, unitriangular: Any = False) -> Any:
    """torch.triangular_solve."""
    matrix, above = (ops.matrix_transpose(A), not upper) if transpose else (A, upper)
    found = ops.solve_triangular(matrix, b, upper=above, unit_diagonal=unitriangular)
    return TriangularSolve(found, ops.copy(A))


def lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """torch.linalg.lstsq: which of its results are empty hangs on the driver. Residuals of matrices of less than full
    rank, which torch leaves out, are NaN."""
    vector = _is_vector(A, B)
    right = ops.expand_dims(B, -1) if vector else B
    found = ops.lstsq(A, right, rtol=rcond)
    rows, columns = known_size(A, -2), known_size(A, -1)
    empty = ops.getitem(ops.flatten(ops.real(A) if kind(A) == "c" else A), slice(0, 0))
    residuals, rank, singular = empty, ops.astype(empty, INT64), empty
    if driver != "gels":
        rank = ops.matrix_rank(A, rtol=rcond)
    if driver in ("gelsd", "gelss"):
        singular = ops.svdvals(A)
    if driver not in (None, "gelsy") and (rows is None or columns is None or rows > columns):
        off = ops.abs(ops.subtract(ops.matmul(A, found), right))
        residuals = ops.sum(ops.square(off), axis=-2)
        if driver != "gels":
            full = ops.expand_dims(ops.equal(rank, ops.size(A, -1)), -1)
            residuals = ops.where(full, residuals, float("nan"))
    return Lstsq(ops.squeeze(found, axis=-1) if vector else found, residuals, rank, singular)


def tensorinv(A: Any, ind: Any = 2) -> Any:
    """torch.linalg.tensorinv: the inverse of A as a map between its first `ind` axes and the others."""
    rank = known_rank(A)
    if rank is None:
        refuse("torch.linalg.tensorinv of a tensor of unknown rank", "give its shape: gfx.TensorSpec(shape, dtype)")
    sizes = [ops.size(A, at) for at in range(rank)]
    square = ops.inv(ops.flatten(ops.flatten(A, ind, -1), 0, ind - 1))
    return ops.reshape(square, (*sizes[ind:], *sizes[:ind]))


def tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    """torch.linalg.tensorsolve: the solution of tensordot(A, y, y.ndim) = B."""
    rank, known = known_rank(A), known_rank(B)
    if rank is None or known is None:
        refuse("torch.linalg.tensorsolve of tensors of unknown rank", "give shapes: gfx.TensorSpec(shape, dtype)")
    if dims is not None:
        moved = tuple(d % rank for d in dims)
        A = ops.permute_dims(A, (*(at for at in range(rank) if at not in moved), *moved))
    sizes = tuple(ops.size(A, at) for at in range(known, rank))
    square = ops.reshape(A, (ops.numel(B), -1))
    return ops.reshape(ops.solve(square, ops.flatten(B)), sizes)


LIFTS = {
    "torch.linalg.solve_ex": solve_ex,
    "torch.linalg.inv_ex": inv_ex,
    names("triangular_solve"): triangular_solve,
    "torch.linalg.tensorinv": tensorinv,
    "torch.linalg.tensorsolve": tensorsolve,
}
