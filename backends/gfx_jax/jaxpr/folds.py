"""Primitives that are given a function of elements, or of vectors: lax.reduce and lax.custom_linear_solve; reductions bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from .derivatives import ruled_primitive
from .elements import ELEMENTS
from .replaying import Replaying


def linear_solve(replay: Replaying, eqn: Any) -> list[Any]:
    """lax.custom_linear_solve: of products with a matrix jnp.linalg.solve, else its own solution, with the rule for derivatives."""
    lengths, args, held = eqn.params["const_lengths"], eqn.invars, eqn.params["jaxprs"]
    made = _product(held.matvec)
    if made is None or len(args) != sum(lengths) + 1:
        before = lengths.matvec + lengths.vecmat
        given = [*args[before : before + lengths.solve], *args[sum(lengths) :]]
        inside = lambda: replay.inside(held.solve.jaxpr, held.solve.consts, given, eqn.outvars)
        return ruled_primitive(replay, eqn, inside)
    at, transposed, rows = made
    matrix, rhs, batch = replay.value(args[at]), replay.value(args[-1]), args[at].aval.ndim - 2
    matrix = replay.call(jnp.matrix_transpose, matrix) if transposed else matrix
    if rows:
        found = replay.call(jnp.linalg.solve, matrix, replay.call(jnp.matrix_transpose, rhs))
        return [replay.call(jnp.matrix_transpose, found)]
    if batch and args[-1].aval.ndim == batch + 1:
        found = replay.call(jnp.linalg.solve, matrix, replay.call(jnp.expand_dims, rhs, -1))
        return [replay.call(jnp.squeeze, found, axis=-1)]
    return [replay.call(jnp.linalg.solve, matrix, rhs)]


def _product(matvec: Any) -> tuple[int, bool, bool] | None:
    """(which constant is the matrix, whether it is transposed, whether vectors are rows) of a function of one vector or of
    several that multiplies them by a matrix."""
    inner = matvec.jaxpr
    moved = ("transpose", "reduce_sum")
    products = [e for e in inner.eqns if e.primitive.name not in moved or e.params.get("axes")]
    if len(products) != 1 or products[0].primitive.name != "dot_general":
        return None
    (left, right), (batch, other) = products[0].params["dimension_numbers"]
    a, x = products[0].invars
    if a is inner.invars[-1]:
        (a, x), (left, right) = (x, a), (right, left)
    leading = tuple(range(a.aval.ndim - 2))
    if x is not inner.invars[-1] or a not in inner.invars or len(left) != 1 or x.aval.ndim > a.aval.ndim:
        return None
    if tuple(batch) != leading or tuple(other) != leading:
        return None
    rows = x.aval.ndim == a.aval.ndim and right[0] == x.aval.ndim - 1
    return inner.invars.index(a), left[0] == a.aval.ndim - 2, rows


_COMBINING: dict[str, Callable[..., Any]] = {
    "add": jnp.sum,
    "mul": jnp.prod,
    "max": jnp.max,
    "min": jnp.min,
    "and": jnp.all,
    "or": jnp.any,
}


def reduce(replay: Replaying, eqn: Any) -> Any:
    """lax.reduce: by a reduction of jnp where the function combines two elements as one does, else row by row."""
    params, args = eqn.params, list(map(replay.value, eqn.invars))
    inner, axes, count = params["jaxpr"], tuple(params["dimensions"]), len(args) // 2
    arrays, init = args[:count], args[count:]
    inner = getattr(inner, "jaxpr", inner)
    one = inner.eqns[0] if len(inner.eqns) == 1 and count == 1 else None
    fn = _COMBINING.get(one.primitive.name) if one is not None else None
    dtype = eqn.invars[0].aval.dtype
    if fn in (jnp.all, jnp.any) and dtype.kind != "b":
        fn = None
    if one is not None and fn is not None and set(one.invars) == set(inner.invars):
        options = {"dtype": dtype} if fn in (jnp.sum, jnp.prod) else {}
        found = replay.call(fn, arrays[0], axis=axes, **options)
        return [ELEMENTS[one.primitive.name](replay.call, {}, found, init[0])]
    combine = lambda *rows: replay.body(inner, (), rows)
    return _row_by_row(replay.call, combine, axes, eqn.invars[0].aval.shape, arrays, init)


def bits(combine: Callable[..., Any], start: int, of_truths: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A reduction that combines whole numbers bit by bit, row by row; of truths the one that `of_truths` makes, where it is given."""

    def made(call: Callable[..., Any], params: dict, x: Any) -> Any:
        operand = params["operand"]
        if of_truths is not None and operand.dtype == bool:
            return of_truths(call, params, x)
        init = call(jnp.asarray, start, operand.dtype)
        return _row_by_row(
            call, lambda *rows: [call(combine, *rows)], tuple(params["axes"]), operand.shape, [x], [init]
        )[0]

    return made


def _row_by_row(
    call: Callable[..., Any], combine: Callable[..., Any], axes: tuple, shape: tuple, arrays: list[Any], init: list[Any]
) -> Any:
    others = tuple(axis for axis in range(len(shape)) if axis not in axes)
    kept = tuple(shape[axis] for axis in others)
    rows = tuple(call(jnp.reshape, call(jnp.transpose, x, (*axes, *others)), (-1, *kept)) for x in arrays)
    body = lambda carry, row: (tuple(combine(*carry, *row)), None)
    return call(lax.scan, body, tuple(call(jnp.broadcast_to, x, kept) for x in init), rows)[0]
