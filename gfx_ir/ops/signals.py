"""Vectors as samples of a signal or as coefficients of a polynomial.

Names and semantics: https://numpy.org/doc/stable/reference/routines.polynomials-package.html (its poly1d part) and
https://numpy.org/doc/stable/reference/routines.math.html.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..build import rank_of
from ..dtypes import bool_, framework_of
from ..types import LogicalTensor
from . import _seen
from ._body import element_of
from ._catalogue import ops
from ._row import composite, op
from ._shapes import as_type, dividing, promote

FAMILY = "reduce"


def _convolve_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    a, b = as_type(args.x1, rules), as_type(args.x2, rules)
    sizes = [t.dims[0] for t in (a, b) if t.dims]
    known = sorted(size for size in sizes if isinstance(size, int))
    length = None
    if len(known) == 2:
        short, long = known
        length = {"full": long + short - 1, "same": long, "valid": long - short + 1}[args.mode]
    element = (dividing if framework_of(rules) == "jax" else promote)((a, b), rules)[0]  # JAX convolves floats
    return LogicalTensor(element, (length,))


op(
    FAMILY,
    'convolve(x1, x2, mode="full")',
    "np.convolve(x1, x2, mode=mode)",
    infer=_convolve_type,
    compute=lambda args, types: types[0].size(),
    doc="The discrete convolution of two vectors: all of it, as much as the longer one has, or where both overlap.",
)


@composite(FAMILY)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """The values at x of the line through the points (xp, fp), xp rising; beyond its ends `left` and `right`."""
    last = ops.subtract(ops.size(xp, 0), 1)
    after = ops.minimum(ops.maximum(ops.searchsorted(xp, x, side="right"), 1), last)
    before = ops.subtract(after, 1)
    x0, y0, y1 = ops.take(xp, before, axis=0), ops.take(fp, before, axis=0), ops.take(fp, after, axis=0)
    width = ops.subtract(ops.take(xp, after, axis=0), x0)
    flat = ops.equal(width, 0)  # at the end alone, where the last points are equal
    slope = ops.divide(ops.subtract(y1, y0), ops.where(flat, 1, width))
    found = ops.where(flat, y1, ops.add(y0, ops.multiply(ops.subtract(x, x0), slope)))
    found = ops.where(ops.less(x, ops.getitem(xp, 0)), ops.getitem(fp, 0) if left is None else left, found)
    return ops.where(ops.greater(x, ops.getitem(xp, -1)), ops.getitem(fp, -1) if right is None else right, found)


@composite(FAMILY)
def polyval(p: Any, x: Any) -> Any:
    """The polynomial with coefficients p, the highest power first, at x; coefficients that are arrays are the rows of p."""
    powers, given = ops.flip(ops.arange(ops.size(p, 0))), [element_of(part) for part in (p, x)]
    own = (_seen.rank(p) or 1) - 1
    if own:
        axis, depth = 0, max(own, rank_of(x, "polyval of coefficients that are arrays"))
        powers = ops.expand_dims(powers, tuple(range(1, depth + 1)))
        p = ops.expand_dims(p, tuple(range(1, 1 + depth - own))) if depth > own else p
    else:
        axis, x = -1, ops.expand_dims(x, -1)
    if all(element is bool_ for element in given):
        return ops.any(ops.logical_and(p, ops.logical_or(x, ops.equal(powers, 0))), axis=axis)
    terms = ops.multiply(p, ops.pow(x, ops.astype(powers, given[1] or ops.dtype_of(x))))
    whole = all(element is not None and element.kind in "iu" for element in given)
    return ops.sum(terms, axis=axis, dtype=element_of(terms) if whole else None)  # as wide as Horner's rule leaves it
