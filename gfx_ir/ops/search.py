"""Ops that look for elements: sets, counts, order statistics, running extrema.

Sets: https://data-apis.org/array-api/latest/API_specification/set_functions.html
Quantiles: Hyndman and Fan, Sample quantiles in statistical packages (1996), the names as NumPy has them.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import dtypes
from ..dtypes import DType, bool_, framework_of
from ..errors import ShapeError
from ..op import Point, Trait
from ..types import LogicalTensor
from . import _seen
from ._catalogue import ops
from ._row import composite, op
from ._shapes import (
    Dims,
    as_type,
    axes_of,
    axis_of,
    dividing,
    fixed,
    index_dtype,
    input_size,
    reduced,
    replaced,
    size_arg,
    takes_open,
)

FAMILY = "search"


def _counted(rules: str) -> DType:
    return dtypes.default("i", rules) if framework_of(rules) == "jax" else index_dtype(rules)


# ---------------------------------------------------------------- sets
def _flags(args: SimpleNamespace) -> tuple[bool, ...]:
    return tuple(bool(getattr(args, name, False)) for name in ("index", "inverse", "counts"))


def _outputs(args: SimpleNamespace) -> tuple[str, ...]:
    return ("tensor",) * (1 + sum(_flags(args)))


@takes_open
def _unique_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, ...]:
    x = as_type(args.x, rules)
    size = size_arg(getattr(args, "size", None))
    dims: Dims = (size,) if args.axis is None else replaced(x.dims, args.axis, size)
    element, index, inverse, counts = _counted(rules), *_flags(args)
    found = [LogicalTensor(x.dtype, dims)]
    if index:
        found.append(LogicalTensor(element, (size,)))
    if inverse:
        along = x.dims if args.axis is None else None if x.dims is None else (x.dims[axis_of(args.axis, len(x.dims))],)
        found.append(LogicalTensor(element, along))
    if counts:
        found.append(LogicalTensor(element, (size,)))
    return tuple(found)


def _unique(args: SimpleNamespace) -> str:
    if args.size is not None:
        return "unique(x, axis, index, inverse, counts, equal_nan=equal_nan, size=size, fill_value=fill_value)"
    flags = "return_index=index, return_inverse=inverse, return_counts=counts"
    return f"np.unique(x, {flags}, axis=axis, equal_nan=equal_nan)"


def _isin_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    return LogicalTensor(bool_, as_type(args.x, rules).dims)


op(
    FAMILY,
    "unique(x, axis=None, index=False, inverse=False, counts=False, equal_nan=True, size=None, fill_value=None)",
    _unique,
    infer=_unique_type,
    kinds=_outputs,
    compute=input_size,
)
op(
    FAMILY,
    "unique_consecutive(x, axis=None, inverse=False, counts=False)",
    "unique_consecutive(x, axis=axis, inverse=inverse, counts=counts)",
    infer=_unique_type,
    kinds=_outputs,
    compute=input_size,
)
op(
    FAMILY,
    "isin(x, test, invert=False)",
    "np.isin(x, test, invert=invert)",
    infer=takes_open(_isin_type),
    point=Point.ARRAY,
)


# ---------------------------------------------------------------- counts
@takes_open
def _bincount_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    weights = None if args.weights is None else as_type(args.weights, rules).dtype
    element = _counted(rules) if args.weights is None else dtypes.float64 if rules == "numpy" else weights
    if framework_of(rules) == "torch" and weights is not None:
        element = weights if weights is dtypes.float32 else dtypes.float64
    return LogicalTensor(element, (size_arg(args.length),))


def _bincount(args: SimpleNamespace) -> str:
    if args.length is None:
        return "np.bincount(x, weights=weights, minlength=minlength)"
    return "bincount(x, weights, minlength, length)"


def _spans(edges: Any) -> Any:
    size = edges.dims[0] if edges.dims else None
    return size - 1 if isinstance(size, int) else None


@takes_open
def _histogram_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, many = as_type(args.x, rules), isinstance(args.edges, (tuple, list))
    edges = [as_type(e, rules) for e in (args.edges if many else (args.edges,))]
    element: DType | None = None
    if framework_of(rules) == "torch":
        element = dividing((x, *edges), rules)[0]
    elif rules == "numpy" and not many:
        weights = None if args.weights is None else as_type(args.weights, rules).dtype
        element = dtypes.float64 if args.density else dtypes.int64 if args.weights is None else weights
    elif rules == "numpy":
        element = dtypes.float64
    elif framework_of(rules) == "jax":
        element = dividing((x, *edges), rules)[0]
    return LogicalTensor(element, tuple(map(_spans, edges)))


op(
    FAMILY,
    "bincount(x, weights=None, minlength=0, length=None)",
    _bincount,
    infer=_bincount_type,
    compute=input_size,
    traits=Trait.CHECKS,
)
op(
    FAMILY,
    "histogram(x, edges, weights=None, density=False)",
    "np.histogram(x, edges, weights=weights, density=density)[0]",
    infer=_histogram_type,
    compute=input_size,
)
op(
    FAMILY,
    "histogramdd(x, edges, weights=None, density=False)",
    "np.histogramdd(x, edges, weights=weights, density=density)[0]",
    infer=_histogram_type,
    compute=input_size,
)


# ---------------------------------------------------------------- order statistics
@takes_open
def _quantile_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    q = as_type(args.q, rules) if not isinstance(args.q, (tuple, list)) else LogicalTensor(None, (len(args.q),))
    element = dividing((x,), rules)[0]
    if rules == "numpy":
        element = dividing((x, q), rules)[0] if q.dtype is not None else None
    rest = reduced(x.dims, args.axis, args.keepdims)
    return LogicalTensor(element, None if rest is None or q.dims is None else (*q.dims, *rest))


for _name in ("quantile", "nanquantile"):
    op(
        FAMILY,
        f'{_name}(x, q, axis=None, keepdims=False, method="linear")',
        f"np.{_name}(x, q, axis=axis, keepdims=keepdims, method=method)",
        infer=_quantile_type,
        compute=input_size,
    )


@composite(FAMILY)
def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The middle element along axes, of an even number the mean of the two in the middle, which two infinities have as well."""
    lower, higher = (ops.quantile(x, 0.5, axis=axis, keepdims=keepdims, method=name) for name in ("lower", "higher"))
    return ops.divide(ops.add(lower, higher), 2)


