"""Ops on the bits that numbers are made of: https://docs.jax.dev/en/latest/jax.lax.html and
Warren, Hacker's Delight (2nd edition, 2012), chapter 5.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..dtypes import DType
from ..errors import ShapeError
from ..host import Dim, Expr
from ..types import LogicalTensor
from . import _seen
from ._body import element_of
from ._catalogue import ops
from ._row import composite, op
from ._shapes import Dims, as_type, free

FAMILY = "elementwise"


def _bitcast_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, to = as_type(args.x, rules), args.dtype
    if x.dtype is None or not isinstance(to, DType):
        return LogicalTensor(to if isinstance(to, DType) else None)
    return LogicalTensor(to, _read_again(x.dims, x.dtype.itemsize, to.itemsize))


def _read_again(dims: Dims, before: int, after: int) -> Dims:
    """The last axis has as many bytes as before."""
    if dims is None or before == after:
        return dims
    if not dims:
        raise ShapeError("an array of no axes has no elements to read as narrower or wider ones")
    last = dims[-1]
    if isinstance(last, int) and last * before % after:
        raise ShapeError(f"{last} elements of {before} bytes make no elements of {after} bytes")
    size = None if last is None else last * before // after if isinstance(last, (int, Dim, Expr)) else None
    return (*dims[:-1], size)


def _bitcast(args: SimpleNamespace) -> str:
    """NumPy reads elements of another width only where the last axis is dense."""
    before = _seen.dtype(args.x)
    same = before is not None and isinstance(args.dtype, DType) and before.itemsize == args.dtype.itemsize
    return "x.view(dtype)" if same else "np.ascontiguousarray(x).view(dtype)"


def _put_bits(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The bits go back."""
    return ops.bitcast(new, _seen.dtype(args.x) or ops.dtype_of(args.x))


op(
    FAMILY,
    "bitcast(x, dtype)",
    _bitcast,
    infer=_bitcast_type,
    put=_put_bits,
    compute=free,
    memory=free,
    doc="The same bytes read as another dtype; of another width the last axis has more or fewer elements.",
)


def _whole(x: Any, name: str) -> DType:
    element = element_of(x)
    if element is None or element.kind not in "iu":
        what = "an unknown dtype" if element is None else element
        raise ShapeError(
            f"{name} is of whole numbers of a known width, not of {what}", hint="give the argument's dtype"
        )
    return element


@composite(FAMILY)
def population_count(x: Any) -> Any:
    """How many bits of a whole number are 1, those of its two's complement where it is negative."""
    bits, step = _whole(x, "population_count").bits, 1
    while step < bits:
        mask = sum(((1 << step) - 1) << at for at in range(0, bits, 2 * step))
        x = ops.add(ops.bitwise_and(x, mask), ops.bitwise_and(ops.bitwise_right_shift(x, step), mask))
        step *= 2
    return x


@composite(FAMILY)
def clz(x: Any) -> Any:
    """How many bits of a whole number are 0 before its first 1."""
    bits, step = _whole(x, "clz").bits, 1
    while step < bits:
        x = ops.bitwise_or(x, ops.bitwise_right_shift(x, step))
        step *= 2
    return ops.subtract(bits, ops.population_count(x))
