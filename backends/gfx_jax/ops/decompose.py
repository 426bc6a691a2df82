"""Decompositions: https://docs.jax.dev/en/latest/jax.numpy.html#module-jax.numpy.linalg and jax.scipy.linalg."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import dtype_of
from gfx_ir.errors import MissingOp
from gfx_ir.lifting.decompositions import Decompositions, Eigen
from gfx_ir.lifting.ranks import is_one_size
from gfx_ir.lifting.words import ask_rank
from gfx_ir.ops import _seen
from gfx_ir.ops.create import limit

from ._lift import JNP, expect, refuse

_EPS = "max(x.shape[-2:]) * jnp.finfo(x.dtype).eps"
_NO_LDL = "JAX has no LDL decomposition; use lu_factor and lu_solve"


def _ten_times(a: Any) -> Any:
    """JAX's own cut-off of pinv."""
    dtype = dtype_of(a)
    sizes = [size for size in (ops.size(a, -1), ops.size(a, -2)) if isinstance(size, int)]
    if dtype is None or len(sizes) < 2:
        raise MissingOp(
            "jnp.linalg.pinv without rtol= of matrices of unknown size or dtype has no counterpart",
            hint="give rtol=, or the argument's shape and dtype: gfx.TensorSpec(shape, dtype)",
        )
    return 10.0 * max(sizes) * limit(dtype, "eps")


_SAME = JNP.table(Decompositions(JNP, _ten_times).table())


def _pinv(args: SimpleNamespace) -> str:
    # of Hermitian matrices JAX reads both triangles, the others the lower one
    x = "jnp.tril(x) + jnp.tril(x, -1).mT.conj()" if args.hermitian else "x"
    return f"jnp.linalg.pinv({x}, {_EPS if args.rtol is None else 'rtol'}, hermitian=hermitian)"


def _solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, overwrite_b: bool = False,
    debug: Any = None, check_finite: bool = True,
) -> Any:  # fmt: skip
    expect("jax.scipy.linalg.solve_triangular", "trans", trans, 0, 1, 2, "N", "T", "C")
    if trans not in (0, "N"):
        a, lower = ops.matrix_transpose(a), not lower
        a = ops.conj(a) if trans in (2, "C") else a
    if _is_vector(a, b):
        return ops.squeeze(ops.solve_triangular(a, ops.expand_dims(b, -1), not lower, unit_diagonal), axis=-1)
    return ops.solve_triangular(a, b, not lower, unit_diagonal)


def _is_vector(a: Any, b: Any) -> bool:
    """Whether b is a stack of vectors: one axis fewer than a and the size of its last. Raises OpenShape where that is open."""
    given = _seen.rank(b)
    if given == 1:
        return True
    call = "jax.scipy.linalg.solve_triangular"
    if ask_rank(a, call, 2) == 2 or given is None or given != ask_rank(a, call) - 1:
        return False
    return is_one_size(call, _seen.size_of(a, -1), _seen.size_of(b, -1))


def _lu(a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    p, lower, upper = ops.lu(a)
    p = p if permute_l else ops.real(p)
    return (ops.matmul(p, lower), upper) if permute_l else (p, lower, upper)


def _lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    packed, pivots = ops.lu_factor(a)
    return packed, ops.subtract(pivots, 1)


def _expm(A: Any, *, upper_triangular: bool = False, max_squarings: int = 16) -> Any:
    return ops.matrix_exp(A)


def _matrix_rank(M: Any, rtol: Any = None, *, hermitian: bool = False, tol: Any = None) -> Any:
    return Decompositions(JNP).matrix_rank(M, tol, hermitian, rtol=rtol)


def _eigh(a: Any, b: Any = None, lower: bool = True, eigvals_only: bool = False, **options: Any) -> Any:
    refuse("jax.scipy.linalg.eigh", b=b, **options)
    uplo = "L" if lower else "U"
    return ops.eigvalsh(a, uplo=uplo, symmetrized=True) if eigvals_only else ops.eigh(a, uplo=uplo, symmetrized=True)


def _of_hermitian(name: str) -> Any:
    """JAX takes the mean of both triangles, of which others read one."""

    def spelling(args: SimpleNamespace) -> str:
        read = "hermitian(x)" if args.uplo == "L" else "hermitian(x, uplo)"
        return f"jnp.linalg.{name}({'x' if args.symmetrized else read})"

    return spelling


ROWS = (
    Row("svd", "jnp.linalg.svd(x, full_matrices=full_matrices)", _SAME["svd"]),
    Row("svdvals", "jnp.linalg.svdvals(x)", _SAME["svdvals"]),
    Row("qr", "jnp.linalg.qr(x, mode=mode)", _SAME["qr"]),
    Row(
        "eigh",
        _of_hermitian("eigh"),
        _SAME["eigh"] | {"jax.scipy.linalg.eigh": _eigh},
    ),
    Row("eigvalsh", _of_hermitian("eigvalsh"), _SAME["eigvalsh"]),
    Row("eig", "jnp.linalg.eig(x)", {"jnp.linalg.eig": lambda a: Eigen(*ops.eig(a))}),
    Row("eigvals", "jnp.linalg.eigvals(x)", {"jnp.linalg.eigvals": lambda a: ops.eigvals(a)}),
    Row("slogdet", "jnp.linalg.slogdet(x)", _SAME["slogdet"]),
    Row("pinv", _pinv, _SAME["pinv"]),
    Row("matrix_cond", "jnp.linalg.cond(x, p=p)", _SAME["matrix_cond"]),
    Row("matrix_power", "jnp.linalg.matrix_power(x, n)", _SAME["matrix_power"]),
    Row("matrix_rank", None, {"jnp.linalg.matrix_rank": _matrix_rank}),
    Row("matrix_exp", "jax.scipy.linalg.expm(x)", {"jax.scipy.linalg.expm": _expm}),
    Row("kron", "jnp.kron(x1, x2)", _SAME["kron"]),
    Row("lu", "lu(x)", {"jax.scipy.linalg.lu": _lu}),
    Row("lu_factor", "lu_factor(x)", {"jax.scipy.linalg.lu_factor": _lu_factor}),
    Row("lu_unpack", "lu_unpack(x, pivots)"),
    Row("lu_solve", "lu_solve(x, pivots, b, transposed)"),
    Row("cholesky_ex", "cholesky_ex(x)"),
    Row("geqrf", "geqrf(x)"),
    Row("householder_product", "jax.lax.linalg.householder_product(x, tau)"),
    Row(
        "solve_triangular",
        "solve_triangular(x1, x2, upper=upper, unit_diagonal=unit_diagonal)",
        {"jax.scipy.linalg.solve_triangular": _solve_triangular},
    ),
    Row(
        "tridiagonal_solve",
        "jax.lax.linalg.tridiagonal_solve(lower, diagonal, upper, b)",
        {"lax.linalg.tridiagonal_solve": lambda dl, d, du, b: ops.tridiagonal_solve(dl, d, du, b)},
    ),
    Row("ldl_factor", missing=_NO_LDL),
    Row("ldl_solve", missing=_NO_LDL),
)
