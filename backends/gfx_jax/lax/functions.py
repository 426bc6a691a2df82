"""Functions of jax.nn and jax.scipy.special that are a few ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.ops import _seen

from ..ops._lift import ask_rank, expect


def _sign_of_gamma(x: Any) -> Any:
    """The sign of the gamma function: that of every other interval below 0."""
    odd = ops.not_equal(ops.remainder(ops.floor(x), 2.0), 0.0)
    one = ops.ones_like(x)
    sign = ops.where(ops.logical_and(ops.less(x, 0), odd), ops.negative(one), one)
    pole = ops.logical_and(ops.less(x, 0), ops.equal(x, ops.floor(x)))
    return ops.where(pole, math.nan, ops.where(ops.equal(x, 0), ops.copysign(one, x), sign))


def _gamma(x: Any) -> Any:
    return ops.multiply(_sign_of_gamma(x), ops.exp(ops.lgamma(x)))


def _factorial(n: Any, exact: bool = False) -> Any:
    expect("jax.scipy.special.factorial", "exact", exact, False)
    return ops.where(ops.less(n, 0), 0.0, ops.exp(ops.lgamma(ops.add(n, 1.0))))


def _boxcox(x: Any, lmbda: Any) -> Any:
    return _power(ops.log(x), lmbda)


def _power(log: Any, lmbda: Any) -> Any:
    """(exp(lmbda * log) - 1) / lmbda, and its limit."""
    zero = ops.equal(lmbda, 0)
    return ops.where(zero, log, ops.divide(ops.expm1(ops.multiply(lmbda, log)), ops.where(zero, 1.0, lmbda)))


def _rel_entr(p: Any, q: Any) -> Any:
    inside = ops.logical_and(ops.greater(p, 0), ops.greater(q, 0))
    safe_p, safe_q = ops.where(inside, p, 1.0), ops.where(inside, q, 1.0)
    found = ops.multiply(safe_p, ops.subtract(ops.log(safe_p), ops.log(safe_q)))
    edge = ops.logical_and(ops.equal(p, 0), ops.greater_equal(q, 0))
    return ops.where(inside, found, ops.where(edge, ops.zeros_like(p), math.inf))


def _kl_div(p: Any, q: Any) -> Any:
    return ops.add(ops.subtract(_rel_entr(p, q), p), q)


def _softmax(log: bool) -> Callable[..., Any]:
    def lift(x: Any, /, *, axis: Any = None) -> Any:
        if axis is None and _seen.rank(x) is None:
            ask_rank(x, "jax.scipy.special.softmax")
        shifted = ops.subtract(x, ops.logsumexp(x, axis=axis, keepdims=True))
        return shifted if log else ops.exp(shifted)

    return lift


def _log1mexp(x: Any) -> Any:
    """log(1 - exp(-x)), by the form that is exact on each side of log 2."""
    near = ops.log(ops.negative(ops.expm1(ops.negative(x))))
    return ops.where(ops.less(x, math.log(2)), near, ops.log1p(ops.negative(ops.exp(ops.negative(x)))))


def _sparse_plus(x: Any) -> Any:
    curve = ops.divide(ops.square(ops.add(x, 1)), 4)
    return ops.where(ops.less_equal(x, -1.0), 0.0, ops.where(ops.greater_equal(x, 1.0), x, curve))


_SPECIAL = "jax.scipy.special"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{_SPECIAL}.beta": lambda a, b: ops.exp(ops.betaln(a, b)),
    f"{_SPECIAL}.boxcox": _boxcox,
    f"{_SPECIAL}.boxcox1p": lambda x, lmbda: _power(ops.log1p(x), lmbda),
    f"{_SPECIAL}.factorial": _factorial,
    f"{_SPECIAL}.gamma": _gamma,
    f"{_SPECIAL}.gammasgn": _sign_of_gamma,
    f"{_SPECIAL}.kl_div": _kl_div,
    f"{_SPECIAL}.rel_entr": _rel_entr,
    f"{_SPECIAL}.softmax": _softmax(False),
    f"{_SPECIAL}.log_softmax": _softmax(True),
    "jax.nn.identity": lambda x: ops.copy(x),
    "jax.nn.log1mexp": _log1mexp,
    "jax.nn.sparse_plus": _sparse_plus,
    "jax.nn.sparse_sigmoid": lambda x: ops.multiply(0.5, ops.clip(ops.add(x, 1.0), 0.0, 2.0)),
}
