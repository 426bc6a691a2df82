"""Transposed convolution, F.unfold and F.fold."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row

from ..lifts.layers import batched, each
from .nn import keyword


def conv_transpose(dims: int) -> Callable[..., Any]:
    """F.conv_transpose1d, 2d, 3d."""

    def fn(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Any = 1,
        dilation: Any = 1,
    ) -> Any:
        settings = (each(stride, dims), each(padding, dims), each(output_padding, dims), each(dilation, dims), groups)
        return batched(input, dims, lambda x: ops.conv_transpose(x, weight, bias, *settings, dims))

    return fn


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """F.unfold."""
    settings = (each(kernel_size, 2), each(stride, 2), each(padding, 2), each(dilation, 2))
    return batched(input, 2, lambda x: ops.unfold_windows(x, *settings))


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """F.fold."""
    settings = (each(output_size, 2), each(kernel_size, 2), each(stride, 2), each(padding, 2), each(dilation, 2))
    return batched(input, 1, lambda x: ops.fold_windows(x, *settings))


def _spelling(args: SimpleNamespace) -> str:
    return (
        f"F.conv_transpose{args.dims}d(x, weight, bias=bias{keyword('stride', args.stride, 1)}"
        f"{keyword('padding', args.padding, 0)}{keyword('output_padding', args.output_padding, 0)}"
        f"{keyword('dilation', args.dilation, 1)}, groups=groups)"
    )


def _windows(args: SimpleNamespace) -> str:
    return f"{keyword('dilation', args.dilation, 1)}{keyword('padding', args.padding, 0)}{keyword('stride', args.stride, 1)}"


ROWS = (
    Row(
        "conv_transpose",
        _spelling,
        {f"F.conv_transpose{n}d torch.conv_transpose{n}d": conv_transpose(n) for n in (1, 2, 3)},
    ),
    Row("unfold_windows", lambda a: f"F.unfold(x, kernel{_windows(a)})", {"F.unfold": unfold}),
    Row("fold_windows", lambda a: f"F.fold(x, output_size, kernel{_windows(a)})", {"F.fold": fold}),
)
