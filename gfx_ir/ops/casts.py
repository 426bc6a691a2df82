"""Casts: the same elements in another dtype."""

from __future__ import annotations

from types import SimpleNamespace

from ..dtypes import DType, promote_types
from ..infer.sequences import cast
from ..op import Point, Trait
from ..types import LogicalTensor
from . import _seen
from ._row import op
from ._shapes import as_type, promote, takes_open

FAMILY = "elementwise"


@takes_open
def _astype_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    return LogicalTensor(args.dtype if isinstance(args.dtype, DType) else None, as_type(args.x, rules).dims)


op(
    FAMILY,
    "astype(x, dtype)",
    lambda a: "np.asarray(x, dtype=dtype)" if _seen.is_plain(a.x) else "x.astype(dtype)",
    infer=_astype_type,
    traits=Trait.ELEMENTWISE | Trait.CASTS | Trait.TOTAL | Trait.KEEPS_SIGN | Trait.UNSAVED,
    sequence=cast,
    point=Point.KEPT,
    shares=True,
)
_cast = Trait.ELEMENTWISE | Trait.TOTAL | Trait.KEEPS_SIGN | Trait.UNSAVED


@takes_open
def _promoted_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    if x.dtype is None or not isinstance(args.dtype, DType):
        return LogicalTensor(None, x.dims)
    return LogicalTensor(promote_types(x.dtype, args.dtype, "numpy" if args.wide else "torch"), x.dims)


@takes_open
def _of_kind_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, like = as_type(args.x, rules), as_type(args.like, rules)
    dtype, _ = promote([x.with_(weak=True), like], rules)
    return LogicalTensor(dtype, x.dims)


@takes_open
def _as_floats_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    return LogicalTensor(x.dtype if x.dtype is None or x.dtype.kind in "fc" else args.dtype, x.dims)


def _promoted(args: SimpleNamespace) -> str:
    """NumPy makes wider floats of a float and whole numbers."""
    both = "x.astype(np.promote_types(x.dtype, dtype))"
    if args.wide or not isinstance(args.dtype, DType):
        return both
    if args.dtype.kind in "fc":
        return 'x.astype(dtype if x.dtype.kind in "biu" else np.promote_types(x.dtype, dtype))'
    return f'{both} if x.dtype.kind in "biu" else x'


op(
    FAMILY,
    "promote_with(x, dtype, wide=False)",
    _promoted,
    infer=_promoted_type,
    traits=_cast,
    point=Point.KEPT,
    shares=True,
    doc="x in the dtype that its own and this one promote to. `wide`: as in NumPy, where a whole number beside a float counts as the "
    "float that holds it.",
)
op(
    FAMILY,
    "as_number_beside(x, like)",
    "x.astype(np.result_type(like, x.dtype.type(0).item()))",
    infer=_of_kind_type,
    traits=Trait.SHAPE_OF_FIRST | Trait.UNSAVED,
    point=Point.KEPT,
    shares=True,
    doc="x in the dtype that a number of Python's of its kind has beside `like`: JAX has arrays that promote so.",
)
op(
    FAMILY,
    "as_floats(x, dtype)",
    'x if x.dtype.kind in "fc" else x.astype(dtype)',
    infer=_as_floats_type,
    traits=_cast,
    point=Point.KEPT,
    shares=True,
    doc="x, in this dtype where it is of whole numbers or booleans.",
)
