"""Equations that are written shorter than primitive by primitive: what broadcasting and transposing leave behind in a jaxpr.

Each takes the Replay and the equation, and gives its result, or None where nothing is shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax

from ..rows.linalg import product

if TYPE_CHECKING:
    from ..replay import Replay


_MADE = {0: jnp.zeros, 1: jnp.ones}


def _broadcast(replay: Replay, eqn: Any) -> Any:
    """broadcast_in_dim: the whole array is only read where something asks for more than its elements."""
    var, shape, out = eqn.invars[0], tuple(eqn.params["shape"]), eqn.outvars[0]
    found = replay.number(var)
    if found is not None:
        return _full(replay, found, shape, out)
    dims = [int(dim) for dim in eqn.params["broadcast_dimensions"]]
    wanted = [1] * (len(shape) - min(dims, default=len(shape)))
    for size, dim in zip(var.aval.shape, dims):
        wanted[dim - len(shape)] = size
    narrow = replay.value(var)
    if tuple(wanted) != var.aval.shape:
        narrow = replay.call(jnp.reshape, narrow, tuple(wanted))
    if tuple(wanted) == shape:
        return narrow
    replay.narrow[out] = narrow
    return replay.call(jnp.broadcast_to, narrow, shape)


def _full(replay: Replay, number: Any, shape: tuple, out: Any) -> Any:
    """An array of one number."""
    if not shape:
        return number
    replay.narrow[out] = number
    make = _MADE.get(number.value)
    if make is not None and number.dtype != bool:
        return replay.call(make, shape, number.dtype)
    return replay.call(jnp.full, shape, number.value, number.dtype)


def _reshape(replay: Replay, eqn: Any) -> Any:
    """A reshape that undoes the one before."""
    before, shape = eqn.invars[0], tuple(eqn.outvars[0].aval.shape)
    while True:
        if before.aval.shape == shape:
            return replay.value(before)
        made = replay.origin(before, "reshape", "squeeze", "expand_dims")
        if made is None:
            return None
        before = made.invars[0]


def _sum(replay: Replay, eqn: Any) -> Any:
    """A sum over axes of size 1."""
    var = eqn.invars[0]
    if any(var.aval.shape[axis] != 1 for axis in eqn.params["axes"]):
        return None
    found = _reshape(replay, eqn)
    return replay.call(jnp.reshape, replay.value(var), tuple(eqn.outvars[0].aval.shape)) if found is None else found


def _transpose(replay: Replay, eqn: Any) -> Any:
    """A product, transposed: of two matrices, the product of the other in front; else einsum gives its axes in this order."""
    made = replay.origin(eqn.invars[0], "dot_general")
    if made is None or any(var.aval.dtype != made.outvars[0].aval.dtype for var in made.invars):
        return None
    (left, right), batch = made.params["dimension_numbers"]
    (a, b), permutation = made.invars, tuple(eqn.params["permutation"])
    one = all(var.aval.ndim - len(summed) == 1 for var, summed in zip((a, b), (left, right)))
    if one and not any(batch) and permutation == (1, 0):
        return replay.call(lax.dot_general, replay.value(b), replay.value(a), ((right, left), batch[::-1]))
    operands, _, out = product(a.aval.ndim, b.aval.ndim, ((left, right), batch)).partition("->")
    equation = f"{operands}->{''.join(out[axis] for axis in permutation)}"
    return replay.call(jnp.einsum, equation, replay.value(a), replay.value(b))


def _empty(replay: Replay, eqn: Any) -> Any:
    """Data that nothing reads: of the side of a test that was not taken."""
    return replay.made_number(0, eqn.params["dtype"])


def _convert(replay: Replay, eqn: Any) -> Any:
    """A dtype that the array has: only JAX's note of a Python number changes."""
    var = eqn.invars[0]
    return replay.read(var) if var.aval.dtype == eqn.params["new_dtype"] else None


SHORTER: dict[str, Callable[[Replay, Any], Any]] = {
    "broadcast_in_dim": _broadcast,
    "convert_element_type": _convert,
    "empty2": _empty,
    "reduce_sum": _sum,
    "reshape": _reshape,
    "squeeze": _reshape,
    "transpose": _transpose,
}
