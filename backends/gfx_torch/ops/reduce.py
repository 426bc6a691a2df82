"""Ops that go over axes."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import dtype_of
from gfx_ir.op import OpDef, lookup

from ..lifting import Pair, axes, floating, is_number, names
from ..lifts import finding
from ..lifts.measures import vector_norm
from ._spell import kind_of

_NONE = {"x": "x[None]", "axis": "0", "keepdims": "False"}


def _over_none(spelling: Callable[[SimpleNamespace], str]) -> Callable[[SimpleNamespace], str]:
    """Over no axes each element stays; torch goes over all of them where it is given none, so that it gets one of size 1."""

    def spelled(args: SimpleNamespace) -> str:
        if not isinstance(args.axis, (tuple, list)) or args.axis:
            return spelling(args)
        text = spelling(SimpleNamespace(**{**vars(args), "axis": 0, "keepdims": False}))
        return re.sub(r"\b(x|axis|keepdims)\b(?!=)", lambda found: _NONE[found.group()], text)

    return spelled


def _over(function: str, extra: str = "") -> Callable[[SimpleNamespace], str]:
    """torch.function(x, dim=, keepdim=), where keepdim alone needs a dim."""

    def spelling(args: SimpleNamespace) -> str:
        dim = "dim=None" if args.axis is None and args.keepdims else "dim=axis"
        return f"torch.{function}({_counted(args.x, function)}, {dim}, keepdim=keepdims{extra})"

    return spelling


def _counted(x: Any, function: str) -> str:
    """x in a dtype that the function takes: means are of floats, and positions not of booleans."""
    kind = kind_of(x)
    if function in ("mean", "var", "std") and kind and kind in "biu":
        return "x.to(torch.get_default_dtype())"
    return "x.int()" if function in ("argmax", "argmin") and kind == "b" else "x"


def _extremum(name: str) -> Callable[[SimpleNamespace], str]:
    def spelling(args: SimpleNamespace) -> str:
        if kind_of(args.x) == "c":
            return f"complex_extremum(x, {name == 'max'}, axis=axis, keepdims=keepdims)"
        if args.axis is None and not args.keepdims:
            return f"torch.{name}(x)"
        if args.one:
            return f"torch.{name}(x, dim=axis, keepdim=keepdims).values"
        return f"torch.a{name}(x, dim=axis, keepdim=keepdims)"

    return spelling


def _spread(name: str) -> Callable[[SimpleNamespace], str]:
    """torch.var and std, whose own correction is 1."""

    def spelling(args: SimpleNamespace) -> str:
        own = type(args.correction) is int and args.correction == 1
        dim = "dim=None" if args.axis is None and args.keepdims else "dim=axis"
        return (
            f"torch.{name}({_counted(args.x, name)}, {dim}, {'' if own else 'correction=correction, '}keepdim=keepdims)"
        )

    return spelling


def _prod(args: SimpleNamespace) -> str:
    """torch.prod takes one axis."""
    if args.axis is None:
        return "torch.prod(x, dtype=dtype)" + (".reshape((1,) * x.ndim)" if args.keepdims else "")
    if not isinstance(args.axis, (tuple, list)):
        return "torch.prod(x, dim=axis, keepdim=keepdims, dtype=dtype)"
    text = "x"
    for axis in args.axis:
        text = f"torch.prod({text}, dim={axis}, keepdim=True, dtype=dtype)"
    return text if args.keepdims else f"torch.squeeze({text}, dim=axis)"


def _truth(name: str) -> Callable[[SimpleNamespace], str]:
    def spelling(args: SimpleNamespace) -> str:
        dim = "dim=None" if args.axis is None and args.keepdims else "dim=axis"
        x = "x.bool()" if kind_of(args.x) == "u" else "x"
        return f"torch.{name}({x}, {dim}, keepdim=keepdims)"

    return spelling


def _position(name: str) -> Callable[[SimpleNamespace], str]:
    def spelling(args: SimpleNamespace) -> str:
        x = _counted(args.x, name)
        if args.axis is None and args.keepdims:
            return f"torch.{name}({x}).reshape((1,) * x.ndim)"
        return f"torch.{name}({x}, dim=axis, keepdim=keepdims)"

    return spelling


def _count(args: SimpleNamespace) -> str:
    if not args.keepdims:
        return "torch.count_nonzero(x, dim=axis)"
    return f"torch.sum(x != 0, dim={'None' if args.axis is None else 'axis'}, keepdim=keepdims)"


def _running(name: str) -> Callable[[SimpleNamespace], str]:
    return lambda a: f"torch.{name}({'x.flatten(), dim=0' if a.axis is None else 'x, dim=axis'}, dtype=dtype)"


def _logsumexp(args: SimpleNamespace) -> str:
    if args.axis is not None:
        return "torch.logsumexp(x, dim=axis, keepdim=keepdims)"
    return (
        "torch.logsumexp(x, dim=tuple(range(x.ndim)), keepdim=keepdims)"
        if args.keepdims
        else "torch.logsumexp(x.flatten(), dim=0)"
    )


# ---------------------------------------------------------------- lifts
def _cumulative(op: OpDef) -> Callable[..., Any]:
    def lift(input: Any, dim: Any, *, dtype: Any = None) -> Any:
        return op(input, axis=dim, dtype=dtype)

    return lift


def _sum(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    return ops.sum(input, axis=axes(dim), dtype=dtype, keepdims=keepdim)


def _mean(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    return ops.mean(input, axis=axes(dim), keepdims=keepdim, dtype=dtype)


def product(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """torch.prod."""
    return ops.prod(input, axis=dim, dtype=dtype, keepdims=keepdim)


def _max_or_min(name: str) -> Callable[..., Any]:
    """torch.max(x), torch.max(x, dim) -> (values, indices), torch.max(x, other)."""
    extremum, position = lookup(name), lookup(f"arg{name}")
    larger = {"max": ops.maximum, "min": ops.minimum}[name]

    def fn(input: Any, dim: Any = None, keepdim: Any = False, *, other: Any = None) -> Any:
        if other is not None:
            return larger(input, other)
        if dim is None:
            return extremum(input)
        if not isinstance(dim, int) and not is_number(dim):
            return larger(input, dim)
        return Pair(extremum(input, axis=dim, keepdims=keepdim, one=True), position(input, axis=dim, keepdims=keepdim))

    return fn


def _reducer(name: str) -> Callable[..., Any]:
    op = lookup(name)
    return lambda input, dim=None, keepdim=False: op(input, axis=axes(dim), keepdims=keepdim)


def _test(name: str) -> Callable[..., Any]:
    """torch.all and any, which go over no axes where they are given none, and give uint8 of uint8."""
    op = lookup(name)

    def lift(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
        found, element = op(input, axis=dim if dim == () else axes(dim), keepdims=keepdim), dtype_of(input)
        return (
            ops.astype(found, element) if element is not None and element.kind == "u" and element.bits == 8 else found
        )

    return lift


def _deviation(name: str) -> Callable[..., Any]:
    """torch.var(x, unbiased), (x, dim, unbiased, keepdim), (x, dim, *, correction, keepdim)."""
    op = lookup(name)

    def fn(
        input: Any, *args: Any, dim: Any = None, unbiased: Any = None, correction: Any = 1, keepdim: Any = False
    ) -> Any:
        if args and isinstance(args[0], bool):
            unbiased, args = args[0], args[1:]
        given = dict(zip(("dim", "unbiased", "keepdim"), args))
        dim, keepdim = given.get("dim", dim), given.get("keepdim", keepdim)
        unbiased = given.get("unbiased", unbiased)
        amount = correction if unbiased is None else int(unbiased)
        return op(input, axis=axes(dim), correction=1 if amount is None else amount, keepdims=keepdim)

    return fn


var, std = _deviation("var"), _deviation("std")


def _with_mean(spread: Callable[..., Any]) -> Callable[..., Any]:
    def fn(input: Any, *args: Any, dim: Any = None, keepdim: Any = False, **kwargs: Any) -> Any:
        over = args[0] if args and not isinstance(args[0], bool) else dim
        kept = args[2] if len(args) > 2 else keepdim
        return spread(input, *args, dim=dim, keepdim=keepdim, **kwargs), ops.mean(input, axis=axes(over), keepdims=kept)

    return fn


def _sort(input: Any, dim: Any = -1, descending: Any = False, stable: Any = False) -> Any:
    order = ops.argsort(input, axis=dim, descending=descending, stable=True)
    return Pair(ops.sort(input, axis=dim, descending=descending), order)


def _topk(input: Any, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Any:
    return Pair(*ops.topk(input, k, axis=dim, largest=largest))


_TRUE = {
    name: ".".join(("torch", f"_is_{name}_true")) for name in ("all", "any")
}  # what torch.distributions asks; no public name has it
ROWS = (
    Row("sum", _over_none(_over("sum", ", dtype=dtype")), {names("sum"): _sum}),
    Row("prod", _over_none(_prod), {names("prod"): product}),
    Row("max", _over_none(_extremum("max")), {names("max"): _max_or_min("max"), names("amax"): _reducer("max")}),
    Row("min", _over_none(_extremum("min")), {names("min"): _max_or_min("min"), names("amin"): _reducer("min")}),
    Row("mean", _over_none(_over("mean", ", dtype=dtype")), {names("mean"): _mean}),
    Row(
        "var", _over_none(_spread("var")), {names("var"): var, "torch.var_mean": _with_mean(var)}, keep=("correction",)
    ),
    Row(
        "std", _over_none(_spread("std")), {names("std"): std, "torch.std_mean": _with_mean(std)}, keep=("correction",)
    ),
    Row("all", _truth("all"), {names("all"): _test("all"), _TRUE["all"]: lambda input: ops.all(input)}, bytes=True),
    Row("any", _truth("any"), {names("any"): _test("any"), _TRUE["any"]: lambda input: ops.any(input)}, bytes=True),
    Row("argmax", _position("argmax"), {names("argmax"): _reducer("argmax")}),
    Row("argmin", _position("argmin"), {names("argmin"): _reducer("argmin")}),
    Row(
        "count_nonzero",
        _over_none(_count),
        {names("count_nonzero"): lambda input, dim=None: ops.count_nonzero(input, axis=axes(dim))},
    ),
    Row(
        "cumulative_sum",
        _running("cumsum"),
        {names("cumsum"): _cumulative(ops.cumulative_sum)},
    ),
    Row(
        "cumulative_prod",
        _running("cumprod"),
        {names("cumprod"): _cumulative(ops.cumulative_prod)},
    ),
    Row(
        "logsumexp",
        _over_none(_logsumexp),
        {
            f"{names('logsumexp')} torch.special.logsumexp": lambda input, dim, keepdim=False: ops.logsumexp(
                floating(input), axis=axes(dim), keepdims=keepdim
            )
        },
    ),
    Row(
        "vector_norm",
        _over_none(lambda a: "torch.linalg.vector_norm(x, ord=ord, dim=axis, keepdim=keepdims)"),
        {"torch.linalg.vector_norm": vector_norm},
    ),
    Row(
        "sort",
        lambda a: (
            "complex_sort(x, axis=axis, descending=descending)"
            if kind_of(a.x) == "c"
            else "torch.sort(x, dim=axis, descending=descending).values"
        ),
        {names("msort"): lambda input: ops.sort(input, axis=0), names("sort"): _sort},
    ),
    Row(
        "argsort",
        lambda a: (
            "complex_argsort(x, axis=axis, descending=descending)"
            if kind_of(a.x) == "c"
            else f"torch.argsort(x, dim=axis, descending=descending{', stable=True' if a.stable else ''})"
        ),
        {
            names("argsort"): lambda input, dim=-1, descending=False, stable=False: ops.argsort(
                input, axis=dim, descending=descending, stable=stable
            )
        },
    ),
    Row("topk", "torch.topk(x, k, dim=axis, largest=largest)", {names("topk"): _topk}),
    Row("topk_total", "topk_total(x, k, axis=axis)"),
    Row(
        "array_equal",
        "torch.tensor(torch.equal(x1, x2))",
        {names("equal"): finding.equal},
    ),
)
