"""Decompositions: https://docs.pytorch.org/docs/stable/linalg.html."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.dtypes import dtype

from ..lifting import BOOL, kind, names
from ..lifts import decompositions as lifts
from ..lifts import systems


def _linalg(name: str, also: str = "") -> str:
    return f"torch.linalg.{name} {also}"


def _of_hermitian(name: str) -> Any:
    """A function of one triangle."""
    return lambda a: f"torch.linalg.{name}({'(x + x.mH) / 2' if a.symmetrized else 'x'}, UPLO=uplo)"


def _kron(input: Any, other: Any) -> Any:
    """Of truth values too, which JAX does not multiply."""
    if kind(input) == kind(other) == "b":
        return ops.astype(ops.kron(*(ops.astype(x, dtype("int8")) for x in (input, other))), BOOL)
    return ops.kron(input, other)


ROWS = (
    Row("svd", "torch.linalg.svd(x, full_matrices=full_matrices)", {"torch.linalg.svd": lifts.svd}),
    Row("svdvals", "torch.linalg.svdvals(x)", {"torch.linalg.svdvals": lambda A, *, driver=None: ops.svdvals(A)}),
    Row("qr", "torch.linalg.qr(x, mode=mode)", {"torch.linalg.qr": lifts.qr, names("qr"): lifts.old_qr}),
    Row("eigh", _of_hermitian("eigh"), {"torch.linalg.eigh": lifts.eigh}),
    Row("eigvalsh", _of_hermitian("eigvalsh"), {"torch.linalg.eigvalsh": lifts.eigvalsh}),
    Row("eig", "torch.linalg.eig(x)", {"torch.linalg.eig": lifts.eig}),
    Row("eigvals", "torch.linalg.eigvals(x)", {"torch.linalg.eigvals": lambda A: ops.eigvals(A)}),
    Row("slogdet", "torch.linalg.slogdet(x)", {f"{names('slogdet')} torch.linalg.slogdet": lifts.slogdet}),
    Row("pinv", "torch.linalg.pinv(x, rtol=rtol, hermitian=hermitian)", {"torch.linalg.pinv": lifts.pinv}),
    Row("matrix_cond", "torch.linalg.cond(x, p=p)", {"torch.linalg.cond": lambda A, p=None: ops.matrix_cond(A, p)}),
    Row(
        "matrix_rank",
        "torch.linalg.matrix_rank(x, rtol=rtol, hermitian=hermitian)",
        {"torch.linalg.matrix_rank": lifts.matrix_rank},
    ),
    Row(
        "matrix_power",
        "torch.linalg.matrix_power(x, n)",
        {_linalg("matrix_power", names("matrix_power")): lifts.matrix_power},
    ),
    Row("matrix_exp", "torch.linalg.matrix_exp(x)", {_linalg("matrix_exp", names("matrix_exp")): lifts.matrix_exp}),
    Row("kron", "torch.kron(x1, x2)", {names("kron"): _kron}),
    Row("lu", "torch.linalg.lu(x)", {"torch.linalg.lu": lifts.lu}),
    Row("lu_factor", "torch.linalg.lu_factor(x)", {"torch.linalg.lu_factor": lifts.lu_factor}),
    Row("lu_unpack", "torch.lu_unpack(x, pivots)", {"torch.lu_unpack": lifts.lu_unpack}),
    Row(
        "lu_solve",
        lambda a: (
            "torch.linalg.lu_solve(x, pivots, b.mT, left=False).mT"
            if a.transposed
            else "torch.linalg.lu_solve(x, pivots, b)"
        ),
        {"torch.linalg.lu_solve": lifts.lu_solve, names("lu_solve"): lifts.old_lu_solve},
    ),
    Row("cholesky_ex", "torch.linalg.cholesky_ex(x)", {"torch.linalg.cholesky_ex": lifts.cholesky_ex}),
    Row("geqrf", "torch.geqrf(x)", {names("geqrf"): lifts.geqrf}),
    Row(
        "householder_product",
        "torch.linalg.householder_product(x, tau)",
        {_linalg("householder_product", names("orgqr")): lifts.householder_product},
    ),
    Row(
        "solve_triangular",
        "torch.linalg.solve_triangular(x1, x2, upper=upper, unitriangular=unit_diagonal)",
        {"torch.linalg.solve_triangular": systems.solve_triangular},
        keep=("upper",),
        alike=("x1", "x2"),
    ),
    Row("ldl_factor", "torch.linalg.ldl_factor(x, hermitian=hermitian)", {"torch.linalg.ldl_factor": lifts.ldl_factor}),
    Row(
        "ldl_solve",
        "torch.linalg.ldl_solve(x, pivots, b, hermitian=hermitian)",
        {"torch.linalg.ldl_solve": lifts.ldl_solve},
    ),
    Row("lstsq", "torch.linalg.lstsq(x1, x2, rcond=rtol).solution", {"torch.linalg.lstsq": systems.lstsq}),
)
