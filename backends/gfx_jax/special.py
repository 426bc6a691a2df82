"""Special functions that jax.scipy has not. Emitted source contains the ones it needs."""

import jax
import jax.numpy as jnp


def orthogonal_polynomial(x, n, kind):
    """The polynomial of degree n (cut to a whole number) of a family at x, by its recurrence; 0 where n < 0."""
    dtype = jnp.promote_types(jnp.result_type(x, n), jnp.bfloat16)
    x, n = jnp.broadcast_arrays(jnp.asarray(x, dtype), jnp.trunc(n))
    starts = {"U": 2 * x, "V": 2 * x - 1, "W": 2 * x + 1, "H": 2 * x, "L": 1 - x}

    def following(k, state):
        before, last, found = state
        if kind in ("L", "P"):
            factor = 2 * k + 1 - x if kind == "L" else (2 * k + 1) * x
            new = (factor * last - k * before) / (k + 1)
        elif kind == "He":
            new = x * last - k * before
        else:
            new = 2 * x * last - (2 * k if kind == "H" else 1) * before
        new = new.astype(dtype)
        return last, new, jnp.where(n == k + 1, new, found)

    before, last = jnp.ones_like(x), starts.get(kind, x)
    found = jnp.where(n == 0, before, jnp.where(n == 1, last, jnp.zeros_like(x)))
    degree = jnp.max(n, initial=0).astype(int)
    return jax.lax.fori_loop(1, degree, following, (before, last, found))[2]


def trunc_divide(x1, x2):
    """x1 / x2 rounded toward zero: of integers an integer."""
    if jnp.issubdtype(jnp.result_type(x1, x2), jnp.inexact):
        return jnp.trunc(x1 / x2)
    return (x1 - jnp.fmod(x1, x2)) // x2


def digamma(x):
    """The logarithmic derivative of the gamma function; infinite at 0, where jax.scipy has NaN."""
    return jnp.where(x == 0, jnp.copysign(jnp.inf, -x), jax.scipy.special.digamma(x))


def zeta(x1, x2):
    """The Hurwitz zeta function: infinite at its poles, the whole x2 up to 0, and no number where x1 < 1; jax.scipy has
    it the other way."""
    pole = (x1 > 1) & (x2 <= 0) & (x2 == jnp.floor(x2))
    return jnp.where(x1 < 1, jnp.nan, jnp.where(pole, jnp.inf, jax.scipy.special.zeta(x1, x2)))


def expn(n, x):
    """The exponential integral of order n: 1 / (n - 1) at 0 and 0 at infinity, where jax.scipy has 1 / n and NaN."""
    found = jax.scipy.special.expn(n, x)
    found = jnp.where((x == 0) & (n > 1), (1 / jnp.maximum(n - 1, 1)).astype(found.dtype), found)
    return jnp.where((x == jnp.inf) & (n >= 0), 0.0, found)


def polygamma(n, x):
    """The nth derivative of digamma; of negative x by reflection, for which jax.scipy's sum has too few terms."""
    if n == 0:
        return digamma(x)
    powers = [0.0, jnp.pi]  # of cot(pi x), in the nth derivative of pi cot(pi x)
    for _ in range(n):
        slopes = [-jnp.pi * k * factor for k, factor in enumerate(powers)][1:]
        powers = [a + b for a, b in zip([*slopes, 0.0, 0.0], [0.0, 0.0, *slopes])]
    found = jnp.where(x == 0, (-1) ** (n + 1) * jnp.inf, jax.scipy.special.polygamma(n, jnp.where(x < 0, 1 - x, x)))
    below = jnp.where(x < 0, x, 0.25)  # elsewhere it has no pole, nor its derivative
    cotangent = 1 / jnp.tan(jnp.pi * (below - jnp.round(below)))
    return jnp.where(x < 0, (-1) ** n * found - jnp.polyval(jnp.array(powers[::-1], x.dtype), cotangent), found)


def logaddexp(x1, x2):
    """log(exp(x1) + exp(x2)) of complex numbers, without overflow; its angle goes on from the larger one's."""
    first = x1.real >= x2.real
    top, other = jnp.where(first, x1, x2), jnp.where(first, x2, x1)
    return jnp.where(jnp.isinf(top.real), top, top + jnp.log1p(jnp.exp(other - top)))


def logcumsumexp(x, axis):
    """log(cumsum(exp(x))) along an axis, without overflow."""
    if jnp.iscomplexobj(x):

        def plus(before, row):
            total = logaddexp(before, row)
            return total, total

        rows = jnp.moveaxis(x, axis, 0)
        rows = jax.lax.scan(plus, jnp.full_like(rows[0], -jnp.inf), rows)[1]
        return jnp.moveaxis(rows, 0, axis)
    x = x if jnp.issubdtype(x.dtype, jnp.floating) else x.astype(float)
    return jax.lax.cumlogsumexp(x, axis=axis % x.ndim)
