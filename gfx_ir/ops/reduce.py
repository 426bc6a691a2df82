"""Ops that go over axes: sums, extrema, statistics, searching, sorting.

Names and semantics: https://data-apis.org/array-api/latest/API_specification/statistical_functions.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..dtypes import DType, bool_
from ..errors import misfit
from ..infer import sequences
from ..op import Trait
from ..types import LogicalTensor
from . import _seen
from ._body import as_wide_as, element_of, narrow, widened
from ._catalogue import ops
from ._row import composite, op, summed
from ._shapes import (
    Dims,
    as_type,
    axes_of,
    boolean,
    dividing,
    fixed,
    index_dtype,
    input_size,
    real_of,
    reduced,
    replaced,
    running_dtype,
    size_arg,
    stays_weak,
    sum_dtype,
    takes_open,
    total,
)

FAMILY = "reduce"
Element = Callable[[LogicalTensor, str], DType | None]


def _element(x: LogicalTensor, rules: str) -> DType | None:
    return x.dtype


def _accumulated(x: LogicalTensor, rules: str) -> DType | None:
    return sum_dtype(x.dtype, rules)


def _averaged(x: LogicalTensor, rules: str) -> DType | None:
    return dividing((x,), rules)[0]


def _spread(x: LogicalTensor, rules: str) -> DType | None:
    return real_of(_averaged(x, rules))


def _truth(x: LogicalTensor, rules: str) -> DType | None:
    return bool_


def _position(x: LogicalTensor, rules: str) -> DType | None:
    return index_dtype(rules)


def _reduction(element: Element, empty: bool = True) -> Callable[[SimpleNamespace, str], LogicalTensor]:
    """Infer rule of a reduction over `axis`; `empty` tells whether it has a value over no elements at all."""

    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        x = as_type(args.x, rules)
        if not empty and x.dims is not None and fixed(args.axis):
            axes = axes_of(args.axis, len(x.dims))
            if any(x.dims[at] == 0 for at in axes):
                raise misfit("there is no extremum of no elements")
        dtype = getattr(args, "dtype", None)
        return LogicalTensor(dtype or element(x, rules), reduced(x.dims, args.axis, args.keepdims))

    if element in (_truth, _position):
        infer.traits = Trait.UNSAVED | Trait.NOT_NEGATIVE  # type: ignore[attr-defined]
    return infer


def _reduce(
    signature: str, spelling: Any, element: Element, empty: bool = True, traits: Trait = Trait.NONE, **more: Any
) -> None:
    traits |= Trait.NONE if element is _position else Trait.AXES  # a position among all hangs on their order
    op(
        FAMILY,
        signature,
        spelling,
        infer=_reduction(element, empty),
        compute=input_size,
        traits=traits,
        **more,
    )


_LINEAR = Trait.UNSAVED | Trait.KEEPS_SIGN | Trait.AFFINE
_NEUTRAL = {"sum": 0, "prod": 1, "all": True, "any": False}
_NOUNS = {"mean": "mean", "var": "variance", "std": "std", "argmax": "index", "argmin": "index"}
_SEQUENCES = {"all": sequences.quantified(True), "any": sequences.quantified(False)}
for _name, _between, _after, _passed, _rule, _traits in (
    ("sum", "dtype=None, ", "", "dtype=dtype, ", _accumulated, _LINEAR),
    ("prod", "dtype=None, ", "", "dtype=dtype, ", _accumulated, Trait.KEEPS_SIGN),
    ("mean", "", ", dtype=None", "dtype=dtype, ", _averaged, _LINEAR | Trait.AVERAGES),
    ("var", "correction=0, ", "", "ddof=correction, ", _spread, Trait.NOT_NEGATIVE),
    ("std", "correction=0, ", "", "ddof=correction, ", _spread, Trait.NOT_NEGATIVE),
    ("all", "", "", "", _truth, Trait.NONE),
    ("any", "", "", "", _truth, Trait.NONE),
    ("count_nonzero", "", "", "", _position, Trait.NONE),
):
    _spelling = f"np.{_name}(x, axis=axis, {_passed}keepdims=keepdims)"
    _reduce(
        f"{_name}(x, axis=None, {_between}keepdims=False{_after})",
        _spelling if _rule in (_truth, _position) else summed(_spelling),
        _rule,
        traits=_traits,
        neutral=_NEUTRAL.get(_name),
        sequence=_SEQUENCES.get(_name),
        noun=_NOUNS.get(_name, ""),
    )
for _name, _rule in (("max", _element), ("min", _element), ("argmax", _position), ("argmin", _position)):
    # one: of equal elements the first has the derivative, not each its part
    _one = ", one=False" if _rule is _element else ""
    _signature, _spelling = (
        f"{_name}(x, axis=None, keepdims=False{_one})",
        f"np.{_name}(x, axis=axis, keepdims=keepdims)",
    )
    _traits = Trait.KEEPS_SIGN if _rule is _element else Trait.NONE
    _reduce(_signature, _spelling, _rule, empty=False, traits=_traits, noun=_NOUNS.get(_name, ""))


def _accumulation(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    dims: Dims = x.dims
    if args.axis is None:
        dims = None if dims is None else (total(dims),)
    elif dims is not None and fixed(args.axis):
        axes_of(args.axis, len(dims))
    return LogicalTensor(args.dtype or running_dtype(x.dtype, rules), dims)


op(
    FAMILY,
    "cumulative_sum(x, axis=None, dtype=None)",
    summed("np.cumsum(x, axis=axis, dtype=dtype)"),
    infer=_accumulation,
    compute=input_size,
    traits=_LINEAR,
    sequence=sequences.summed_up,
)
op(
    FAMILY,
    "cumulative_prod(x, axis=None, dtype=None)",
    summed("np.cumprod(x, axis=axis, dtype=dtype)"),
    infer=_accumulation,
    compute=input_size,
    traits=Trait.KEEPS_SIGN,
)


@composite(FAMILY, traits=Trait.AXES)
def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) over axes, without overflow."""
    element = element_of(x)
    size = ops.real(x) if element is not None and element.kind == "c" else x
    top = ops.stop_gradient(ops.max(size, axis=axis, keepdims=True))
    top = ops.where(ops.isfinite(top), top, 0.0)
    out = ops.log(ops.sum(ops.exp(ops.subtract(x, top)), axis=axis, keepdims=True))
    out = ops.add(out, top)
    return out if keepdims else ops.squeeze(out, axis=axis)


