"""Pooling, and what puts elements back."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir.backend import Row

from ..lifts import pools
from .nn import keyword, same


def _window_options(args: SimpleNamespace) -> str:
    stride = "" if args.stride == args.kernel else keyword("stride", args.stride)
    padding, dilation = keyword("padding", args.padding, 0), keyword("dilation", args.dilation, 1)
    return f"{same(args.kernel) or 'kernel'}{stride}{padding}{dilation}, ceil_mode=ceil_mode"


def _max_pool(args: SimpleNamespace) -> str:
    return f"F.max_pool{len(args.kernel)}d(x, {_window_options(args)})"


def _with_indices(args: SimpleNamespace) -> str:
    return f"F.max_pool{len(args.kernel)}d(x, {_window_options(args)}, return_indices=True)"


def _avg_pool(args: SimpleNamespace) -> str:
    if args.divisor is not None and len(args.kernel) == 1:  # avg_pool1d has no divisor
        over = "x.unsqueeze(-2)", (1, *args.kernel), (1, *args.stride), (0, *args.padding)
        return (
            f"F.avg_pool2d({over[0]}, {over[1]}, {over[2]}, {over[3]}, ceil_mode=ceil_mode, divisor_override=divisor)"
            ".squeeze(-2)"
        )
    divisor = "" if args.divisor is None else ", divisor_override=divisor"
    stride = "" if args.stride == args.kernel else keyword("stride", args.stride)
    return (
        f"F.avg_pool{len(args.kernel)}d(x, {same(args.kernel) or 'kernel'}{stride}"
        f"{keyword('padding', args.padding, 0)}"
        f", ceil_mode=ceil_mode, count_include_pad=count_include_pad{divisor})"
    )


def _adaptive(name: str, options: str = "") -> Any:
    def spelling(args: SimpleNamespace) -> str:
        size = args.output_size
        text = "output_size" if None in size else same(size) or "output_size"
        return f"F.adaptive_{name}_pool{len(size)}d(x, {text}{options})"

    return spelling


def _fractional(args: SimpleNamespace) -> str:
    options = "output_size=output_size, return_indices=True, _random_samples=samples"
    return f"F.fractional_max_pool{len(args.kernel)}d(x, kernel, {options})"


ROWS = (
    Row("max_pool", _max_pool, pools.MAX_POOL),
    Row("max_pool_with_indices", _with_indices, pools.MAX_WITH_INDICES),
    Row("avg_pool", _avg_pool, pools.AVG_POOL),
    Row("adaptive_avg_pool", _adaptive("avg"), pools.ADAPTIVE_AVG),
    Row("adaptive_max_pool", _adaptive("max"), pools.ADAPTIVE_MAX),
    Row("adaptive_max_pool_with_indices", _adaptive("max", ", return_indices=True"), pools.ADAPTIVE_WITH_INDICES),
    Row("fractional_max_pool", _fractional, pools.FRACTIONAL),
    Row(
        "local_response_norm",
        "F.local_response_norm(x, size, alpha=alpha, beta=beta, k=k)",
        pools.LOCAL_RESPONSE,
    ),
)
