"""Ops that lay elements out anew: by steps in memory, windows, pairs as complex numbers, diagonals, blocks, powers.

as_strided, unfold: https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import dtypes, host
from ..build import host as host_value
from ..dtypes import DType, framework_of
from ..errors import OpenShape, ShapeError, UnsupportedConstruct
from ..host import DimLike
from ..op import Trait
from ..types import LogicalTensor
from . import _seen, _views
from ._catalogue import ops
from ._row import composite, op
from ._shapes import (
    Dims,
    as_type,
    axis_of,
    fixed,
    free,
    index_dtype,
    real_of,
    shape_arg,
    size_arg,
    sum_dtype,
    takes_open,
)

FAMILY = "arrange"


# ---------------------------------------------------------------- steps in memory, windows
def _overlap(message: str) -> UnsupportedConstruct:
    return UnsupportedConstruct(f"this writes through {message}, whose elements share memory", hint="copy it first")


def _put_strided(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The elements that the view shows are written. Raises where two of them may be one."""
    if not fixed(args.shape, args.strides, args.offset):
        raise _overlap("a view by steps that are not known")
    reach = 0
    for step, size in sorted(zip(args.strides, args.shape)):
        if size > 1 and step <= reach:
            raise _overlap("a view by steps")
        reach += step * (size - 1)
    at: Any = args.offset
    for axis, (step, size) in enumerate(zip(args.strides, args.shape)):
        steps = ops.multiply(ops.arange(size), step)
        rest = tuple(range(1, len(args.shape) - axis))
        at = ops.add(ops.expand_dims(steps, rest) if rest else steps, at)
    flat = ops.index_put(ops.flatten(args.x), at if args.shape else (at,), new)
    return ops.reshape(flat, ops.shape(args.x))


@takes_open
def _strided_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, dims = as_type(args.x, rules), shape_arg(args.shape)
    size = x.size()
    known = [d for d in dims or () if isinstance(d, int)]
    if dims is not None and len(known) == len(dims) and fixed(args.strides, args.offset) and isinstance(size, int):
        last = args.offset + sum(step * (n - 1) for step, n in zip(args.strides, known))
        if 0 not in known and last >= size:
            raise ShapeError(f"these steps go to element {last} of {size}")
    return LogicalTensor(x.dtype, dims)


def _windows(dims: Dims, args: SimpleNamespace) -> Dims:
    if dims is None:
        return None
    axis, size = axis_of(args.axis, len(dims)), dims[axis_of(args.axis, len(dims))]
    count: DimLike | None = None
    if size is not None and isinstance(args.size, int) and isinstance(args.step, int):
        if isinstance(size, int) and size < args.size:
            raise ShapeError(f"windows of {args.size} elements along an axis of {size}")
        count = host.add(host.floordiv(host.sub(size, args.size), args.step), 1)
    return (*dims[:axis], count, *dims[axis + 1 :], size_arg(args.size))


def _unfold_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    return LogicalTensor(x.dtype, _windows(x.dims, args))


