"""Functions of samples and polynomials, and reductions that pass NaN over: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..dtypes import complex128, float64
from ..errors import MissingOp
from ..graph import Value
from ..op import lookup
from ..ops import _seen
from ..ops._views import along
from .ranks import just
from .words import (
    Dialect,
    Lifted,
    as_held,
    ask_rank,
    conjugate,
    element,
    expect,
    frozen,
    kind_of,
    known_dtype,
    needed_dtype,
    surely_floats,
)


class Calculus:
    """Convolutions, interpolation, polynomials, sums without NaN."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> dict[str, Lifted]:
        """Lifts by their short names."""
        found: dict[str, Lifted] = {
            "convolve": just(self.say.call("convolve"), self.convolve, 1, 1),
            "correlate": just(self.say.call("correlate"), self.correlate, 1, 1),
            "interp": just(self.say.call("interp"), self.interp, None, 1, 1), "unwrap": self.unwrap,
            "polyval": self.polyval, "polyder": self.polyder, "polyint": self.polyint, "polyfit": self.polyfit,
            "polyadd": self.joined("add"), "polysub": self.joined("subtract"), "ediff1d": self.ediff1d,
            "nanprod": self.nanprod, "nancumsum": self.running("cumulative_sum", 0),
            "nancumprod": self.running("cumulative_prod", 1), "nanvar": self.spread("nanvar"),
            "nanstd": self.spread("nanstd"), "nanargmax": self.position("argmax", -math.inf),
            "nanargmin": self.position("argmin", math.inf), "linalg.tensorsolve": self.tensorsolve,
            "piecewise": self.piecewise,
        }  # fmt: skip
        return found

    def _x(self, x: Any) -> Any:
        return self.say.as_array(frozen(x) if isinstance(x, (list, tuple)) else x)

    # ------------------------------------------------------------------ signals
    def convolve(self, a: Any, v: Any, mode: str = "full", **options: Any) -> Any:
        """Two vectors convolved."""
        self.say.refuse(self.say.call("convolve"), **options)
        return ops.convolve(self._x(a), self._x(v), mode)

    def correlate(self, a: Any, v: Any, mode: str = "valid", **options: Any) -> Any:
        """Two vectors, the second one shifted along the first."""
        call = self.say.call("correlate")
        self.say.refuse(call, **options)
        a, v = self._x(a), self._x(v)
        if mode != "full":
            sizes = [_seen.length(x, 0, f"{call} with mode={mode!r} needs the lengths of both") for x in (a, v)]
            if sizes[1] > sizes[0]:
                raise MissingOp(f"GFX has no row for {call} by the longer vector", hint="give the longer one first")
        return ops.convolve(a, conjugate(ops.flip(v)), mode)

    def interp(self, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
        """Values on the line through points."""
        self.say.refuse(self.say.call("interp"), period=period)
        return ops.interp(self._wide(x), self._wide(xp), self._wide(fp), left, right)

    def _wide(self, x: Any) -> Any:
        """An array in the precision that NumPy computes in."""
        x = self._x(x)
        narrow = self.say.rules == "numpy" and isinstance(x, Value) and known_dtype(x) not in (float64, complex128)
        return ops.astype(x, complex128 if kind_of(x) == "c" else float64) if narrow else x

    def unwrap(self, p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * math.pi) -> Any:
        """Angles without jumps of more than half a period."""
        p, half = self._x(p), period / 2
        steps = ops.subtract(ops.getitem(p, along(axis, slice(1, None))), ops.getitem(p, along(axis, slice(None, -1))))
        small = ops.subtract(ops.remainder(ops.add(steps, half), period), half)
        small = ops.where(ops.logical_and(ops.equal(small, -half), ops.greater(steps, 0)), half, small)
        least = half if discont is None else max(discont, half)
        change = ops.where(ops.less(ops.abs(steps), least), 0.0, ops.subtract(small, steps))
        rest = ops.add(ops.getitem(p, along(axis, slice(1, None))), ops.cumulative_sum(change, axis=axis))
        return ops.concat((ops.getitem(p, along(axis, slice(None, 1))), rest), axis=axis)

    def ediff1d(self, ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
        """Differences of neighbours, row by row."""
        self.say.refuse(self.say.call("ediff1d"), to_end=to_end, to_begin=to_begin)
        x = ops.flatten(self._x(ary))
        return ops.subtract(ops.getitem(x, slice(1, None)), ops.getitem(x, slice(None, -1)))

    def piecewise(self, x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
        """A number for each condition, the last of those that hold; one more is for the rest."""
        call = self.say.call("piecewise")
        if args or kw or not all(isinstance(f, (int, float)) for f in funclist) or isinstance(condlist, Value):
            raise MissingOp(f"GFX has no row for {call} of functions", hint="write it with where")
        known = needed_dtype(x, call)
        funclist = [as_held(number, known.kind) for number in funclist]
        rest = funclist[len(condlist)] if len(funclist) > len(condlist) else 0
        found = ops.full_like(x, rest)
        for condition, number in zip(condlist, funclist):
            found = ops.where(self._x(condition), number, found)
        return found

    # ------------------------------------------------------------------ polynomials
    def polyval(self, p: Any, x: Any, **options: Any) -> Any:
        """At the elements of x."""
        self.say.refuse(self.say.call("polyval"), unroll=None if options.get("unroll") == 16 else options.get("unroll"))
        ask_rank(self._x(p), self.say.call("polyval"), 1)
        return ops.polyval(self._x(p), self._x(x))

    def joined(self, name: str) -> Lifted:
        """polyadd, polysub: of coefficients, the shorter ones led by zeros."""
        op, call = lookup(name), self.say.call(name)

        def lift(a1: Any, a2: Any) -> Any:
            given = [self._x(a1), self._x(a2)]
            sizes = [_seen.length(a, 0, f"{call} needs the lengths of both") for a in given]
            most = max(sizes)
            padded = [ops.pad(a, ((most - size, 0),)) if size < most else a for a, size in zip(given, sizes)]
            return op(*padded)

        return lift

    def polyder(self, p: Any, m: int = 1) -> Any:
        """The derivative, m times."""
        p = self._coefficients(p, "polyder")
        for _ in range(m):
            powers = ops.flip(ops.arange(ops.size(p, 0)))
            p = ops.getitem(ops.multiply(p, powers), slice(None, -1))
        return p

    def _coefficients(self, p: Any, name: str) -> Any:
        """What is derived or integrated: JAX computes with floats of its width, NumPy with its own whole numbers beside."""
        p, call = self._x(p), self.say.call(name)
        if isinstance(p, Value) and ask_rank(p, call, 1) != 1:
            raise MissingOp(f"GFX has no row for {call} of coefficients that are arrays", hint="give it each by itself")
        return surely_floats(p, "jax") if self.say.rules == "jax" and isinstance(p, Value) else p

    def polyint(self, p: Any, m: int = 1, k: Any = None) -> Any:
        """An integral that is 0 at 0, m times."""
        self.say.refuse(self.say.call("polyint"), k=k)
        p = self._coefficients(p, "polyint")
        for _ in range(m):
            powers = ops.flip(ops.add(ops.arange(ops.size(p, 0)), 1))
            p = ops.pad(ops.divide(p, powers), ((0, 1),))
        return p

    def polyfit(
        self, x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
    ) -> Any:
        """Coefficients of the polynomial that is nearest to points: least squares of columns scaled to length 1."""
        call = self.say.call("polyfit")
        expect(call, "full", full, False)
        expect(call, "cov", cov, False)
        self.say.refuse(call, w=w)
        x, y = self._x(x), self._x(y)
        known = needed_dtype(x, call)
        if known.kind != "f":
            raise MissingOp(f"GFX has no row for {call} of {known}", hint="give floats")
        count = _seen.length(x, 0, f"{call} needs the number of points") if rcond is None else 0
        least = count * float(known_epsilon(known.bits)) if rcond is None else rcond
        columns = ops.vander(self._wide(x), deg + 1)
        sizes = ops.sqrt(ops.sum(ops.square(columns), axis=0))
        found = ops.matmul(ops.pinv(ops.divide(columns, sizes), rtol=least), self._wide(y))
        return ops.divide(found, sizes if ask_rank(y, call, 1) == 1 else ops.expand_dims(sizes, -1))

    # ------------------------------------------------------------------ without NaN
    def _filled(self, a: Any, instead: Any) -> Any:
        """The array with a number in place of NaN."""
        a = self._x(a)
        return a if kind_of(a) in ("b", "i", "u") else ops.where(ops.isnan(a), instead, a)

    def nanprod(
        self, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, **more: Any
    ) -> Any:
        """The product, NaN counting as 1."""
        self.say.refuse(self.say.call("nanprod"), out=out, **more)
        return ops.prod(self._filled(a, 1), axis=axis, dtype=element(dtype), keepdims=keepdims)

    def running(self, name: str, neutral: int) -> Lifted:
        """nancumsum, nancumprod."""
        op = lookup(name)

        def lift(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
            self.say.refuse(self.say.call(name), out=out)
            return op(self._filled(a, neutral), axis=axis, dtype=element(dtype))

        return lift

    def spread(self, name: str) -> Lifted:
        """nanvar, nanstd."""

        def lift(
            a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False,
            **more: Any,
        ) -> Any:  # fmt: skip
            self.say.refuse(self.say.call(name), out=out, dtype=dtype, **more)
            a = self.say.floats(self._x(a))
            none, filled = ops.isnan(a), self._filled(a, 0)
            kept = ops.logical_not(none)
            count = ops.count_nonzero(kept, axis=axis, keepdims=True)
            summed = ops.sum(filled, axis=axis, keepdims=True)
            mean = ops.divide(summed, _like(count, summed))
            off = ops.square(ops.abs(ops.where(none, 0, ops.subtract(a, mean))))
            count = count if keepdims else ops.count_nonzero(kept, axis=axis)
            total = ops.sum(off, axis=axis, keepdims=keepdims)
            found = ops.divide(total, _like(ops.subtract(count, ddof), total))
            return ops.sqrt(found) if name == "nanstd" else found

        return lift

    def position(self, name: str, instead: float) -> Lifted:
        """nanargmax, nanargmin."""
        op = lookup(name)

        def lift(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
            self.say.refuse(self.say.call(f"nan{name}"), out=out)
            return op(self._filled(a, instead), axis=axis, keepdims=bool(keepdims))

        return lift

    def tensorsolve(self, a: Any, b: Any, axes: Any = None) -> Any:
        """x with tensordot(a, x, x.ndim) == b."""
        call = self.say.call("linalg.tensorsolve")
        self.say.refuse(call, axes=axes)
        a, b = self._x(a), self._x(b)
        behind = [ops.size(a, at) for at in range(ask_rank(b, call), ask_rank(a, call))]
        flat = ops.flatten(b)
        return ops.reshape(ops.solve(ops.reshape(a, (ops.size(flat, 0), -1)), flat), tuple(behind))


def _like(x: Any, like: Any) -> Any:
    known = known_dtype(like)
    return ops.astype(x, ops.dtype_of(like) if known is None else known)


def known_epsilon(bits: int) -> float:
    """The step of floats of this width at 1."""
    return 2.0 ** -{16: 10, 32: 23, 64: 52}[bits]
