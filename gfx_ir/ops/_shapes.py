"""Rules of shapes and dtypes that the families share: what `_dims` and `_promotion` define, put together for OpDef."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from ..dims import (
    Dims,
    axes_of,
    axis_of,
    better,
    broadcast,
    dims_text,
    fixed,
    is_size,
    may_be,
    reduced,
    replaced,
    same_dims,
    shape_arg,
    size_arg,
    total,
)
from ..host import DimLike
from ..op import Trait
from ..promotion import (
    DtypeRule,
    as_type,
    boolean,
    comparing,
    defaulting,
    dividing,
    float_of,
    floating,
    index_dtype,
    integral,
    negating,
    numeric,
    operator,
    phase,
    promote,
    raising,
    real,
    real_of,
    rounding,
    running_dtype,
    same,
    sequence_type,
    shifting,
    stays_weak,
    subtracting,
    sum_dtype,
)
from ..rules import plus
from ..types import LogicalTensor

__all__ = [
    "Dims",
    "DtypeRule",
    "as_type",
    "axes_of",
    "axis_of",
    "better",
    "boolean",
    "broadcast",
    "broadcasting",
    "comparing",
    "defaulting",
    "dims_text",
    "dividing",
    "elementwise",
    "fixed",
    "float_of",
    "floating",
    "free",
    "index_dtype",
    "input_size",
    "integral",
    "is_size",
    "may_be",
    "negating",
    "numeric",
    "raising",
    "operator",
    "plus",
    "phase",
    "promote",
    "real",
    "real_of",
    "reduced",
    "replaced",
    "rounding",
    "running_dtype",
    "same",
    "same_dims",
    "sequence_type",
    "shape_arg",
    "shifting",
    "size_arg",
    "stays_weak",
    "subtracting",
    "sum_dtype",
    "takes_open",
    "total",
]


def elementwise(rule: DtypeRule, tensors: Sequence[str] = ()) -> Callable[[SimpleNamespace, str], LogicalTensor]:
    """`broadcasting`, of an op whose elements each follow from those at their place."""
    infer = broadcasting(rule, tensors)
    rule = getattr(rule, "operator", rule)
    infer.traits = Trait.ELEMENTWISE | _OF_RULES.get(rule, Trait.NONE)  # type: ignore[attr-defined]
    return infer


_OF_RULES = {
    **dict.fromkeys((promote, negating, floating, dividing, defaulting), Trait.FLOATS),
    **dict.fromkeys((boolean, comparing.operator), Trait.UNSAVED | Trait.NOT_NEGATIVE),  # type: ignore[attr-defined]
    rounding: Trait.UNSAVED | Trait.KEEPS_SIGN,
    **dict.fromkeys((integral, shifting), Trait.UNSAVED | Trait.WHOLE | Trait.TOTAL),
}
"""What rules of dtypes tell of ops that work element by element."""


def broadcasting(rule: DtypeRule, tensors: Sequence[str] = ()) -> Callable[[SimpleNamespace, str], LogicalTensor]:
    """An infer rule: all tensor arguments (`tensors`; all arguments where not told) broadcast, the dtype by `rule`."""

    keeps = hasattr(rule, "operator")

    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        values = [getattr(args, name) for name in tensors] if tensors else list(vars(args).values())
        operands = [as_type(v, rules) for v in values]
        dtype, weak = rule(operands, rules)
        weak = weak if keeps else stays_weak(weak, rules)
        return LogicalTensor(dtype, broadcast(*(t.dims for t in operands)), weak=weak)

    return takes_open(infer)


def takes_open(infer: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a rule that knows what to do with `rules.OPEN` among its arguments; others are not asked then."""
    infer.takes_open = True  # type: ignore[attr-defined]
    return infer


def input_size(args: SimpleNamespace, types: tuple) -> DimLike | None:
    """Cost rule of reductions: one operation for each element of x."""
    return args.x.size() if isinstance(args.x, LogicalTensor) else 1


def free(args: SimpleNamespace, types: tuple) -> int:
    """Cost rule of views and queries."""
    return 0
