"""Ops that read and write by position.

`getitem` and `index_put` follow NumPy's indexing (https://numpy.org/doc/stable/user/basics.indexing.html): an integer
beside an index tensor counts as an index tensor of no axes.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import host
from ..dtypes import DType
from ..errors import ShapeError
from ..infer import comparisons
from ..op import Point, Trait
from ..types import LogicalTensor
from . import _views
from ._catalogue import ops
from ._indexing import indexed
from ._row import composite, op
from ._shapes import (
    Dims,
    as_type,
    axis_of,
    broadcast,
    fixed,
    free,
    index_dtype,
    same_dims,
    size_arg,
    stays_weak,
    takes_open,
)

FAMILY = "index"


# ---------------------------------------------------------------- subscripts
@takes_open
def _getitem_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    return LogicalTensor(x.dtype, indexed(x.dims, args.index, rules), weak=stays_weak(x.weak, rules))


@takes_open
def _index_put_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, value = as_type(args.x, rules), as_type(args.value, rules)
    target = indexed(x.dims, args.index, rules)
    if target is not None and value.dims is not None:
        fits = broadcast(value.dims, target, what="value and target")
        if fits is not None:  # axes of one element before the others are dropped
            ones = (1,) * (len(fits) - len(target))
            same_dims(fits, (*ones, *target), "the value is larger than what it is written to")
    return LogicalTensor(x.dtype, x.dims, weak=stays_weak(x.weak and value.weak, rules))


@takes_open
def _index_combine_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    if args.reduce not in ("prod", "amin", "amax"):
        raise ShapeError(f"there is no way to combine called {args.reduce!r}; there are prod, amin, amax")
    return _index_put_type(args, rules)


op(
    FAMILY,
    "getitem(x, index)",
    "x[index]",
    infer=_getitem_type,
    put=_views.put_item,
    compute=free,
    point=Point.INDEXED,
    traits=Trait.READS_AT | Trait.AFFINE,
    sequence=comparisons.indexed,
    index="index",
)
op(
    FAMILY,
    "index_put(x, index, value, accumulate=False)",
    "index_put(x, index, value, accumulate=accumulate)",
    infer=_index_put_type,
    point=Point.ARRAY,
    traits=Trait.SHAPE_OF_FIRST | Trait.APART | Trait.UNSAVED | Trait.WRITES_AT,
    index="index",
)
op(
    FAMILY,
    "index_combine(x, index, value, reduce)",
    "index_combine(x, index, value, reduce)",
    infer=_index_combine_type,
    point=Point.ARRAY,
    traits=Trait.SHAPE_OF_FIRST | Trait.APART | Trait.UNDERIVED,
    index="index",
    doc="A copy of x with x[index] and value combined, each time that the index names a position: their prod, amin or amax.",
)


# ---------------------------------------------------------------- along an axis
@takes_open
def _take_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, indices = as_type(args.x, rules), as_type(args.indices, rules)
    weak = stays_weak(x.weak, rules)
    if args.axis is None:
        return LogicalTensor(x.dtype, indices.dims, weak=weak)
    if x.dims is None or indices.dims is None or not fixed(args.axis):
        return LogicalTensor(x.dtype, weak=weak)
    at = axis_of(args.axis, len(x.dims))
    return LogicalTensor(x.dtype, (*x.dims[:at], *indices.dims, *x.dims[at + 1 :]), weak=weak)


def _along_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, indices = as_type(args.x, rules), as_type(args.indices, rules)
    weak = stays_weak(x.weak, rules)
    if x.dims is None or indices.dims is None:
        return LogicalTensor(x.dtype, weak=weak)
    if len(x.dims) != len(indices.dims):
        raise ShapeError(f"indices of {len(indices.dims)} axes into a tensor of {len(x.dims)}")
    at = axis_of(args.axis, len(x.dims))
    dims = broadcast((*x.dims[:at], 1, *x.dims[at + 1 :]), indices.dims, what="tensor and indices")
    return LogicalTensor(x.dtype, dims, weak=weak)


def _check_ranks(x: LogicalTensor, indices: LogicalTensor, axis: int) -> None:
    if x.dims is None or indices.dims is None:
        return
    if len(x.dims) != len(indices.dims):
        raise ShapeError(f"indices of {len(indices.dims)} axes into a tensor of {len(x.dims)}")
    at = axis_of(axis, len(x.dims)) if x.dims else 0
    for a, (size, wanted) in enumerate(zip(x.dims, indices.dims)):
        if a != at and isinstance(size, int) and isinstance(wanted, int) and wanted > size:
            raise ShapeError(f"indices are longer than the tensor along axis {a}: {wanted} against {size}")


def _gather_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, indices = as_type(args.x, rules), as_type(args.indices, rules)
    _check_ranks(x, indices, args.axis)
    return LogicalTensor(x.dtype, indices.dims)


@takes_open
def _scatter_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, indices = as_type(args.x, rules), as_type(args.indices, rules)
    if fixed(args.axis):
        _check_ranks(x, indices, args.axis)
    if args.reduce not in ("none", "add"):
        raise ShapeError(f"there is no way to scatter called {args.reduce!r}; there are none, add")
    return LogicalTensor(x.dtype, x.dims)


for _signature, _spelling, _rule in (
    ("take(x, indices, axis=None)", "np.take(x, indices, axis=axis)", _take_type),
    ("take_along_axis(x, indices, axis=-1)", "np.take_along_axis(x, indices, axis)", _along_type),
    ("gather(x, indices, axis)", "gather(x, indices, axis)", _gather_type),
    (
        'scatter(x, indices, updates, axis, reduce="none")',
        "scatter(x, indices, updates, axis, reduce=reduce)",
        _scatter_type,
    ),
):
    _moved = Trait.NONE if _rule is _scatter_type else Trait.STEADY
    op(FAMILY, _signature, _spelling, infer=_rule, index="indices", traits=_moved)


# ---------------------------------------------------------------- triangles, diagonals, search
@takes_open
def _triangle_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    if x.rank is not None and x.rank < 2:
        raise ShapeError("a triangle needs two axes")
    return LogicalTensor(x.dtype, x.dims, weak=stays_weak(x.weak, rules))


def _diagonal_dims(dims: Dims, args: SimpleNamespace) -> Dims:
    if dims is None:
        return None
    a, b = axis_of(args.axis1, len(dims)), axis_of(args.axis2, len(dims))
    if a == b:
        raise ShapeError("the two axes of a diagonal are the same")
    rows, columns = dims[a], dims[b]
    length = None
    if rows is not None and columns is not None and isinstance(args.offset, int):
        rows, columns = host.add(rows, min(args.offset, 0)), host.sub(columns, max(args.offset, 0))
        length = host.extremum("max", host.extremum("min", rows, columns), 0)
    return (*(d for at, d in enumerate(dims) if at not in (a, b)), length)


def _diagonal_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    return LogicalTensor(x.dtype, _diagonal_dims(x.dims, args), weak=stays_weak(x.weak, rules))


def _search_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    keys = as_type(args.sorted, rules)
    if keys.rank is not None and keys.rank != 1:
        raise ShapeError("a search goes through one axis", hint="search each row on its own")
    return LogicalTensor(index_dtype(rules), as_type(args.values, rules).dims)


def _one_hot(args: SimpleNamespace) -> str:
    return f"(x[..., None] == np.arange(num_classes)).astype({'int' if args.dtype is None else 'dtype'})"


@takes_open
def _one_hot_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    dtype = index_dtype(rules) if args.dtype is None else args.dtype if isinstance(args.dtype, DType) else None
    return LogicalTensor(dtype, None if x.dims is None else (*x.dims, size_arg(args.num_classes)))


@takes_open
def _diag_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    if x.rank not in (None, 1, 2):
        raise ShapeError(
            f"a diagonal is that of a matrix, or becomes one: this has {x.rank} axes",
            hint="for stacks of matrices take `diagonal`",
        )
    if x.rank is None or not isinstance(args.offset, int):
        return LogicalTensor(x.dtype)
    if x.rank == 1:
        size = x.dims[0]  # type: ignore[index]  # its rank is known
        return LogicalTensor(x.dtype, (None if size is None else host.add(size, abs(args.offset)),) * 2)
    return LogicalTensor(x.dtype, _diagonal_dims(x.dims, SimpleNamespace(offset=args.offset, axis1=0, axis2=1)))


_triangle = Trait.SHAPE_OF_FIRST | Trait.APART | Trait.UNSAVED | Trait.KEEPS_SIGN | Trait.STEADY | Trait.FIRST_ROWS
for _name, _up_to in (("tril", True), ("triu", False)):
    _rules: dict[str, Any] = {"infer": _triangle_type, "traits": _triangle, "sequence": comparisons.triangle(_up_to)}
    op(FAMILY, f"{_name}(x, k=0)", f"np.{_name}(x, k=k)", compute=free, **_rules)
op(
    FAMILY,
    "diagonal(x, offset=0, axis1=0, axis2=1)",
    "np.diagonal(x, offset=offset, axis1=axis1, axis2=axis2)",
    infer=_diagonal_type,
    put=_views.put_diagonal,
    compute=free,
    memory=free,
)
op(
    FAMILY,
    "diag(x, offset=0)",
    "np.diag(x, k=offset)",
    infer=_diag_type,
    compute=free,
    doc="The diagonal of a matrix, or the matrix of zeros with a vector as its diagonal: where the rank is known, `diagonal` or `diag_embed`.",
)
_of_positions = Trait.APART | Trait.UNSAVED | Trait.NOT_NEGATIVE
op(
    FAMILY,
    'searchsorted(sorted, values, side="left")',
    "np.searchsorted(sorted, values, side=side)",
    infer=_search_type,
    compute=lambda args, types: types[0].size(),
    traits=_of_positions,
)
op(FAMILY, "one_hot(x, num_classes, dtype=None)", _one_hot, infer=_one_hot_type, traits=_of_positions | Trait.CHECKS)


@composite(FAMILY, traits=Trait.ELEMENTWISE | Trait.TOTAL | Trait.APART | Trait.STEADY)
def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """x with `value`, in its dtype, where the mask is true."""
    return ops.where(mask, ops.astype(value, ops.dtype_of(x)), x)
