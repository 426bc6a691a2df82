"""Equations that are written shorter than primitive by primitive: what broadcasting and transposing leave behind in a jaxpr.

Each takes the Replay and the equation, and gives its result, or None where nothing is shorter.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..ops.linalg import product
from .replaying import Number, Replaying
from .symbolic import is_open

_MADE = {0: jnp.zeros, 1: jnp.ones}


def _broadcast(replay: Replaying, eqn: Any) -> Any:
    """broadcast_in_dim: the whole array is only read where something asks for more than its elements."""
    var, shape, out = eqn.invars[0], tuple(eqn.params["shape"]), eqn.outvars[0]
    found = replay.number(var)
    if found is not None:
        return _full(replay, found, shape, out)
    dims = [int(dim) for dim in eqn.params["broadcast_dimensions"]]
    wanted = [1] * (len(shape) - min(dims, default=len(shape)))
    for size, dim in zip(var.aval.shape, dims):
        wanted[dim - len(shape)] = size
    before = undone(replay, var, tuple(wanted))
    if before is not None:
        narrow = replay.narrowed(before)
    else:
        new = [axis for axis in range(len(wanted)) if axis - len(wanted) + len(shape) not in dims]
        narrow = replay.call(jnp.expand_dims, replay.value(var), tuple(new) if len(new) > 1 else new[0])
    if tuple(wanted) == shape:
        return replay.read(var) if wanted == list(var.aval.shape) else narrow
    replay.narrow[out] = narrow
    if isinstance(narrow, Number):
        return _full(replay, narrow, shape, out)
    return replay.call(jnp.broadcast_to, narrow, shape)


def _full(replay: Replaying, number: Any, shape: tuple, out: Any) -> Any:
    """An array of one number."""
    if not shape:
        return number
    replay.narrow[out] = number
    make = _MADE.get(number.value)
    if make is not None and number.dtype != bool:
        return replay.call(make, shape, number.dtype)
    return replay.call(jnp.full, shape, number.value, number.dtype)


def _reshape(replay: Replaying, eqn: Any) -> Any:
    """A reshape that undoes the one before."""
    before = undone(replay, eqn.invars[0], tuple(eqn.outvars[0].aval.shape))
    if before is not None:
        return replay.value(before)
    widened(replay, eqn)
    return None


def undone(replay: Replaying, before: Any, shape: tuple) -> Any:
    """The variable of this shape of which reshapes made this one; None where there is none."""
    while before.aval.shape != shape:
        made = replay.origin(before, "reshape", "squeeze", "broadcast_in_dim")
        if made is None or not _reshapes(made):
            return None
        before = made.invars[0]
    return before


def _reshapes(eqn: Any) -> bool:
    """Whether an equation keeps the elements in their order: a broadcast does that only gives axes of one item."""
    if eqn.primitive.name != "broadcast_in_dim":
        return eqn.params.get("dimensions") is None or eqn.primitive.name == "squeeze"
    shape, axes = eqn.params["shape"], tuple(map(int, eqn.params["broadcast_dimensions"]))
    kept = tuple(shape[axis] for axis in axes) == tuple(eqn.invars[0].aval.shape)
    return kept and all(size == 1 for axis, size in enumerate(shape) if axis not in axes)


def widened(replay: Replaying, eqn: Any) -> None:
    """Note of an array that gets axes of one item in front of its own that it broadcasts as it is, too."""
    var, out = eqn.invars[0], eqn.outvars[0]
    own, shape = tuple(var.aval.shape), tuple(out.aval.shape)
    more = len(shape) - len(own)
    if own and more > 0 and shape == (*[1] * more, *own):
        replay.narrow[out] = replay.narrowed(var)


def _sum(replay: Replaying, eqn: Any) -> Any:
    """A sum over axes of size 1."""
    var = eqn.invars[0]
    if any(var.aval.shape[axis] != 1 for axis in eqn.params["axes"]):
        return None
    found = _reshape(replay, eqn)
    return replay.call(jnp.reshape, replay.value(var), tuple(eqn.outvars[0].aval.shape)) if found is None else found


def _transpose(replay: Replaying, eqn: Any) -> Any:
    """A product, transposed: where the axes of each stay together, the product of the other in front; else einsum gives the axes in
    this order."""
    made = replay.origin(eqn.invars[0], "dot_general")
    if made is None or any(var.aval.dtype != made.outvars[0].aval.dtype for var in made.invars):
        return None
    (left, right), batch = made.params["dimension_numbers"]
    (a, b), permutation = made.invars, tuple(eqn.params["permutation"])
    first, rank = a.aval.ndim - len(left), len(permutation)
    if not any(batch) and permutation == (*range(first, rank), *range(first)):
        return replay.call(lax.dot_general, replay.value(b), replay.value(a), ((right, left), batch[::-1]))
    operands, _, out = product(a.aval.ndim, b.aval.ndim, ((left, right), batch)).partition("->")
    equation = f"{operands}->{''.join(out[axis] for axis in permutation)}"
    return replay.call(jnp.einsum, equation, replay.value(a), replay.value(b))


def _empty(replay: Replaying, eqn: Any) -> Any:
    """Data that nothing reads: of the side of a test that was not taken."""
    return Number(0, np.dtype(eqn.params["dtype"]))


def _convert(replay: Replaying, eqn: Any) -> Any:
    """A dtype that the array has: only JAX's note of a Python number changes. A size becomes an array of the dtype at once."""
    var = eqn.invars[0]
    size = replay.origin(var, "dim_as_value")
    if size is not None:
        return replay.call(jnp.asarray, size.params["dim"], eqn.params["new_dtype"])
    if var.aval.dtype == eqn.params["new_dtype"]:
        return replay.read(var)
    number = replay.number(var)
    return None if number is None else Number.of(number.array().astype(eqn.params["new_dtype"]))


