"""Results that are not unique (signs and order of vectors): compared by what they are the factors of."""

from typing import Any

import numpy as np

from compare import flat


def _wide(x: Any) -> np.ndarray:
    return np.asarray(x.data, dtype=np.complex128)


def _t(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def _sorted(x: np.ndarray) -> np.ndarray:
    order = np.lexsort((x.imag.round(4), x.real.round(4)), axis=-1)
    return np.take_along_axis(x, order, axis=-1)


def _svd(parts: list[Any], v_is_vh: bool) -> list[np.ndarray]:
    if len(parts) != 3:
        return [_wide(p) for p in parts]
    u, s, v = map(_wide, parts)
    if 0 in (u.size, v.size):
        return [s]
    vh = v if v_is_vh else _t(v)
    k = s.shape[-1]
    return [s, (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], _t(u) @ u, vh @ _t(vh)]


def _qr(parts: list[Any]) -> list[np.ndarray]:
    q, r = map(_wide, parts)
    return [_t(r) @ r] if q.size == 0 else [q @ r, _t(q) @ q]


def _eigh(parts: list[Any]) -> list[np.ndarray]:
    values, vectors = map(_wide, parts)
    return [values, (vectors * values[..., None, :]) @ _t(vectors), _t(vectors) @ vectors]


def _eig(parts: list[Any]) -> list[np.ndarray]:
    values, vectors = map(_wide, parts)
    if values.size == 0:
        return [values]
    return [
        _sorted(values),
        (vectors * values[..., None, :]) @ np.linalg.pinv(vectors),
        np.linalg.norm(vectors, axis=-2),
    ]


def _lax_eig(parts: list[Any]) -> list[np.ndarray]:
    values, *vectors = parts
    return [part for item in vectors for part in _eig([values, item])] or [_sorted(_wide(values))]


_RULES = {
    "svd": lambda parts: _svd(parts, v_is_vh=False),
    "linalg.svd": lambda parts: _svd(parts, v_is_vh=True),
    "svd_lowrank": lambda parts: _svd(parts, v_is_vh=False),
    "pca_lowrank": lambda parts: _svd(parts, v_is_vh=False),
    "qr": _qr,
    "linalg.qr": _qr,
    "linalg.eigh": _eigh,
    "linalg.eig": _eig,
    "lax.cholesky": lambda parts: [_wide(parts[0]) @ _t(_wide(parts[0]))],
    "lax.svd": lambda parts: _svd(parts, v_is_vh=True),
    "lax.eigh": lambda parts: _eigh(parts[::-1]),
    "lax.eig": _lax_eig,
    "linalg.eigvals": lambda parts: [_sorted(_wide(parts[0]))],
}


def products(name: str, result: Any) -> list[np.ndarray] | None:
    """What the parts of a factorisation's result fix, or None where results are compared as they are."""
    rule = _RULES.get(name)
    return None if rule is None else rule(flat(result))


def factor_difference(name: str, want: Any, got: Any) -> str | None:
    """What differs between two results of a factorisation: types of the parts, then their products."""
    wanted, have = flat(want), flat(got)
    if [(p.dtype, p.data.shape) for p in wanted] != [(p.dtype, p.data.shape) for p in have]:
        return "parts have other dtypes or shapes"
    for w, g in zip(products(name, want) or (), products(name, got) or ()):
        scale = max(1.0, float(np.max(np.abs(w), initial=0.0)))
        if not np.allclose(w, g, rtol=1e-3, atol=1e-3 * scale, equal_nan=True):
            return "the parts are factors of something else"
    return None
