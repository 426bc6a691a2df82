"""Primitives of linear algebra and transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import lax

Call = Callable[..., Any]


def _qr(call: Call, params: dict, x: Any) -> Any:
    return call(lax.linalg.qr, x, full_matrices=params["full_matrices"])


def _svd(call: Call, params: dict, x: Any) -> Any:
    found = call(lax.linalg.svd, x, full_matrices=params["full_matrices"], compute_uv=params["compute_uv"])
    if not params["compute_uv"]:
        return (found,)
    u, s, vh = found
    return s, u, vh


def _eigh(call: Call, params: dict, x: Any) -> Any:
    given = {name: params[name] for name in ("lower", "sort_eigenvalues")}
    return call(lax.linalg.eigh, x, symmetrize_input=False, **given)


def _eig(call: Call, params: dict, x: Any) -> Any:
    names = "compute_left_eigenvectors", "compute_right_eigenvectors"
    return call(lax.linalg.eig, x, **{name: params[name] for name in names})


def _triangular(call: Call, params: dict, a: Any, b: Any) -> Any:
    names = "left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal"
    return call(lax.linalg.triangular_solve, a, b, **{name: params[name] for name in names})


SYSTEMS: dict[str, Call] = {
    "cholesky": lambda call, params, x: call(lax.linalg.cholesky, x, symmetrize_input=False),
    "eig": _eig,
    "eigh": _eigh,
    "fft": lambda call, params, x: call(lax.fft, x, params["fft_type"], params["fft_lengths"]),
    "householder_product": lambda call, params, a, taus: call(lax.linalg.householder_product, a, taus),
    "lu": lambda call, params, x: call(lax.linalg.lu, x),
    "lu_pivots_to_permutation": lambda call, params, x: call(
        lax.linalg.lu_pivots_to_permutation, x, params["permutation_size"]
    ),
    "qr": _qr,
    "svd": _svd,
    "triangular_solve": _triangular,
}
