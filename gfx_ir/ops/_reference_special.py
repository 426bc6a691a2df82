"""Special functions that SciPy has not, or not for every degree, in NumPy."""

import numpy as np


def orthogonal_polynomial(x, n, kind):
    """The polynomial of degree n (cut to a whole number) of a family at x, by its recurrence; 0 where n < 0."""
    dtype = np.result_type(x, n)
    x, n = np.broadcast_arrays(np.asarray(x, dtype if dtype.kind == "f" else float), np.trunc(n))
    starts = {"U": 2 * x, "V": 2 * x - 1, "W": 2 * x + 1, "H": 2 * x, "L": 1 - x}
    before, last = np.ones_like(x), starts.get(kind, x)
    found = np.where(n == 0, before, np.where(n == 1, last, np.zeros_like(x)))
    for k in range(1, int(np.max(n, initial=0))):
        if kind in ("L", "P"):
            factor = 2 * k + 1 - x if kind == "L" else (2 * k + 1) * x
            before, last = last, (factor * last - k * before) / (k + 1)
        elif kind == "He":
            before, last = last, x * last - k * before
        else:
            before, last = last, 2 * x * last - (2 * k if kind == "H" else 1) * before
        found = np.where(n == k + 1, last, found)
    return found


def trunc_divide(x1, x2):
    """x1 / x2 rounded toward zero: of integers an integer."""
    if np.result_type(x1, x2).kind in "biu":
        return (x1 - np.fmod(x1, x2)) // x2
    return np.trunc(x1 / x2)


def logaddexp(x1, x2):
    """log(exp(x1) + exp(x2)) of complex numbers, without overflow."""
    first = np.real(x1) >= np.real(x2)
    top, other = np.where(first, x1, x2), np.where(first, x2, x1)
    return np.where(np.isinf(np.real(top)), top, top + np.log1p(np.exp(other - top)))


def logcumsumexp(x, axis):
    """log(cumsum(exp(x))) of complex numbers along an axis, without overflow."""
    rows = np.moveaxis(np.array(x), axis, 0)
    for k in range(1, len(rows)):
        rows[k] = logaddexp(rows[k - 1], rows[k])
    return np.moveaxis(rows, 0, axis)


SPECIAL = {f.__name__: f for f in (logaddexp, logcumsumexp, orthogonal_polynomial, trunc_divide)}
