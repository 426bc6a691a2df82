"""Functions of numbers that are several ops: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import ops
from ..dtypes import complex128, float64
from ..graph import Value
from ..op import lookup
from .ranks import least
from .words import Dialect, Lifted, conjugate, kind_of, known_dtype, needed_kind, surely_floats, unknown_dtype


def _matvec(a: Any, v: Any) -> Any:
    return ops.squeeze(ops.matmul(a, ops.expand_dims(v, -1)), axis=-1)


def _vecmat(v: Any, a: Any) -> Any:
    return ops.squeeze(ops.matmul(ops.expand_dims(conjugate(v), -2), a), axis=-2)


class Numbers:
    """Angles, signs, extrema that pass NaN over, products of stacks of vectors."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> dict[str, Lifted]:
        """Lifts by their full names."""
        one: dict[str, Callable[[Any], Any]] = {
            "fabs": lambda x: ops.abs(surely_floats(x, self.say.rules)),
            "modf": self._modf,
            "isneginf": lambda x: ops.equal(x, -math.inf),
            "isposinf": lambda x: ops.equal(x, math.inf),
            "isreal": lambda x: ops.equal(ops.imag(x), 0),
            "iscomplex": lambda x: ops.not_equal(ops.imag(x), 0),
        }
        two: dict[str, Callable[[Any, Any], Any]] = {
            "fmax": passing("greater" if self.say.rules == "jax" else "greater_equal"),
            "fmin": passing("less" if self.say.rules == "jax" else "less_equal"),
            "ldexp": self._ldexp,
            "logaddexp2": logaddexp2,
            "float_power": lambda a, b: ops.pow(surely_floats(a, "jax") if self.say.rules == "jax" else _double(a), b),
            "matvec": least(self.say.call("matvec"), _matvec, 2, 1),
            "vecmat": least(self.say.call("vecmat"), _vecmat, 1, 2),
        }
        found = {self.say.call(name): self._lift(name, fn, 1) for name, fn in one.items()}
        found |= {self.say.call(name): self._lift(name, fn, 2) for name, fn in two.items()}
        found[self.say.call("angle")] = self.angle
        found[self.say.call("linalg.diagonal")] = lambda x, /, *, offset=0: ops.diagonal(
            self.say.as_array(x), offset, -2, -1
        )
        found |= {self.say.call(f"nan{name}"): self._nan(name, limit) for name, limit in _LIMITS.items()}
        return found

    def _lift(self, name: str, fn: Callable[..., Any], count: int) -> Lifted:
        call = self.say.call(name)

        def unary(x: Any, **options: Any) -> Any:
            self.say.refuse(call, **options)
            return fn(self.say.as_array(x))

        def binary(x1: Any, x2: Any, **options: Any) -> Any:
            self.say.refuse(call, **options)
            return fn(self.say.as_array(x1), self.say.as_array(x2))

        return unary if count == 1 else binary

    def _ldexp(self, x: Any, exponent: Any) -> Any:
        """x * 2**exponent, in the dtype of x."""
        if kind_of(x) != "f":
            raise unknown_dtype(self.say.call("ldexp"), "or multiply by a power of 2")
        known = known_dtype(x)
        power = ops.exp2(ops.astype(exponent, known)) if isinstance(exponent, Value) else 2.0**exponent
        return ops.multiply(x, power)

    def _modf(self, x: Any) -> Any:
        """What is behind the point, and what is before it; JAX's difference is no number of what is infinite."""
        part, whole = ops.modf(x)
        return (ops.subtract(x, whole) if self.say.rules == "jax" else part), whole

    def angle(self, z: Any, deg: bool = False) -> Any:
        """The angle of complex numbers."""
        z = self.say.as_array(z)
        found = ops.angle(z)
        return ops.multiply(found, 180 / math.pi) if deg else found

    def _nan(self, name: str, neutral: float) -> Lifted:
        """nanmax, nanmin: NaN of nothing but NaN."""
        op, call = lookup(name), self.say.call(f"nan{name}")

        def lift(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, **options: Any) -> Any:
            self.say.refuse(call, out=out, **options)
            a = self.say.as_array(a)
            if needed_kind(a, call) in "biu":
                return op(a, axis=axis, keepdims=keepdims)
            none = ops.isnan(a)
            found = op(ops.where(none, neutral, a), axis=axis, keepdims=keepdims)
            return ops.where(ops.all(none, axis=axis, keepdims=keepdims), math.nan, found)

        return lift


def _double(x: Any) -> Any:
    wide = complex128 if needed_kind(x, "float_power") == "c" else float64
    return ops.astype(x, wide) if isinstance(x, Value) else float(x)


_LIMITS = {"max": -math.inf, "min": math.inf}


def passing(wins: str) -> Callable[[Any, Any], Any]:
    """The one of two that wins a comparison, as fmax and fmin; a number wins over NaN, and equal ones share no derivative."""
    test = lookup(wins)
    return lambda a, b: ops.where(ops.logical_or(test(a, b), ops.isnan(b)), a, b)


def logaddexp2(a: Any, b: Any) -> Any:
    """log2(2**a + 2**b) without overflow; both are brought to one dtype before they are multiplied in it."""
    scale, known = math.log(2), known_dtype(a)
    if a is not b and (known is None or known != known_dtype(b)):
        a, b = ops.maximum(a, b), ops.minimum(a, b)
    return ops.divide(ops.logaddexp(ops.multiply(a, scale), ops.multiply(b, scale)), scale)
