"""Functions of the standard that are not just the op of their name: what they do with a backend's own arrays.

Each takes the namespace first, then the arguments of the standard's signature by name; arrays come as the backend has
them, and ops called here run on that backend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import ops
from ..dtypes import DTYPES, DType
from ..lifting.decompositions import Eigen, Qr, SignLog, Svd
from ..lifting.searching import All, Counts, Inverse
from ..ops._views import along
from . import kinds
from .creation import CREATION, Body, as_shape
from .native import Native


# ---------------------------------------------------------------- element by element
def _sign(xp: Native, x: Any) -> Any:
    """NaN of NaN, for which torch has 0."""
    found = ops.sign(x)
    return ops.where(ops.isnan(x), x, found) if xp.dtype_of(x).kind == "f" else found


def _remainder(xp: Native, x1: Any, x2: Any) -> Any:
    """A zero has the sign of the divisor, with torch too."""
    found = ops.remainder(x1, x2)
    return ops.where(ops.equal(found, 0), ops.copysign(found, x2), found) if xp.dtype_of(x1).kind == "f" else found


def _floor_divide(xp: Native, x1: Any, x2: Any) -> Any:
    """A zero has the sign of the quotient, with JAX too."""
    found = ops.floor_divide(x1, x2)
    if xp.dtype_of(x1).kind != "f":
        return found
    return ops.where(ops.equal(found, 0), ops.copysign(found, ops.divide(x1, x2)), found)


def _round(xp: Native, x: Any) -> Any:
    """Complex numbers part by part."""
    if xp.dtype_of(x).kind != "c":
        return ops.round(x)
    return ops.view_as_complex(ops.stack([ops.round(ops.real(x)), ops.round(ops.imag(x))], axis=-1))


# ---------------------------------------------------------------- arranging
def _joined(name: str) -> Body:
    """concat, stack: of arrays of the dtype that theirs are promoted to."""

    def body(xp: Native, arrays: Sequence[Any], axis: int | None) -> Any:
        wanted = kinds.promoted([xp.dtype_of(x) for x in arrays], ())
        alike = [xp.cast(x, wanted) for x in arrays]
        if axis is None:
            alike, axis = [ops.reshape(x, (-1,)) for x in alike], 0
        rank = len(xp.shape_of(alike[0]))
        return getattr(ops, name)(alike, axis=xp.axis(axis, rank + (name == "stack")))

    return body


def _broadcast_arrays(xp: Native, arrays: Sequence[Any]) -> list:
    shape = np.broadcast_shapes(*map(xp.shape_of, arrays))
    return [ops.broadcast_to(x, shape) for x in arrays]


def _expand_dims(xp: Native, x: Any, axis: int) -> Any:
    return ops.expand_dims(x, xp.axis(axis, len(xp.shape_of(x)) + 1))


def _squeeze(xp: Native, x: Any, axis: Any) -> Any:
    shape = xp.shape_of(x)
    axes = tuple(xp.axis(at, len(shape)) for at in ((axis,) if isinstance(axis, int) else axis))
    if any(shape[at] != 1 for at in axes):
        raise ValueError(f"only axes of size 1 can be squeezed, and {shape} has others at {axes}")
    return ops.reshape(x, tuple(size for at, size in enumerate(shape) if at not in axes))


def _reshape(xp: Native, x: Any, shape: Any, copy: bool | None) -> Any:
    """Arrays share no writes, so that a reader cannot tell a copy from none; where one is asked for it is made."""
    made = ops.reshape(x, as_shape(shape))
    return ops.copy(made) if copy else made


def _flip(xp: Native, x: Any, axis: Any) -> Any:
    rank = len(xp.shape_of(x))
    axes = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    return ops.flip(x, axis=tuple(xp.axis(at, rank) for at in axes)) if axes else x


def _roll(xp: Native, x: Any, shift: Any, axis: Any) -> Any:
    if isinstance(shift, int) and isinstance(axis, (tuple, list)):
        shift = (shift,) * len(axis)
    return ops.roll(x, shift, axis=axis)


def _repeat(xp: Native, x: Any, repeats: Any, axis: int | None) -> Any:
    x, axis = (ops.reshape(x, (-1,)), 0) if axis is None else (x, xp.axis(axis, len(xp.shape_of(x))))
    if xp.is_native(repeats) and xp.shape_of(repeats) in ((), (1,)):
        repeats = ops.broadcast_to(repeats, (xp.shape_of(x)[axis],))
    return ops.repeat(x, repeats, axis=axis)


def _tile(xp: Native, x: Any, repetitions: Sequence[int]) -> Any:
    rank = max(len(repetitions), len(xp.shape_of(x)))
    shaped = ops.reshape(x, (1,) * (rank - len(xp.shape_of(x))) + xp.shape_of(x))
    return ops.tile(shaped, (1,) * (rank - len(repetitions)) + tuple(repetitions)) if rank else x


def _unstack(xp: Native, x: Any, axis: int) -> tuple:
    shape = xp.shape_of(x)
    at = xp.axis(axis, len(shape))
    return tuple(ops.getitem(x, along(at, n)) for n in range(shape[at]))


# ---------------------------------------------------------------- searching
def _nonzero(xp: Native, x: Any) -> tuple:
    if not xp.shape_of(x):
        raise ValueError("nonzero takes arrays of one axis at least")
    found = ops.nonzero(x)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


def _searchsorted(xp: Native, x1: Any, x2: Any, side: str, sorter: Any) -> Any:
    x1 = x1 if sorter is None else ops.take(x1, sorter, axis=0)
    return xp.cast(ops.searchsorted(x1, x2, side=side), xp.default("i"))


def _take(xp: Native, x: Any, indices: Any, axis: int | None) -> Any:
    rank = len(xp.shape_of(x))
    if axis is None and rank != 1:
        raise ValueError("take needs an axis for arrays of several")
    return ops.take(x, indices, axis=xp.axis(axis or 0, rank))


def _unique(xp: Native, x: Any, index: bool, inverse: bool, counts: bool) -> tuple:
    found = ops.unique(x, None, index, inverse, counts, False)
    values, *rest = found if isinstance(found, (tuple, list)) else (found,)
    if inverse:
        rest[int(index)] = ops.reshape(rest[int(index)], xp.shape_of(x))
    return (values, *rest)


# ---------------------------------------------------------------- over axes
def _accumulated(xp: Native, x: Any, dtype: DType | None) -> DType:
    """The dtype of sums and products: integers are widened to the default one, or its unsigned sibling."""
    known = xp.dtype_of(x)
    if dtype is not None or known.kind in "fc":
        return dtype or known
    wide = xp.default("i")
    if known.kind == "u" and f"uint{wide.bits}" in xp.names:
        wide = DTYPES[f"uint{wide.bits}"]
    return known if known.bits > wide.bits else wide


def _total(name: str) -> Body:
    def body(xp: Native, x: Any, axis: Any, dtype: DType | None, keepdims: bool) -> Any:
        wide = xp.cast(x, _accumulated(xp, x, dtype))
        return xp.cast(getattr(ops, name)(wide, axis=axis, keepdims=keepdims), xp.dtype_of(wide))

    return body


def _running(name: str) -> Body:
    def body(xp: Native, x: Any, axis: int | None, dtype: DType | None, include_initial: bool) -> Any:
        shape, wanted = xp.shape_of(x), _accumulated(xp, x, dtype)
        if axis is None and len(shape) != 1:
            raise ValueError(f"{name} needs an axis for arrays of several")
        at = xp.axis(axis or 0, len(shape))
        found = xp.cast(getattr(ops, name)(xp.cast(x, wanted), axis=at), wanted)
        if not include_initial:
            return found
        first = ops.full((*shape[:at], 1, *shape[at + 1 :]), int(name == "cumulative_prod"), dtype=wanted)
        return ops.concat([first, found], axis=at)

    return body


def _spread(name: str) -> Body:
    def body(xp: Native, x: Any, axis: Any, correction: float, keepdims: bool) -> Any:
        return getattr(ops, name)(x, axis=axis, correction=correction, keepdims=keepdims)

    return body


def _diff(xp: Native, x: Any, axis: int, n: int, prepend: Any, append: Any) -> Any:
    at = xp.axis(axis, len(xp.shape_of(x)))
    x = ops.concat([part for part in (prepend, x, append) if part is not None], axis=at)
    for _ in range(n):
        x = ops.subtract(ops.getitem(x, along(at, slice(1, None))), ops.getitem(x, along(at, slice(None, -1))))
    return x


# ---------------------------------------------------------------- linear algebra
def _cholesky(xp: Native, x: Any, upper: bool) -> Any:
    lower = ops.cholesky(x)
    return ops.conj(ops.matrix_transpose(lower)) if upper else lower


def _diagonal(xp: Native, x: Any, offset: int) -> Any:
    return ops.diagonal(x, offset, -2, -1)


def _trace(xp: Native, x: Any, offset: int, dtype: DType | None) -> Any:
    return _total("sum")(xp, _diagonal(xp, x, offset), -1, dtype, False)


def _cross(xp: Native, x1: Any, x2: Any, axis: int) -> Any:
    sizes = {xp.shape_of(x)[axis] for x in (x1, x2)}
    if sizes != {3}:
        raise ValueError(f"cross takes vectors of 3 elements, not {sizes}")
    return ops.cross(x1, x2, axis=axis)


def _tensordot(xp: Native, x1: Any, x2: Any, axes: Any) -> Any:
    return ops.tensordot(x1, x2, axes=axes if isinstance(axes, int) else tuple(map(tuple, axes)))


def _solve(xp: Native, x1: Any, x2: Any) -> Any:
    """A second argument of one axis is a vector, any other a stack of matrices."""
    if len(xp.shape_of(x2)) == 1:
        return ops.squeeze(ops.solve(x1, ops.expand_dims(x2, -1)), axis=-1)
    return ops.solve(x1, x2)


BODIES: dict[str, Body] = {
    **CREATION,
    "sign": _sign,
    "remainder": _remainder,
    "floor_divide": _floor_divide,
    "round": _round,
    "concat": _joined("concat"),
    "stack": _joined("stack"),
    "broadcast_arrays": _broadcast_arrays,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "reshape": _reshape,
    "flip": _flip,
    "roll": _roll,
    "repeat": _repeat,
    "tile": _tile,
    "unstack": _unstack,
    "nonzero": _nonzero,
    "searchsorted": _searchsorted,
    "take": _take,
    "unique_all": lambda xp, x: All(*_unique(xp, x, True, True, True)),
    "unique_counts": lambda xp, x: Counts(*_unique(xp, x, False, False, True)),
    "unique_inverse": lambda xp, x: Inverse(*_unique(xp, x, False, True, False)),
    "unique_values": lambda xp, x: _unique(xp, x, False, False, False)[0],
    "sum": _total("sum"),
    "prod": _total("prod"),
    "cumulative_sum": _running("cumulative_sum"),
    "cumulative_prod": _running("cumulative_prod"),
    "var": _spread("var"),
    "std": _spread("std"),
    "diff": _diff,
    "cholesky": _cholesky,
    "diagonal": _diagonal,
    "trace": _trace,
    "cross": _cross,
    "tensordot": _tensordot,
    "solve": _solve,
    "eigh": lambda xp, x: Eigen(*ops.eigh(x)),
    "qr": lambda xp, x, mode: Qr(*ops.qr(x, mode=mode)),
    "slogdet": lambda xp, x: SignLog(*ops.slogdet(x)),
    "svd": lambda xp, x, full_matrices: Svd(*ops.svd(x, full_matrices=full_matrices)),
}
