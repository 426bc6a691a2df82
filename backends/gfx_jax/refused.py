"""Functions that a graph cannot stand for: refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from gfx_ir.errors import MissingOp, UnsupportedConstruct

_CALLBACK = "compute it in the captured function, or outside of it"
_HINTS = {
    "pmap shard_map": "write it for one device, with jax.vmap for the batch",
    "numpy.frompyfunc": "use jnp.vectorize, or write it for arrays",
    "pure_callback debug.callback experimental.io_callback": _CALLBACK,
    "eval_shape make_jaxpr": "use x.shape and x.dtype, which the emitted code reads when it runs; "
    "where a library asks it, let JAX's tracer take its function apart: jax.vmap(f, in_axes=None, out_axes=None, axis_size=1)",
}
# Functions that JAX would run, or pass over, in silence.
_KEPT_OUT = {
    "lax.with_sharding_constraint": (
        "a graph says nothing of how arrays lie on devices",
        "place the arrays before the call: jax.device_put(x, sharding)",
    ),
}
NOT_ENTERED = {"flax.linen.module.Module.apply": "it asks jax.eval_shape for the shape of each parameter"}
"""Functions of libraries of which JAX's own tracer is asked first: see `Frontend.not_entered`."""


def _refusing(name: str, hint: str) -> Callable[..., NoReturn]:
    def lift(*args: Any, **kwargs: Any) -> NoReturn:
        raise MissingOp(f"GFX cannot capture {name}", hint=hint)

    return lift


def _keeping_out(name: str, reason: str, hint: str) -> Callable[..., NoReturn]:
    def lift(*args: Any, **kwargs: Any) -> NoReturn:
        raise UnsupportedConstruct(f"GFX cannot convert jax.{name}: {reason}", hint=hint)

    return lift


REFUSED = {f"jax.{name}": _refusing(f"jax.{name}", hint) for names, hint in _HINTS.items() for name in names.split()}
REFUSED |= {f"jax.{name}": _keeping_out(name, *why) for name, why in _KEPT_OUT.items()}