@composite(FAMILY, traits=Trait.NOT_NEGATIVE)
def vector_norm(x: Any, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Any:
    """The norm of order `ord` of the vectors along axes (all elements: one vector)."""
    if narrow(x) and ord not in (math.inf, -math.inf):
        return as_wide_as(x, ops.vector_norm(widened(x), axis, keepdims, ord))
    size = ops.abs(x)
    if ord == math.inf:
        return ops.max(size, axis=axis, keepdims=keepdims)
    if ord == -math.inf:
        return ops.min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return ops.sum(ops.where(ops.not_equal(x, 0), ops.ones_like(size), 0), axis=axis, keepdims=keepdims)
    if ord == 1:
        return ops.sum(size, axis=axis, keepdims=keepdims)
    if ord == 2:
        return ops.sqrt(ops.sum(ops.square(size), axis=axis, keepdims=keepdims))
    return ops.pow(ops.sum(ops.pow(size, ord), axis=axis, keepdims=keepdims), 1 / ord)


def _sortable(x: Any) -> str:
    """NumPy leaves elements of an extension that are no numbers, and those around them, where they are."""
    return "x.astype(np.float32)" if _seen.extended(x) else "x"


def _sort(args: SimpleNamespace) -> str:
    text = f"np.sort({_sortable(args.x)}, axis=axis)"
    text = f"np.flip({text}, axis)" if args.descending else text
    return f"{text}.astype(x.dtype)" if _seen.extended(args.x) else text


def _argsort(args: SimpleNamespace) -> str:
    if args.descending:
        return f"argsort_descending({_sortable(args.x)}, axis)"
    return f"np.argsort({_sortable(args.x)}, axis=axis{', stable=True' if args.stable else ''})"


def _sorting(element: Element) -> Callable[[SimpleNamespace, str], LogicalTensor]:
    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        x = as_type(args.x, rules)
        if x.dims is not None:
            axes_of(args.axis, len(x.dims))
        return LogicalTensor(element(x, rules), x.dims, weak=element is _element and stays_weak(x.weak, rules))

    of_positions = Trait.UNSAVED | Trait.NOT_NEGATIVE
    infer.traits = of_positions if element is _position else Trait.KEEPS_SIGN  # type: ignore[attr-defined]
    return infer


@takes_open
def _topk_type(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, LogicalTensor]:
    x = as_type(args.x, rules)
    if not isinstance(args.axis, int):
        return LogicalTensor(x.dtype), LogicalTensor(index_dtype(rules))
    if x.dims is not None:
        size = x.dims[axes_of(args.axis, len(x.dims))[0]]
        if isinstance(size, int) and isinstance(args.k, int) and args.k > size:
            raise misfit(f"the {args.k} largest of {size} elements")
    dims = replaced(x.dims, args.axis, size_arg(args.k))
    return LogicalTensor(x.dtype, dims), LogicalTensor(index_dtype(rules), dims)


op(
    FAMILY,
    "sort(x, axis=-1, descending=False, stable=True)",
    _sort,
    infer=_sorting(_element),
    compute=input_size,
    noun="ordered",
)
op(
    FAMILY,
    "argsort(x, axis=-1, descending=False, stable=True)",
    _argsort,
    infer=_sorting(_position),
    compute=input_size,
)
op(
    FAMILY,
    "topk(x, k, axis=-1, largest=True)",
    "topk(x, k, axis=axis, largest=largest)",
    infer=_topk_type,
    kinds=("tensor", "tensor"),
    compute=input_size,
    noun="top",
    doc="The k largest elements and their positions, NaN as the largest; of equal ones any.",
)
op(
    FAMILY,
    "topk_total(x, k, axis=-1)",
    "topk_total(x, k, axis=axis)",
    infer=_topk_type,
    kinds=("tensor", "tensor"),
    compute=input_size,
    noun="top",
    doc="The k largest elements and their positions in the total order of IEEE 754, in which -0 is below 0 and a NaN with the "
    "sign bit set below all numbers; of equal ones the first.",
)
op(
    FAMILY,
    "array_equal(x1, x2)",
    "np.array_equal(x1, x2)",
    infer=lambda args, rules: LogicalTensor(boolean((), rules)[0], ()),
    compute=lambda args, types: args.x1.size() if isinstance(args.x1, LogicalTensor) else 1,
)