def _put_windows(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The windows are written. Raises where they overlap."""
    if not (isinstance(args.size, int) and isinstance(args.step, int) and args.step >= args.size):
        raise _overlap("windows that overlap")
    starts = ops.multiply(ops.arange(ops.size(new, args.axis if args.axis >= 0 else args.axis - 1)), args.step)
    at = ops.add(ops.expand_dims(starts, 1), ops.arange(args.size))
    moved = ops.moveaxis(new, -1, args.axis + 1 if args.axis >= 0 else args.axis)
    return ops.index_put(args.x, _views.along(args.axis, at), moved)


op(
    FAMILY,
    "as_strided(x, shape, strides, offset=0)",
    "as_strided(x, shape, strides, offset=offset)",
    infer=_strided_type,
    put=_put_strided,
    compute=free,
    memory=free,
    traits=Trait.SELECTS,
)
op(
    FAMILY,
    "unfold(x, axis, size, step=1)",
    "unfold(x, axis, size, step=step)",
    infer=_unfold_type,
    put=_put_windows,
    compute=free,
    memory=free,
    traits=Trait.SELECTS,
)


def _put_run(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The run is written."""
    at = ops.add(ops.arange(args.length), args.start)
    return ops.index_put(args.x, _views.along(args.axis, at), new)


@composite(FAMILY, put=_put_run, traits=Trait.SELECTS)
def take_run(x: Any, start: Any, length: int, axis: int = 0) -> Any:
    """`length` elements along an axis from where a tensor of no axes says."""
    return ops.take(x, ops.add(ops.arange(length), start), axis=axis)


# ---------------------------------------------------------------- complex numbers as pairs
def _complex_of(dtype: DType | None) -> DType | None:
    if dtype is not None and dtype.kind != "f":
        raise ShapeError(f"pairs of {dtype} make no complex numbers")
    return None if dtype is None else dtypes.DTYPES["complex128" if dtype.bits == 64 else "complex64"]


def _as_real_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    if x.dtype is not None and x.dtype.kind != "c":
        raise ShapeError(f"{x.dtype} has no parts")
    return LogicalTensor(real_of(x.dtype), None if x.dims is None else (*x.dims, 2))


def _as_complex_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    if x.dims is not None and (not x.dims or host.same(x.dims[-1] or 2, 2) is False):
        raise ShapeError("the last axis of pairs has 2 elements")
    return LogicalTensor(_complex_of(x.dtype), None if x.dims is None else x.dims[:-1])


op(
    FAMILY,
    "view_as_real(x)",
    "np.stack((np.real(x), np.imag(x)), axis=-1)",
    infer=_as_real_type,
    put=lambda args, new, index: ops.view_as_complex(new),
    compute=free,
    memory=free,
)
op(
    FAMILY,
    "view_as_complex(x)",
    "view_as_complex(x)",
    infer=_as_complex_type,
    put=lambda args, new, index: ops.view_as_real(new),
    compute=free,
    memory=free,
)


@composite(FAMILY)
def as_complex(real: Any, imag: Any) -> Any:
    """Complex numbers of two parts of one shape, which are what they were: real + imag * 1j has others of infinities and of -0."""
    return ops.view_as_complex(ops.stack((real, imag), axis=-1))


# ---------------------------------------------------------------- diagonals, blocks, triangles, powers
@composite(FAMILY)
def diag_embed(x: Any, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Any:
    """Matrices of zeros with the last axis of x as a diagonal: `offset` above the main one, along two new axes."""
    size = host_value("+", ops.size(x, -1), abs(offset))
    rows = ops.expand_dims(ops.pad(x, ((max(-offset, 0), max(offset, 0)),)), -1)
    on = ops.equal(ops.add(ops.expand_dims(ops.arange(size), 1), offset), ops.arange(size))
    out = ops.where(on, rows, ops.zeros_like(rows))
    return out if (axis1, axis2) == (-2, -1) else ops.moveaxis(out, (-2, -1), (axis1, axis2))


@composite(FAMILY)
def block_diag(arrays: Any) -> Any:
    """A matrix of zeros with these matrices along its diagonal."""
    widths = [ops.size(x, 1) for x in arrays]
    left: Any = 0
    rows = []
    for at, x in enumerate(arrays):
        right: Any = 0
        for width in widths[at + 1 :]:
            right = host_value("+", right, width)
        rows.append(ops.pad(x, ((0, 0), (left, right))))
        left = host_value("+", left, widths[at])
    return ops.concat(tuple(rows), axis=0)


def _count_below(rows: int, columns: int, k: int) -> int:
    return sum(min(max(row + k + 1, 0), columns) for row in range(rows))


def _triangle_positions(upper: bool) -> Any:
    @takes_open
    def infer(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, LogicalTensor]:
        columns = args.n_rows if args.n_cols is None else args.n_cols
        count = None
        if all(isinstance(n, int) for n in (args.n_rows, columns, args.k)):
            below = _count_below(args.n_rows, columns, args.k - upper)
            count = args.n_rows * columns - below if upper else below
        element = dtypes.default("i", rules) if rules == "jax" else dtypes.int64
        return (LogicalTensor(element, (count,)),) * 2

    return infer


for _name in ("tril_indices", "triu_indices"):
    op(
        FAMILY,
        f"{_name}(n_rows, n_cols=None, k=0)",
        f"np.{_name}(n_rows, k=k, m=n_cols)",
        infer=_triangle_positions(_name.startswith("triu")),
        kinds=("tensor", "tensor"),
    )


def _vander_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    dtype = x.dtype if framework_of(rules) == "jax" else sum_dtype(x.dtype, rules)
    if x.dims is None:
        return LogicalTensor(dtype)
    return LogicalTensor(dtype, (*x.dims, x.dims[-1] if args.n is None else size_arg(args.n)))


op(
    FAMILY,
    "vander(x, n=None, increasing=False)",
    "vander(x, n=n, increasing=increasing)",
    infer=takes_open(_vander_type),
)


@takes_open
def _logspace_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    known = args.dtype if isinstance(args.dtype, DType) else None
    return LogicalTensor(dtypes.default("f", rules) if args.dtype is None else known, (size_arg(args.num),))


op(
    FAMILY,
    "logspace(start, stop, num, base=10.0, dtype=None, endpoint=True)",
    "np.logspace(start, stop, num, endpoint=endpoint, base=base, dtype=dtype)",
    infer=_logspace_type,
)


# ---------------------------------------------------------------- masks
@composite(FAMILY)
def masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """x with the first elements of `source`, in order, where the mask is true; x and mask broadcast."""
    whole = ops.logical_or(mask, ops.zeros_like(x, dtype=dtypes.bool_))
    place = ops.subtract(ops.cumulative_sum(ops.flatten(whole), axis=0), 1)
    values = ops.take(ops.flatten(source), ops.maximum(place, 0), axis=0)
    return ops.where(whole, ops.reshape(values, ops.shape(whole)), x)


@takes_open
def _positions_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    return LogicalTensor(_wide(rules), (size_arg(args.size), x.rank))


def _wide(rules: str) -> DType:
    return dtypes.default("i", rules) if rules == "jax" else index_dtype(rules)


def _argwhere(args: SimpleNamespace) -> str:
    return "np.argwhere(x)" if args.size is None else "argwhere(x, size=size, fill_value=fill_value)"


@takes_open
def _nonzero_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, ...]:
    x = as_type(args.x, rules)
    count = x.rank if x.rank is not None else 1
    return (LogicalTensor(_wide(rules), (None,)),) * count


def _axes(args: SimpleNamespace) -> tuple[str, ...]:
    rank = _seen.rank(args.x)
    if rank is None:
        raise OpenShape("finding what is not zero needs the rank")
    return ("tensor",) * rank


op(FAMILY, "argwhere(x, size=None, fill_value=0)", _argwhere, infer=_positions_type)
op(
    FAMILY,
    "nonzero(x)",
    lambda a: "np.nonzero(x)" + ("[0]" if _seen.rank(a.x) == 1 else ""),
    infer=_nonzero_type,
    kinds=_axes,
)


REDUCTIONS = ("sum", "prod", "mean", "amin", "amax")


@takes_open
def _scatter_reduce_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, indices = as_type(args.x, rules), as_type(args.indices, rules)
    if args.reduce not in REDUCTIONS:
        raise ShapeError(f"there is no reduction {args.reduce!r}; there are {', '.join(REDUCTIONS)}")
    if x.rank is not None and indices.rank is not None and x.rank != indices.rank:
        raise ShapeError(f"indices of {indices.rank} axes into a tensor of {x.rank}")
    return LogicalTensor(x.dtype, x.dims)


op(
    FAMILY,
    "scatter_reduce(x, indices, updates, axis, reduce, include_self=True)",
    "scatter_reduce(x, indices, updates, axis, reduce, include_self=include_self)",
    infer=_scatter_reduce_type,
    index="indices",
    traits=Trait.UNDERIVED,
)
