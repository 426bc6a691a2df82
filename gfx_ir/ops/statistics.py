"""Statistics and integrals along axes, as patterns over other ops.

Names and semantics: https://numpy.org/doc/stable/reference/routines.statistics.html; of the running sum
https://docs.pytorch.org/docs/stable/generated/torch.logcumsumexp.html
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..build import rank_of
from ..op import Point
from ..types import LogicalTensor
from . import _seen
from ._body import element_of, named
from ._catalogue import ops
from ._row import composite, op, summed
from ._shapes import as_type, axis_of, dividing, input_size

FAMILY = "reduce"


def _running_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    if x.dims is not None:
        axis_of(args.axis, len(x.dims))
    return LogicalTensor(dividing((x,), rules)[0], x.dims)


_IN_ORDER = summed("np.logaddexp.accumulate(x, axis=axis)")


def _running(args: SimpleNamespace) -> str:
    found = _seen.dtype(args.x)
    if found is not None and found.kind == "c":
        return "logcumsumexp(x, axis)"
    return _IN_ORDER(args)


op(
    FAMILY,
    "logcumsumexp(x, axis)",
    _running,
    infer=_running_type,
    compute=input_size,
    doc="log(cumulative_sum(exp(x))) along an axis, without overflow.",
)


def _part(x: Any, axis: int, part: slice) -> Any:
    everything = slice(None)
    index = (*[everything] * axis, part) if axis >= 0 else (..., part, *[everything] * (-axis - 1))
    return ops.getitem(x, index)


def areas(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """The area of each trapezoid between neighbours along an axis."""
    later, earlier = slice(1, None), slice(None, -1)
    between = ops.add(_part(y, axis, later), _part(y, axis, earlier))
    if x is None:
        return ops.multiply(between, 0.5 if dx == 1 else ops.multiply(dx, 0.5))
    if rank_of(x, "trapezoid") == 1 and (behind := -1 - axis if axis < 0 else rank_of(y, "trapezoid") - 1 - axis):
        widths = ops.subtract(_part(x, 0, later), _part(x, 0, earlier))
        widths = ops.expand_dims(widths, tuple(range(1, behind + 1)))
    else:
        widths = ops.subtract(_part(x, axis, later), _part(x, axis, earlier))
    return ops.multiply(ops.multiply(between, widths), 0.5)


@composite(FAMILY)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral along an axis of what y samples, at x or dx apart, by trapezoids."""
    return ops.sum(areas(y, x, dx, axis), axis=axis)


@composite(FAMILY, point=Point.ARRAY)
def cov(x: Any, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """Covariances of the rows of x, whose columns are observations that count fweights times, with weight aweights."""
    rank = rank_of(x, "cov")
    rows = ops.reshape(x, (1, -1)) if rank < 2 else x
    kind = element_of(rows) or ops.dtype_of(rows)
    weights = [w if _is_float(w) else ops.astype(w, kind) for w in (fweights, aweights) if w is not None]
    if not weights:
        count: Any = ops.size(rows, 1)
        weighted = rows
        mean = ops.mean(rows, axis=1, keepdims=True)
    else:
        weight = named("weight", weights[0] if len(weights) == 1 else ops.multiply(*weights))
        count = ops.sum(weight)
        mean = ops.divide(ops.sum(ops.multiply(rows, weight), axis=1, keepdims=True), count)
    off = named("off", ops.subtract(rows, mean))
    weighted = ops.multiply(off, weight) if weights else off
    found = ops.matmul(weighted, ops.conj(ops.matrix_transpose(off)))
    if aweights is not None:
        share = ops.divide(ops.sum(ops.multiply(weight, weights[-1])), count)
        free = ops.subtract(count, ops.multiply(share, correction))
    else:
        free = ops.subtract(count, correction)
    free = ops.clip(free, 0) if weights and not _is_complex(kind) else free
    found = ops.divide(found, free)
    return ops.reshape(found, ()) if rank < 2 or _seen.size_of(rows, 0) == 1 else found


def _is_float(x: Any) -> bool:
    return getattr(element_of(x), "kind", "") == "f"


def _is_complex(kind: Any) -> bool:
    return getattr(kind, "kind", "f") == "c"


@composite(FAMILY)
def corrcoef(x: Any) -> Any:
    """Correlations of the rows of x: covariances divided by both standard deviations, at most 1."""
    found = ops.cov(x)
    if rank_of(x, "corrcoef") < 2 or _seen.size_of(x, 0) == 1:
        return ops.divide(found, found)
    spread = ops.sqrt(ops.real(ops.diagonal(found)))
    found = ops.divide(ops.divide(found, ops.expand_dims(spread, 1)), ops.expand_dims(spread, 0))
    return found if _is_complex(element_of(found)) else ops.clip(found, -1, 1)
