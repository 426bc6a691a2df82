"""Ops that read and write by position."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import host
from gfx_ir.graph import Value
from gfx_ir.lifting.ranks import alike, just, vector
from gfx_ir.types import LogicalTensor

from ..lifting import INT64, names, require_index
from ..lifts import finding, scattering
from ..lifts.indexing import taken_for_tuple
from ._spell import as_index, is_scalar, scattered


# ---------------------------------------------------------------- spellings
def _getitem(args: SimpleNamespace) -> str:
    items = args.index if isinstance(args.index, tuple) else (args.index,)
    index = _index(args.index)
    return f"getitem_backwards(x, {index})" if _backwards(items) else f"x[{index}]"


def _index_put(args: SimpleNamespace) -> str:
    items = args.index if isinstance(args.index, tuple) else (args.index,)
    index = _index(args.index)
    if _backwards(items):
        return f"index_put_backwards(x, {index}, value, accumulate=accumulate)"
    return f"{'index_add' if args.accumulate else 'index_put'}(x, {index}, value)"


def _index_combine(args: SimpleNamespace) -> str:
    index = _index(args.index)
    if not _backwards(args.index if isinstance(args.index, tuple) else (args.index,)):
        return f"index_combine(x, {index}, value, reduce)"
    positions = f"getitem_backwards(torch.arange(x.numel(), device=x.device).reshape(x.shape), {index})"
    return f"index_combine(x.flatten(), {positions}, value, reduce).reshape(x.shape)"


def _index(index: Any) -> str:
    """An index as NumPy means it: torch takes integers out first, and a list of more than numbers for a tuple."""
    if isinstance(index, tuple):
        return "numpy_index(index)" if _apart(index) else "index"
    return "(index,)" if taken_for_tuple(index) else "index"


def _place(args: SimpleNamespace) -> str:
    """An index tensor takes values of the very dtype, and so does an addition in place."""
    items = args.index if isinstance(args.index, tuple) else (args.index,)
    if _backwards(items) or _apart(items) or taken_for_tuple(args.index):
        return ""
    alone = all(isinstance(i, (slice, int, type(None), type(...))) or _is_number(i) for i in items)
    strict = args.accumulate or not alone
    return "x[index]" if (alone or not args.accumulate) and (not strict or _same_dtype(args.value, args.x)) else ""


def _is_number(item: Any) -> bool:
    """Whether an item of an index names one place: Python data, or a tensor without axes."""
    known = item.type if isinstance(item, Value) else None
    return is_scalar(item) or (isinstance(known, LogicalTensor) and known.dims == ())


def _same_dtype(value: Any, x: Value) -> bool:
    if not isinstance(value, Value):
        return type(value) is int
    known, own = value.type, x.type
    typed = isinstance(known, LogicalTensor) and isinstance(own, LogicalTensor)
    return typed and known.dtype is not None and known.dtype == own.dtype  # type: ignore[union-attr]  # both are


def _backwards(items: tuple) -> bool:
    """Whether a slice runs backwards, which torch does not take."""
    return any(isinstance(i, slice) and isinstance(i.step, int) and i.step < 0 for i in items)


def _apart(items: tuple) -> bool:
    """Whether integers and index tensors stand in an index with something between: NumPy and torch differ there."""
    integers = [at for at, i in enumerate(items) if is_scalar(i) and not isinstance(i, bool)]
    tensors = [
        at
        for at, i in enumerate(items)
        if isinstance(i, list) or (not isinstance(i, (slice, int, type(None), type(...))) and not is_scalar(i))
    ]
    chosen = sorted(integers + tensors)
    return bool(integers and tensors) and chosen[-1] - chosen[0] != len(chosen) - 1


def _take(args: SimpleNamespace) -> str:
    """A subscript at the axis, which takes indices of any shape, negative ones too."""
    axis, indices = args.axis, as_index("indices", args.indices, ("int64", "int32"))
    if isinstance(args.indices, (tuple, list)):
        indices = "list(indices)"
    if axis is None:
        return f"x.flatten()[{indices}]"
    if not isinstance(axis, int):
        return f"torch.index_select(x, axis, {indices})"
    if axis >= 0:
        return f"x[{':, ' * axis}{indices}]"
    return f"x[..., {indices}{', :' * (-axis - 1)}]"


def _scatter(args: SimpleNamespace) -> str:
    indices = as_index("indices", args.indices)
    if args.reduce == "none":
        return f"torch.scatter(x, axis, {indices}, {'updates' if is_scalar(args.updates) else scattered(args)})"
    return f"torch.scatter_add(x, axis, {indices}, {scattered(args)})"


def _one_hot(args: SimpleNamespace) -> str:
    """F.one_hot refuses what is out of range; a comparison gives zeros there, as other frameworks do."""
    return "(x[..., None] == torch.arange(num_classes, device=x.device))" + (
        ".long()" if args.dtype is None else ".to(dtype)"
    )


def _search(args: SimpleNamespace) -> str:
    return "torch.searchsorted(sorted, values, side=side)"


# ---------------------------------------------------------------- lifts
def _index_put_lift(input: Any, indices: Any, values: Any, accumulate: Any = False) -> Any:
    return ops.index_put(input, tuple(slice(None) if i is None else i for i in indices), values, accumulate)


def _one_hot_lift(tensor: Any, num_classes: Any = -1) -> Any:
    require_index("F.one_hot", tensor, "int64")
    if isinstance(num_classes, int) and num_classes < 0:  # as many as the largest number tells
        num_classes = host("+", ops.to_python(ops.max(tensor), "int"), 1)
    return ops.one_hot(tensor, num_classes, dtype=INT64)


def _diagonal(input: Any, offset: Any = 0, dim1: Any = 0, dim2: Any = 1) -> Any:
    return ops.diagonal(input, offset=offset, axis1=dim1, axis2=dim2)


def _linalg_diagonal(A: Any, *, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Any:
    return _diagonal(A, offset, dim1, dim2)


def _index_select(input: Any, dim: Any, index: Any) -> Any:
    """torch.index_select: the axis stays, also where the index has none and is one position."""
    return ops.take(input, vector("torch.index_select", index), axis=dim)


def _take_along(input: Any, indices: Any, dim: Any = None) -> Any:
    if dim is None:
        return ops.take_along_axis(ops.flatten(input), ops.flatten(indices), axis=0)
    return ops.take_along_axis(input, indices, axis=dim)


ROWS = (
    Row("getitem", _getitem),
    Row("index_put", _index_put, {names("index_put"): _index_put_lift}, spare=True, place=_place),
    Row("index_combine", _index_combine),
    Row(
        "take",
        _take,
        {
            names("index_select"): _index_select,
            names("take"): lambda input, index: ops.take(input, index, axis=None),
        },
    ),
    Row(
        "take_along_axis",
        lambda a: f"torch.take_along_dim(x, {as_index('indices', a.indices)}, dim=axis)",
        {names("take_along_dim"): _take_along},
        keep=("axis",),
    ),
    Row(
        "gather",
        lambda a: f"torch.gather(x, axis, {as_index('indices', a.indices)})",
        {names("gather"): alike("torch.gather", scattering.gather, 0, 2)},
    ),
    Row("scatter", _scatter, {names("scatter"): scattering.scatter, names("scatter_add"): scattering.scatter_add}),
    Row("tril", "torch.tril(x, diagonal=k)", {names("tril"): lambda input, diagonal=0: ops.tril(input, k=diagonal)}),
    Row("triu", "torch.triu(x, diagonal=k)", {names("triu"): lambda input, diagonal=0: ops.triu(input, k=diagonal)}),
    Row(
        "diagonal",
        "torch.diagonal(x, offset=offset, dim1=axis1, dim2=axis2)",
        {names("diagonal"): _diagonal, "torch.linalg.diagonal": _linalg_diagonal},
    ),
    Row(
        "searchsorted",
        _search,
        {
            "torch.searchsorted": finding.searchsorted,
            "torch.bucketize": just("torch.bucketize", finding.bucketize, None, 1),
        },
    ),
    Row("one_hot", _one_hot, {"F.one_hot": _one_hot_lift}),
    Row(
        "masked_fill",
        "torch.masked_fill(x, mask, value)",
        {names("masked_fill"): finding.masked_fill},
    ),
)
