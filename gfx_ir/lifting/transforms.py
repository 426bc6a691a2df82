"""Discrete Fourier transforms: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..defaults import float_here
from ..op import lookup
from .words import Dialect, Lifted, Table, element


class Transforms:
    """Functions of np.fft and jnp.fft."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> Table:
        """Lifts by op."""
        found = {name: {f"fft.{name}": self.along_one(name)} for name in ONE}
        for name in SEVERAL:
            short = f"fft.{name[:-1]}2"
            found[name] = {f"fft.{name}": self.along_several(name), short: self.along_several(name, (-2, -1))}
        found |= {name: {f"fft.{name}": self.shift(name)} for name in ("fftshift", "ifftshift")}
        return found | {name: {f"fft.{name}": self.frequencies(name)} for name in ("fftfreq", "rfftfreq")}

    def along_one(self, name: str) -> Lifted:
        """fft and its like."""
        op, call = lookup(name), self.say.call(f"fft.{name}")

        def lift(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
            self.say.refuse(call, out=out)
            return op(self.say.as_array(a), n=n, axis=axis, norm=norm or "backward")

        return lift

    def along_several(self, name: str, default: Any = None) -> Lifted:
        """fftn and its like; fft2, whose axes are the last two."""
        op, call = lookup(name), self.say.call(f"fft.{name}")

        def lift(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
            self.say.refuse(call, out=out)
            s = None if s is None else tuple(s)
            axes = tuple(axes) if axes is not None else None if s is None else tuple(range(-len(s), 0))
            a = self.say.as_array(a)
            if s is not None and axes is not None:
                s = tuple(ops.size(a, at) if type(n) is int and n == -1 else n for n, at in zip(s, axes))
            return op(a, s=s, axes=axes, norm=norm or "backward")

        return lift

    def shift(self, name: str) -> Lifted:
        """fftshift, ifftshift."""
        op = lookup(name)

        def lift(x: Any, axes: Any = None) -> Any:
            return op(self.say.as_array(x), axes=tuple(axes) if isinstance(axes, (tuple, list)) else axes)

        return lift

    def frequencies(self, name: str) -> Lifted:
        """fftfreq, rfftfreq: of the framework's own float where no dtype is given."""
        op, call = lookup(name), self.say.call(f"fft.{name}")

        def lift(n: Any, d: Any = 1.0, dtype: Any = None, **options: Any) -> Any:
            self.say.refuse(call, **options)
            return op(n, d, dtype=element(dtype) or float_here(self.say.rules))

        return lift


ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn")
