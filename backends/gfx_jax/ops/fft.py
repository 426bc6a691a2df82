"""Discrete Fourier transforms: https://docs.jax.dev/en/latest/jax.numpy.html#module-jax.numpy.fft."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from gfx_ir.backend import Row
from gfx_ir.defaults import own
from gfx_ir.lifting.transforms import ONE, SEVERAL, Transforms
from gfx_ir.ops.fft import spelled

from ._lift import JNP

_SAME = JNP.table(Transforms(JNP).table())


def _several(name: str) -> Callable[[SimpleNamespace], str]:
    return lambda args: f"jnp.fft.{spelled(name, args)}"


ROWS = (
    *(Row(name, f"jnp.fft.{name}(x, n=n, axis=axis, norm=norm)", _SAME[name]) for name in ONE),
    *(Row(name, _several(name), _SAME[name]) for name in SEVERAL),
    *(Row(name, f"jnp.fft.{name}(x, axes=axes)", _SAME[name]) for name in ("fftshift", "ifftshift")),
    *(
        Row(name, f"jnp.fft.{name}(n, d, dtype=dtype)", _SAME[name], own={"dtype": own("jax")})
        for name in ("fftfreq", "rfftfreq")
    ),
)
