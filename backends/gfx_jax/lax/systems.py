"""jax.lax.linalg, the factors of jax.scipy.linalg, and lax.fft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import lax

from gfx_ir import ops
from gfx_ir.dtypes import default, float32, int32
from gfx_ir.ops import _seen

from ..mode import rules
from ..ops._lift import ask_rank, expect, kind_of, refuse


def _cholesky(a: Any, *, symmetrize_input: bool = True) -> Any:
    return ops.cholesky(a, symmetrized=symmetrize_input)


def _triangular_solve(
    a: Any, b: Any, *, left_side: bool = False, lower: bool = False, transpose_a: bool = False,
    conjugate_a: bool = False, unit_diagonal: bool = False,
) -> Any:  # fmt: skip
    """a @ y = b, or y @ a = b, of which the transposed equations are the same."""
    if conjugate_a and kind_of(a) == "c":
        a = ops.conj(a)
    if transpose_a:
        a, lower = ops.matrix_transpose(a), not lower
    vector = ask_rank(b, "lax.linalg.triangular_solve") == ask_rank(a, "lax.linalg.triangular_solve") - 1
    if vector:
        b = ops.expand_dims(b, -1)
    elif not left_side:
        b = ops.matrix_transpose(b)
    if not left_side:
        a, lower = ops.matrix_transpose(a), not lower
    found = _in_single(lambda x, y: ops.solve_triangular(x, y, not lower, unit_diagonal), a, b)
    if vector:
        return ops.squeeze(found, axis=-1)
    return found if left_side else ops.matrix_transpose(found)


def _factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """jax.scipy.linalg.cholesky, which reads one triangle."""
    if kind_of(a) in ("b", "i", "u"):
        a = ops.astype(a, default("f", rules()))
    adjoint = lambda x: ops.conj(ops.matrix_transpose(x)) if kind_of(x) == "c" else ops.matrix_transpose(x)
    return ops.cholesky(a) if lower else adjoint(ops.cholesky(adjoint(a)))


def _factor_and_side(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """jax.scipy.linalg.cho_factor."""
    return _factor(a, lower), lower


def _solve_by_factor(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """jax.scipy.linalg.cho_solve: two systems of one triangle each."""
    factor, lower = c_and_lower
    for transposed in (not lower, lower):
        b = _triangular_solve(factor, b, left_side=True, lower=lower, transpose_a=transposed, conjugate_a=transposed)
    return b


def _in_single(solve: Callable[..., Any], *arrays: Any) -> Any:
    """Arrays of 16 bits are computed with in 32, as JAX does, and so that others can."""
    dtype = _seen.dtype(arrays[0])
    if dtype is None or dtype.bits != 16:
        return solve(*arrays)
    return ops.astype(solve(*(ops.astype(x, float32) for x in arrays)), dtype)


def _eigh(
    x: Any, *, lower: bool = True, symmetrize_input: bool = True, sort_eigenvalues: bool = True,
    subset_by_index: Any = None, implementation: Any = None,
) -> Any:  # fmt: skip
    """lax.linalg.eigh: vectors first."""
    refuse("lax.linalg.eigh", subset_by_index=subset_by_index, implementation=implementation)
    values, vectors = ops.eigh(x, uplo="L" if lower else "U", symmetrized=symmetrize_input)
    return vectors, values


def _eig(
    x: Any, *, compute_left_eigenvectors: bool = True, compute_right_eigenvectors: bool = True, **options: Any
) -> Any:
    """lax.linalg.eig: vectors only where they are asked for, those from the left first."""
    refuse("lax.linalg.eig", **options)
    if not (compute_left_eigenvectors or compute_right_eigenvectors):
        return [ops.eigvals(x)]
    values, vectors = ops.eig(x)
    left = [_from_the_left(vectors)] if compute_left_eigenvectors else []
    return [values, *left, *([vectors] if compute_right_eigenvectors else [])]


def _from_the_left(vectors: Any) -> Any:
    """Of length 1: what the rows of the inverse are as columns."""
    found = ops.conj(ops.matrix_transpose(ops.inv(vectors)))
    return ops.divide(found, ops.vector_norm(found, axis=-2, keepdims=True))


def _svd(
    x: Any, *, full_matrices: bool = True, compute_uv: bool = True, subset_by_index: Any = None, algorithm: Any = None
) -> Any:
    refuse("lax.linalg.svd", subset_by_index=subset_by_index, algorithm=algorithm)
    return ops.svd(x, full_matrices=full_matrices) if compute_uv else ops.svdvals(x)


def _qr(x: Any, *, pivoting: bool = False, full_matrices: bool = True, use_magma: Any = None) -> Any:
    expect("lax.linalg.qr", "pivoting", pivoting, False)
    return ops.qr(x, mode="complete" if full_matrices else "reduced")


def _lu(x: Any) -> Any:
    """lax.linalg.lu: packed factors, rows that were swapped in turn, and the order of rows that comes of it."""
    packed, pivots = ops.lu_factor(x)
    rows = ops.size(x, -2)
    if not isinstance(rows, int):
        refuse("lax.linalg.lu of an unknown size", x=x)
    return packed, ops.astype(ops.subtract(pivots, 1), int32), _order(packed, pivots)


def _order(packed: Any, pivots: Any) -> Any:
    """The order of rows that swaps in turn come to."""
    return ops.astype(ops.argmax(ops.real(ops.lu_unpack(packed, pivots)[0]), axis=-2), int32)


def _permutation(pivots: Any, permutation_size: int) -> Any:
    """lax.linalg.lu_pivots_to_permutation."""
    name = "lax.linalg.lu_pivots_to_permutation"
    dims = [_seen.length(pivots, axis, f"{name} needs known sizes") for axis in range(ask_rank(pivots, name))]
    packed = ops.zeros((*dims[:-1], permutation_size, dims[-1]), dtype=float32)
    return _order(packed, ops.add(pivots, 1))


_TRANSFORMS = {
    "FFT": ("fft", "fftn"),
    "IFFT": ("ifft", "ifftn"),
    "RFFT": ("rfft", "rfftn"),
    "IRFFT": ("irfft", "irfftn"),
}


def _fft(x: Any, fft_type: Any, fft_lengths: Any) -> Any:
    """lax.fft: over as many of the last axes as there are lengths."""
    kind = lax.FftType[fft_type.upper()] if isinstance(fft_type, str) else lax.FftType(fft_type)
    one, several = (getattr(ops, name) for name in _TRANSFORMS[kind.name])
    lengths = tuple(fft_lengths)
    if len(lengths) == 1:
        return one(x, n=lengths[0])
    return several(x, s=lengths, axes=tuple(range(-len(lengths), 0)))


SYSTEMS: dict[str, Callable[..., Any]] = {
    "lax.linalg.cholesky": _cholesky,
    "jax.scipy.linalg.cholesky": _factor,
    "jax.scipy.linalg.cho_factor": _factor_and_side,
    "jax.scipy.linalg.cho_solve": _solve_by_factor,
    "lax.linalg.triangular_solve": _triangular_solve,
    "lax.linalg.eigh": _eigh,
    "lax.linalg.eig": _eig,
    "lax.linalg.svd": _svd,
    "lax.linalg.qr": _qr,
    "lax.linalg.lu": _lu,
    "lax.linalg.lu_pivots_to_permutation": _permutation,
    "lax.linalg.householder_product": lambda a, taus: ops.householder_product(a, taus),
    "lax.fft": _fft,
}