@composite(FAMILY)
def nanmedian(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The median of the elements that are not NaN."""
    lower, higher = (ops.nanquantile(x, 0.5, axis=axis, keepdims=keepdims, method=name) for name in ("lower", "higher"))
    return ops.divide(ops.add(lower, higher), 2)


@composite(FAMILY)
def lower_argmedian(x: Any, axis: int = -1, keepdims: bool = False, omit_nan: bool = False) -> Any:
    """The position of the middle element along an axis, of an even number the smaller of the two in the middle.

    That of a NaN where there is one, unless these are left out.
    """
    order = ops.argsort(x, axis=axis)
    nan = ops.not_equal(x, x)
    count = ops.count_nonzero(ops.equal(x, x), axis=axis, keepdims=True)
    middle = ops.maximum(ops.floor_divide(ops.subtract(count, 1), 2), 0)
    if not omit_nan:
        none = ops.equal(ops.count_nonzero(nan, axis=axis, keepdims=True), 0)
        middle = ops.where(none, middle, count)
    found = ops.take_along_axis(order, middle, axis=axis)
    return found if keepdims else ops.squeeze(found, axis=axis)


@composite(FAMILY)
def lower_median(x: Any, axis: Any = None, keepdims: bool = False, omit_nan: bool = False) -> Any:
    """The middle element, of an even number the smaller of the two in the middle; NaN where there is one, unless these
    are left out."""
    along = 0 if axis is None else axis
    values = ops.flatten(x) if axis is None else x
    if _seen.size_of(values, along) == 0:
        if axis is not None or getattr(_seen.dtype(values), "kind", "") != "f":
            raise ShapeError("there is no middle element of none")
        return ops.mean(values)  # which is no number, as the median is
    at = ops.lower_argmedian(values, axis=along, keepdims=True, omit_nan=omit_nan)
    found = ops.take_along_axis(values, at, axis=along)
    return found if keepdims and axis is not None else ops.squeeze(found, axis=along)


@composite(FAMILY)
def argmode(x: Any, axis: int = -1, keepdims: bool = False) -> Any:
    """The last position of the element that occurs most often along an axis, the smallest of several."""
    rows = ops.moveaxis(x, axis, -1)
    ordered = ops.sort(rows, axis=-1)
    same = ops.equal(ops.expand_dims(ordered, -1), ops.expand_dims(ordered, -2))
    often = ops.argmax(ops.count_nonzero(same, axis=-1), axis=-1, keepdims=True)
    found = ops.equal(rows, ops.take_along_axis(ordered, often, axis=-1))
    last = ops.subtract(ops.size(rows, -1), ops.add(ops.argmax(ops.flip(found, axis=-1), axis=-1, keepdims=True), 1))
    return ops.moveaxis(last, -1, axis) if keepdims else ops.squeeze(last, axis=-1)


@composite(FAMILY)
def mode(x: Any, axis: int = -1, keepdims: bool = False) -> Any:
    """The element that occurs most often along an axis, the smallest of several."""
    found = ops.take_along_axis(x, ops.argmode(x, axis=axis, keepdims=True), axis=axis)
    return found if keepdims else ops.squeeze(found, axis=axis)


# ---------------------------------------------------------------- running extrema
def _running_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    if x.dims is not None and fixed(args.axis):
        axes_of(args.axis, len(x.dims))
    return LogicalTensor(x.dtype, x.dims)


for _name, _ufunc in (("cumulative_max", "maximum"), ("cumulative_min", "minimum")):
    op(
        FAMILY,
        f"{_name}(x, axis=0)",
        f"np.{_ufunc}.accumulate(x, axis=axis)",
        infer=_running_type,
        compute=input_size,
    )


def _reached(x: Any, running: Any, axis: int) -> Any:
    """The last position so far at which x is what runs along."""
    size = ops.size(x, axis)
    steps = ops.arange(size)
    steps = ops.expand_dims(steps, tuple(range(1, -axis))) if axis < -1 else steps
    at = ops.where(ops.logical_or(ops.equal(x, running), ops.not_equal(x, x)), steps, 0)
    return ops.cumulative_max(at, axis=axis)


@composite(FAMILY)
def cumulative_argmax(x: Any, axis: int = -1) -> Any:
    """The last position so far of the largest element so far along an axis counted from the end."""
    return _reached(x, ops.cumulative_max(x, axis=axis), axis)


@composite(FAMILY)
def cumulative_argmin(x: Any, axis: int = -1) -> Any:
    """The last position so far of the smallest element so far along an axis counted from the end."""
    return _reached(x, ops.cumulative_min(x, axis=axis), axis)


@composite(FAMILY)
def search_rows(sorted: Any, values: Any, side: str = "left") -> Any:
    """Where each value belongs in its own sorted row (the last axis), before ("left") or behind ("right") its equals."""
    behind = ops.greater_equal if side == "left" else ops.greater
    not_before = behind(ops.expand_dims(sorted, -2), ops.expand_dims(values, -1))  # NaN is behind all
    return ops.count_nonzero(ops.logical_not(not_before), axis=-1)
