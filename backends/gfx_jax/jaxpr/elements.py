"""Primitives that compute element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

Call = Callable[..., Any]

# name of the primitive: the function that users call, where it is of another name or another module than jax.lax
_NAMES: dict[str, Call] = {
    "add_any": lax.add,
    "and": lax.bitwise_and,
    "erf_inv": lax.erf_inv,
    "logistic": lax.logistic,
    "not": lax.bitwise_not,
    "or": lax.bitwise_or,
    "regularized_incomplete_beta": lax.betainc,
    "xor": lax.bitwise_xor,
}
_SAME = (
    "abs acos acosh add asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt ceil clz complex conj cos cosh digamma div eq "
    "erf erfc exp exp2 expm1 floor ge gt igamma igammac imag is_finite le lgamma log log1p lt max min mul ne neg nextafter "
    "polygamma population_count pow real rem rsqrt shift_left shift_right_arithmetic shift_right_logical sign sin sinh "
    "sqrt square sub tan tanh zeta random_gamma_grad igamma_grad_a mulhi"
)


def _plainly(fn: Call) -> Call:
    """A function of arrays alone: the parameters of its primitive (accuracy and the like) have their defaults."""
    return lambda call, params, *args: call(fn, *args)


def _select(call: Call, params: dict, which: Any, *cases: Any) -> Any:
    return call(jnp.where, which, *reversed(cases)) if len(cases) == 2 else call(lax.select_n, which, *cases)


def _clamp(call: Call, params: dict, low: Any, x: Any, high: Any) -> Any:
    return call(lax.clamp, low, x, high)


def _round(call: Call, params: dict, x: Any) -> Any:
    return call(lax.round, x, params["rounding_method"])


def _eq_to(call: Call, params: dict, x: Any, y: Any) -> Any:
    return call(lax.bitwise_or, call(lax.eq, x, y), call(lax.bitwise_and, call(lax.ne, x, x), call(lax.ne, y, y)))


def _le_to(call: Call, params: dict, x: Any, y: Any) -> Any:
    return call(lax.bitwise_or, call(lax.le, x, y), call(lax.ne, y, y))


def _lt_to(call: Call, params: dict, x: Any, y: Any) -> Any:
    return call(lax.bitwise_or, call(lax.lt, x, y), call(lax.bitwise_and, call(lax.ne, y, y), call(lax.eq, x, x)))


def _same(call: Call, params: dict, x: Any) -> Any:
    return x


ELEMENTS: dict[str, Call] = {
    **{name: _plainly(fn) for name in _SAME.split() if (fn := getattr(lax, name, None)) is not None},
    **{name: _plainly(fn) for name, fn in _NAMES.items()},
    "clamp": _clamp,
    "copy": _same,
    "copy_p": _same,
    # comparisons of sorting, where NaN is the last: JAX has made all that is no number one, and zeros, before it asks
    "eq_to": _eq_to,
    "integer_pow": lambda call, params, x: call(lax.integer_pow, x, params["y"]),
    "le_to": _le_to,
    "lt_to": _lt_to,
    "name": _same,
    "reduce_precision": lambda call, params, x: call(lax.reduce_precision, x, **params),
    "round": _round,
    "select_n": _select,
    "stop_gradient": lambda call, params, x: call(jax.lax.stop_gradient, x),
}