def _counted(replay: Replaying, var: Any, size: int) -> Any:
    """A position that JAX counts from the end where it is negative, before it did so; None where it is none."""
    made = replay.origin(var, "select_n")
    if made is None:
        return None
    test, plain, added = made.invars
    compared, summed = replay.origin(test, "lt"), replay.origin(added, "add")
    if compared is None or summed is None or compared.invars[0] is not plain or summed.invars[0] is not plain:
        return None
    zero, length = replay.number(compared.invars[1]), replay.number(summed.invars[1])
    return (
        plain if (zero, length) == (zero and zero._replace(value=0), length and length._replace(value=size)) else None
    )


def _start(replay: Replaying, var: Any, size: int) -> Any:
    """Where a slice starts, as the public functions take it, which count negative starts from the end."""
    number, plain = replay.number(var), _counted(replay, var, size)
    if number is not None:
        return max(number.value, 0)
    return replay.value(plain) if plain is not None else replay.call(jnp.maximum, replay.value(var), 0)


def _dynamic_slice(replay: Replaying, eqn: Any) -> Any:
    x, *starts = eqn.invars
    found = [_start(replay, var, size) for var, size in zip(starts, x.aval.shape)]
    return replay.call(lax.dynamic_slice, replay.value(x), found, tuple(map(int, eqn.params["slice_sizes"])))


def _dynamic_update_slice(replay: Replaying, eqn: Any) -> Any:
    x, new, *starts = eqn.invars
    found = [_start(replay, var, size) for var, size in zip(starts, x.aval.shape)]
    return replay.call(lax.dynamic_update_slice, replay.value(x), replay.value(new), found)


def _place(replay: Replaying, var: Any) -> Any:
    """The number or size that a variable stands for; None where it is data."""
    found = replay.narrowed(var)
    if isinstance(found, Number):
        return found.value
    made = replay.origin(var, "dim_as_value", "convert_element_type", "broadcast_in_dim", "reshape", "squeeze")
    if made is None:
        return None
    return made.params["dim"] if made.primitive.name == "dim_as_value" else _place(replay, made.invars[0])


def _slice(replay: Replaying, eqn: Any) -> Any:
    """One window that starts at a known place, as slices of open sizes come to: x[1:], x[:n]."""
    (x, indices), params = eqn.invars, eqn.params
    d, sizes = params["dimension_numbers"], params["slice_sizes"]
    if (
        len(indices.aval.shape) != 1
        or d.collapsed_slice_dims
        or params["mode"] != lax.GatherScatterMode.PROMISE_IN_BOUNDS
    ):
        return None
    joined = replay.origin(indices, "concatenate")
    places = [_place(replay, var) for var in (joined.invars if joined is not None else eqn.invars[1:])]
    if None in places or len(places) != len(d.start_index_map):
        return None
    starts = [0] * len(sizes)
    for axis, place in zip(d.start_index_map, places):
        starts[axis] = place
    return _part(replay, replay.value(x), x.aval.shape, [(start, start + size) for start, size in zip(starts, sizes)])


def _part(replay: Replaying, x: Any, shape: tuple, bounds: list[tuple[Any, Any]]) -> Any:
    """A part of an array of this shape, by where it begins and ends along each axis."""
    plain = lambda n: n if is_open(n) else int(n)
    parts = [
        slice(plain(low) or None, None if high == size else plain(high)) for (low, high), size in zip(bounds, shape)
    ]
    while parts and parts[-1] == slice(None):
        parts.pop()
    return replay.call(operator.getitem, x, tuple(parts)) if parts else x


