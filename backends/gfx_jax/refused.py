"""Functions that transform functions: capture sees the values of one call, so they are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NoReturn

from gfx_ir.backend import Lift
from gfx_ir.errors import MissingOp

_DERIVATIVE = "capture the function itself and differentiate what GFX emits for JAX"
_BATCH = "capture the function itself and batch what GFX emits for JAX, or write it for arrays with the axis in front"
_CALLBACK = "compute it in the captured function, or outside of it"
_HINTS = {
    "grad value_and_grad jacfwd jacrev jacobian hessian jvp vjp linearize linear_transpose": _DERIVATIVE,
    "custom_jvp custom_vjp custom_gradient closure_convert": "capture the function itself, without its own derivative",
    "vmap pmap shard_map numpy.vectorize numpy.apply_along_axis numpy.apply_over_axes": _BATCH,
    "numpy.frompyfunc numpy.piecewise": "use jnp.where, or write it for arrays",
    "lax.map": "write a `for` loop over the first axis, or use lax.scan",
    "lax.associative_scan": "use jnp.cumsum or jnp.cumprod, or lax.scan",
    "lax.reduce": "use jnp.sum, jnp.max and the like",
    "lax.custom_root lax.custom_linear_solve": "write the iterations out with lax.while_loop",
    "pure_callback debug.callback experimental.io_callback": _CALLBACK,
    "eval_shape make_jaxpr": "use x.shape and x.dtype, which the emitted code reads when it runs",
}


def _refusing(name: str, hint: str) -> Callable[..., NoReturn]:
    def lift(*args: Any, **kwargs: Any) -> NoReturn:
        raise MissingOp(f"GFX cannot capture {name}", hint=hint)

    return lift


REFUSED = {f"jax.{name}": _refusing(f"jax.{name}", hint) for names, hint in _HINTS.items() for name in names.split()}
_BY_LAST = {name.rpartition(".")[2]: name for name in REFUSED}
"""`vmap`: "jax.vmap", as the name of a function that it made begins."""


def made_by_jax(fn: FunctionType) -> Lift | None:
    """What refuses a function that one of these made beforehand, as in `batched = jax.vmap(f)`: named like f."""
    if not fn.__globals__.get("__name__", "").startswith("jax."):
        return None
    name = _BY_LAST.get(getattr(fn.__code__, "co_qualname", "").partition(".<locals>")[0])
    if name is not None:
        return Lift(name, REFUSED[name])
    inside = (cell.cell_contents for cell in fn.__closure__ or ())
    return next((lift for f in inside if isinstance(f, FunctionType) and (lift := made_by_jax(f))), None)
