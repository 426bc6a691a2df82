"""Convolution, pooling and normalisation over (N, ..., C): what the ops over (N, C, ...) are where channels lie last.

Each takes what its op takes, its first argument as (N, ..., C) or (..., C), and kernels as (..., C / groups, O).
"""

from __future__ import annotations

from typing import Any

from ..build import host
from ..op import Contraction, Trait
from ._body import as_wide_as, named, widened
from ._catalogue import ops
from ._row import composite
from ._seen import type_of
from .norm import normalised

FAMILY = "nn"


def _first(x: Any, count: int) -> Any:
    """Channels before the last `count` axes."""
    return ops.moveaxis(x, -1, -count - 1)


def _last(x: Any, count: int) -> Any:
    """Channels behind them."""
    return ops.moveaxis(x, -count - 1, -1)


@composite(
    FAMILY,
    traits=Trait.RANK_OF_FIRST | Trait.FLOATS,
    contraction=Contraction(("x", "weight"), "bias", channels=-1),
)
def conv_channels_last(
    x: Any, weight: Any, bias: Any = None, stride: Any = (1,), padding: Any = (0,), dilation: Any = (1,), groups: Any = 1,
    dims: Any = 2,
) -> Any:  # fmt: skip
    """conv of x (N, ..., C) with weight (..., C / groups, O) over the `dims` axes before the last."""
    kernel = ops.permute_dims(weight, (dims + 1, dims, *range(dims)))
    return _last(ops.conv(_first(x, dims), kernel, bias, stride, padding, dilation, groups, dims), dims)


@composite(FAMILY, traits=Trait.FLOATS, contraction=Contraction(("x", "weight"), "bias"))
def conv_transpose_channels_last(
    x: Any, weight: Any, bias: Any = None, stride: Any = (1,), padding: Any = (0,), output_padding: Any = (0,),
    dilation: Any = (1,), groups: int = 1, dims: int = 2,
) -> Any:  # fmt: skip
    """conv_transpose of x (N, ..., I) with weight (..., O / groups, I) over the `dims` axes before the last."""
    kernel = ops.permute_dims(weight, (dims + 1, dims, *range(dims)))
    out = ops.conv_transpose(_first(x, dims), kernel, bias, stride, padding, output_padding, dilation, groups, dims)
    return _last(out, dims)


@composite(FAMILY, traits=Trait.RANK_OF_FIRST | Trait.STEADY)
def max_pool_channels_last(
    x: Any, kernel: Any, stride: Any, padding: Any = (0,), dilation: Any = (1,), ceil_mode: Any = False
) -> Any:
    """max_pool over the axes before the last."""
    count = len(kernel)
    return _last(ops.max_pool(_first(x, count), kernel, stride, padding, dilation, ceil_mode), count)


@composite(FAMILY, traits=Trait.RANK_OF_FIRST)
def avg_pool_channels_last(
    x: Any, kernel: Any, stride: Any, padding: Any = (0,), ceil_mode: Any = False, count_include_pad: Any = True,
    divisor: Any = None,
) -> Any:  # fmt: skip
    """avg_pool over the axes before the last."""
    count = len(kernel)
    return _last(ops.avg_pool(_first(x, count), kernel, stride, padding, ceil_mode, count_include_pad, divisor), count)


@composite(FAMILY, traits=Trait.RANK_OF_FIRST)
def adaptive_avg_pool_channels_last(x: Any, output_size: Any) -> Any:
    """adaptive_avg_pool over the axes before the last."""
    return _last(ops.adaptive_avg_pool(_first(x, len(output_size)), output_size), len(output_size))


@composite(FAMILY, traits=Trait.RANK_OF_FIRST)
def adaptive_max_pool_channels_last(x: Any, output_size: Any) -> Any:
    """adaptive_max_pool over the axes before the last."""
    return _last(ops.adaptive_max_pool(_first(x, len(output_size)), output_size), len(output_size))


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST)
def batch_norm_channels_last(x: Any, mean: Any, var: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """batch_norm of x (N, ..., C)."""
    return as_wide_as(x, normalised(widened(x), mean, var, weight, bias, eps))


@composite(FAMILY, kinds=("tensor", "tensor", "tensor"))
def batch_norm_train_channels_last(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """batch_norm_train of x (N, ..., C)."""
    rows = named("rows", ops.reshape(widened(x), (-1, ops.size(x, -1))))
    mean = named("mean", ops.mean(rows, axis=0))
    var = named("var", ops.var(rows, axis=0))
    return ops.batch_norm_channels_last(x, mean, var, weight, bias, eps), mean, var


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST)
def group_norm_channels_last(x: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """group_norm of x (N, ..., C)."""
    if 0 in (type_of(x).dims or ()):
        return x
    inside = host("//", ops.size(x, -1), num_groups)
    groups = named("groups", ops.reshape(widened(x), (ops.size(x, 0), -1, num_groups, inside)))
    centred = named("centred", ops.subtract(groups, named("mean", _over_groups(groups))))
    var = named("var", _over_groups(ops.square(centred)))
    out = ops.multiply(centred, ops.rsqrt(ops.add(var, eps)))
    out = ops.reshape(out, ops.shape(x))
    if weight is not None:
        out = ops.multiply(out, weight)
    return as_wide_as(x, out if bias is None else ops.add(out, bias))


def _over_groups(x: Any) -> Any:
    """The mean over places and the channels of a group, one after the other: XLA sums over axes apart far slower."""
    return ops.mean(ops.mean(x, axis=1, keepdims=True), axis=3, keepdims=True)


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST)
def instance_norm_channels_last(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """instance_norm of x (N, ..., C)."""
    return ops.group_norm_channels_last(x, ops.size(x, -1), weight, bias, eps)