def _pad(replay: Replaying, eqn: Any) -> Any:
    """Edges of open sizes, of which it is known which cut off."""
    (x, filler), config = eqn.invars, eqn.params["padding_config"]
    edges = [tuple(n if is_open(n) else int(n) for n in (low, high)) for low, high, _ in config]
    value = replay.number(filler)
    if value is None or any(inside for *_, inside in config) or not any(is_open(n) for pair in edges for n in pair):
        return None
    try:
        widths = tuple((max(low, 0), max(high, 0)) for low, high in edges)
        cut = [(max(-low, 0), max(-high, 0)) for low, high in edges]
    except jax.errors.InconclusiveDimensionOperation:
        return None
    wide = [size + low + high for size, (low, high) in zip(x.aval.shape, widths)]
    padded = replay.call(jnp.pad, replay.value(x), widths, constant_values=value.value)
    return _part(replay, padded, tuple(wide), [(low, size - high) for size, (low, high) in zip(wide, cut)])


def _gather(replay: Replaying, eqn: Any) -> Any:
    """Whole rows by their positions (x[i], jnp.take), or slices."""
    found = _slice(replay, eqn)
    return _rows(replay, eqn) if found is None else found


def _rows(replay: Replaying, eqn: Any) -> Any:
    """Whole rows by their positions: x[i], jnp.take."""
    x, indices, params = eqn.invars[0], eqn.invars[1], eqn.params
    d, rank = params["dimension_numbers"], len(eqn.invars[1].aval.shape) - 1
    made = replay.origin(indices, "broadcast_in_dim", "reshape")
    axes = tuple(map(int, d.start_index_map))
    if (
        made is None
        or made.invars[0].aval.shape != indices.aval.shape[:-1]
        or len(axes) != 1
        or d.operand_batching_dims
    ):
        return None
    (axis,) = axes
    offsets = tuple(at for at in range(len(eqn.outvars[0].aval.shape)) if not axis <= at < axis + rank)
    whole = all(n == size or at == axis for at, (n, size) in enumerate(zip(params["slice_sizes"], x.aval.shape)))
    plain = _counted(replay, made.invars[0], x.aval.shape[axis])
    promised = params["mode"] == lax.GatherScatterMode.PROMISE_IN_BOUNDS
    if plain is None or not promised or not whole or tuple(d.collapsed_slice_dims) != axes or d.offset_dims != offsets:
        return None
    return replay.call(jnp.take, replay.value(x), replay.value(plain), axis=axis)


def _select(replay: Replaying, eqn: Any) -> Any:
    """A choice that is known, or by the number that a truth value became."""
    which, *cases = eqn.invars
    known = replay.narrowed(which)
    if isinstance(known, Number):
        return replay.read(cases[int(known.value)])
    if which.aval.dtype != jnp.int32 or len(cases) != 2:
        return None
    made = replay.origin(which, "convert_element_type")
    tested = made is not None and made.invars[0].aval.dtype == jnp.bool_
    test = replay.value(made.invars[0]) if tested else replay.call(lax.ne, replay.value(which), 0)
    return replay.call(jnp.where, test, *map(replay.value, reversed(cases)))


def _sort(replay: Replaying, eqn: Any) -> Any:
    """A sort that carries positions along, which JAX counts in unsigned numbers that no other framework takes as an index."""
    keys = eqn.params["num_keys"]
    counted = [replay.origin(var, "iota") for var in eqn.invars]
    if not any(made is not None and made.params["dtype"] == jnp.uint32 for made in counted[keys:]):
        return None
    operands = [
        replay.call(lax.broadcasted_iota, jnp.int32, tuple(made.params["shape"]), made.params["dimension"])
        if made is not None and at >= keys
        else replay.value(var)
        for at, (var, made) in enumerate(zip(eqn.invars, counted))
    ]
    return replay.call(lax.sort, tuple(operands), dimension=eqn.params["dimension"], num_keys=keys)


def _times(replay: Replaying, eqn: Any) -> Any:
    """A product with ones."""
    out = eqn.outvars[0].aval
    for var, other in (eqn.invars, eqn.invars[::-1]):
        one = replay.narrowed(var)
        if getattr(one, "value", None) == 1 and (other.aval.shape, other.aval.dtype) == (out.shape, out.dtype):
            return replay.read(other)
    return None


def _platform(replay: Replaying, eqn: Any) -> Any:
    """Which of several ways to compute the same is for this kind of device: that of the CPU, or the one for all others."""
    platforms = eqn.params["platforms"]
    at = next((at for at, names in enumerate(platforms) if names is None or "cpu" in names), len(platforms))
    return Number(at, np.dtype("int32"))


SHORTER: dict[str, Callable[[Replaying, Any], Any]] = {
    "broadcast_in_dim": _broadcast,
    "convert_element_type": _convert,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "empty2": _empty,
    "gather": _gather,
    "mul": _times,
    "pad": _pad,
    "platform_index": _platform,
    "reduce_sum": _sum,
    "reshape": _reshape,
    "select_n": _select,
    "sort": _sort,
    "squeeze": _reshape,
    "transpose": _transpose,
}
