"""Draws of which JAX has moved a part out of the loop around them: what hangs on no trip is computed before it, and given to the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from gfx_ir.errors import MissingOp

from .replaying import Replaying

SEVERAL = "draw the random numbers outside of the function that JAX transforms, and give them to it"
_UNIT = "random_bits", "shift_right_logical", "or", "bitcast_convert_type", "sub"
"""What JAX makes numbers in [0, 1) by."""


def is_whole(eqn: Any, draw: Callable[..., Any]) -> bool:
    """Whether a compiled part of a function that draws is all that JAX compiles of it: that of draw(key, *rest) on such arguments."""
    types = [var.aval for var in eqn.invars]
    given = [jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=getattr(x, "weak_type", False)) for x in types]
    try:
        made = jax.make_jaxpr(draw)(*given)
    except Exception:  # of whatever kind: it takes other arguments
        return False
    name = eqn.params["name"]
    own = next((x for x in _equations(made.jaxpr) if x.primitive.name == "jit" and x.params["name"] == name), None)
    return own is not None and _names(own) == _names(eqn)


def rest_of(replay: Replaying, eqn: Any) -> Any:
    """What is left of a draw in the loop: its equations, where it draws by another part, or the end of a draw of uniform numbers."""
    jaxpr = eqn.params["jaxpr"].jaxpr
    names = [own.primitive.name for own in jaxpr.eqns]
    if "random_bits" not in names:
        return replay.inside(jaxpr, eqn.params["jaxpr"].consts, eqn.invars, eqn.outvars)
    steps = {own.primitive.name: own for own in jaxpr.eqns}
    given = dict(zip(jaxpr.invars[1:], eqn.invars[1:]))
    width, low = (next((given[x] for x in _read(steps, name) if x in given), None) for name in ("mul", "add"))
    if tuple(names) != (*_UNIT, "mul", "add", "max") or width is None or low is None or len(given) != 2:
        raise MissingOp(
            f"GFX has no row for what JAX's tracer leaves of jax.random's {eqn.params['name'].strip('_')!r} within a loop or derivative",
            hint=SEVERAL,
        )
    (out,), key = eqn.outvars, replay.value(eqn.invars[0])
    first, wide = replay.value(low), replay.value(width)
    unit = replay.call(jax.random.uniform, key, tuple(out.aval.shape), out.aval.dtype)
    scaled = replay.call(jnp.add, replay.call(jnp.multiply, unit, wide), first)
    return [replay.call(jnp.maximum, first, scaled)]


def _read(steps: dict[str, Any], name: str) -> list[Any]:
    return [x for x in steps[name].invars if not hasattr(x, "val")] if name in steps else []


def _equations(jaxpr: Any) -> Iterator[Any]:
    for eqn in jaxpr.eqns:
        yield eqn
        if "jaxpr" in eqn.params:
            yield from _equations(eqn.params["jaxpr"].jaxpr)


def _names(eqn: Any) -> list[str]:
    """The primitives of a compiled part, in their order."""
    return [x.primitive.name for x in _equations(eqn.params["jaxpr"].jaxpr)]
