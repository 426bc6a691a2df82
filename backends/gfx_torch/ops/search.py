"""Sets, counts, order statistics, running extrema."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir.backend import Row

from ..lifting import names, refuse
from ..lifts import finding
from ._spell import dtype_of, is_scalar, kind_of

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _unique(args: SimpleNamespace) -> str:
    floats = kind_of(args.x) in ("", "f", "c") and args.equal_nan is not False and args.axis is None
    if args.index or args.size is not None or floats:
        sized = ", size=size, fill_value=fill_value"
        return f"unique(x, axis=axis, index=index, inverse=inverse, counts=counts, equal_nan=equal_nan{sized})"
    return "torch.unique(x, return_inverse=inverse, return_counts=counts, dim=axis)"


def _quantile(name: str) -> Any:
    def spelling(args: SimpleNamespace) -> str:
        if args.method not in _INTERPOLATIONS:
            refuse(f"torch.{name} knows no method {args.method!r}", f"it knows {', '.join(_INTERPOLATIONS)}")
        x = "x.to(torch.get_default_dtype())" if kind_of(args.x) in tuple("biu") else "x"
        back, dtype = "", dtype_of(args.x)
        if dtype is not None and dtype.kind == "f" and dtype.bits < 32:  # of which torch has none
            x, back = "x.float()", f".to(torch.{dtype.name})"
        if isinstance(args.axis, (tuple, list)):
            nan = ", ignore_nan=True" if name.startswith("nan") else ""
            return f"quantile_over({x}, q, axis, keepdims=keepdims, interpolation=method{nan}){back}"
        q = "q" if isinstance(args.q, float) else f"torch.as_tensor(q, dtype={x}.dtype)"
        dim = "dim=None" if args.axis is None and args.keepdims else "dim=axis"
        return f"torch.{name}({x}, {q}, {dim}, keepdim=keepdims, interpolation=method){back}"

    return spelling


def _of_pair(call: str, part: str) -> Any:
    return lambda a: f"torch.{call}(x, dim=axis, keepdim=keepdims).{part}"


def _median(args: SimpleNamespace) -> str:
    name = "nanmedian" if args.omit_nan else "median"
    return f"torch.{name}(x)" if args.axis is None else f"torch.{name}(x, dim=axis, keepdim=keepdims).values"


def _argmedian(args: SimpleNamespace) -> str:
    return f"torch.{'nan' if args.omit_nan else ''}median(x, dim=axis, keepdim=keepdims).indices"


def _isin(args: SimpleNamespace) -> str:
    test = "torch.tensor(test)" if isinstance(args.test, (tuple, list)) else "test"
    if is_scalar(args.x) and is_scalar(args.test):
        test = "torch.as_tensor(test)"
    return f"torch.isin(x, {test}, invert=invert)"


def _bincount(args: SimpleNamespace) -> str:
    if args.length is not None:
        return "bincount(x, weights, minlength, length)"
    return "torch.bincount(x, weights=weights, minlength=minlength)"


def _histogram(args: SimpleNamespace) -> str:
    """PyTorch counts floats between edges of their own dtype, with weights of it."""
    given = {"x": args.x, "edges": args.edges, "weights": args.weights}
    found = [dtype_of(tensor) for tensor in given.values() if tensor is not None]
    known = {dtype for dtype in found if dtype is not None}
    double = None not in found and (len(known) > 1 or any(dtype.kind != "f" for dtype in known))
    x, edges, weights = (f"{name}.double()" if double and given[name] is not None else name for name in given)
    return f"torch.histogram({x}, {edges}, weight={weights}, density=density)[0]"


def _running(name: str) -> Any:
    largest = name == "cummax"
    return lambda a: (
        f"complex_running(x, {largest}, axis)" if kind_of(a.x) == "c" else f"torch.{name}(x, dim=axis).values"
    )


ROWS = (
    Row("unique", _unique, {"torch.unique Tensor.unique": finding.unique}),
    Row(
        "unique_consecutive",
        "torch.unique_consecutive(x, return_inverse=inverse, return_counts=counts, dim=axis)",
        {names("unique_consecutive"): finding.unique_consecutive},
    ),
    Row("isin", _isin, {"torch.isin": finding.isin}),
    Row("bincount", _bincount, {names("bincount"): finding.bincount}),
    Row(
        "histogram",
        _histogram,
        {names("histogram"): finding.histogram, names("histc"): finding.histc},
    ),
    Row(
        "histogramdd",
        "torch.histogramdd(x, edges, weight=weights, density=density)[0]",
        {"torch.histogramdd": finding.histogramdd},
    ),
    *(Row(n, _quantile(n), {names(n): finding.quantiles(n)}, alike=("x", "q")) for n in ("quantile", "nanquantile")),
    Row(
        "lower_median",
        _median,
        {names("median"): finding.medians(False), names("nanmedian"): finding.medians(True)},
    ),
    Row("lower_argmedian", _argmedian, keep=("axis",)),
    Row("mode", _of_pair("mode", "values"), {names("mode"): finding.mode}),
    Row("argmode", _of_pair("mode", "indices")),
    Row("cumulative_max", _running("cummax"), {names("cummax"): finding.running("max")}, keep=("axis",)),
    Row("cumulative_min", _running("cummin"), {names("cummin"): finding.running("min")}, keep=("axis",)),
    Row("cumulative_argmax", "torch.cummax(x, dim=axis).indices", keep=("axis",)),
    Row("cumulative_argmin", "torch.cummin(x, dim=axis).indices", keep=("axis",)),
    Row(
        "search_rows",
        "torch.searchsorted(sorted, values, side=side)",
    ),
)
