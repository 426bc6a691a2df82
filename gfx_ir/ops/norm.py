"""Normalisation layers, as patterns over other ops. None of them needs the rank of its argument.

Of x with fewer bits than float32 all is computed in float32, as PyTorch does: squares of its elements would overflow.
"""

from __future__ import annotations

from typing import Any

from ..build import host
from ..dtypes import float32
from ..errors import ShapeError
from ..op import ChannelsLast, Trait
from ..rules import OPEN
from ._body import as_wide_as, element_of, named, widened
from ._catalogue import ops
from ._row import composite
from ._seen import type_of

FAMILY = "nn"


def _last_axes(normalized_shape: Any, name: str) -> Any:
    """The axes that a normalized_shape stands for, counted from the end."""
    if normalized_shape is OPEN:
        return OPEN
    if not isinstance(normalized_shape, (tuple, list)):
        hint = "write normalized_shape as a tuple with one entry for each axis"
        raise ShapeError(f"{name} must know over how many axes it goes", hint=hint)
    return -1 if len(normalized_shape) == 1 else tuple(range(-len(normalized_shape), 0))


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST)
def layer_norm(x: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """(x - mean) / sqrt(var + eps) * weight + bias over the last axes (arXiv:1607.06450)."""
    axes = _last_axes(normalized_shape, "layer_norm")
    wide = widened(x)
    mean = named("mean", ops.mean(wide, axis=axes, keepdims=True))
    var = named("var", ops.var(wide, axis=axes, keepdims=True))
    out = ops.multiply(ops.subtract(wide, mean), ops.rsqrt(ops.add(var, eps)))
    if weight is not None:
        out = ops.multiply(out, weight)
    return as_wide_as(x, out if bias is None else ops.add(out, bias))


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST)
def rms_norm(x: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    """x / sqrt(mean(x**2) + eps) * weight over the last axes (arXiv:1910.07467).

    `eps` is that of the dtype where it is None; of float32 for narrower ones, as torch has it.
    """
    axes = _last_axes(normalized_shape, "rms_norm")
    wide = widened(x)
    if eps is None:
        eps = ops.finfo(ops.dtype_of(wide), "eps")
        if element_of(wide) is None:
            eps = host("min", eps, ops.finfo(float32, "eps"))
    mean_square = named("mean_square", ops.mean(ops.square(wide), axis=axes, keepdims=True))
    out = ops.multiply(wide, ops.rsqrt(ops.add(mean_square, eps)))
    return as_wide_as(x, out if weight is None else ops.multiply(out, weight))


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST, channels_last=ChannelsLast("group_norm_channels_last"))
def group_norm(x: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """Each group of channels normalised over its channels and positions (arXiv:1803.08494); x is (N, C, ...)."""
    if 0 in (type_of(x).dims or ()):  # no sizes of groups follow from what is empty
        return x
    groups = named("groups", ops.reshape(widened(x), (ops.size(x, 0), num_groups, -1)))
    mean = named("mean", ops.mean(groups, axis=-1, keepdims=True))
    var = named("var", ops.var(groups, axis=-1, keepdims=True))
    out = ops.multiply(ops.subtract(groups, mean), ops.rsqrt(ops.add(var, eps)))
    if weight is not None or bias is not None:
        out = ops.reshape(out, (ops.size(x, 0), ops.size(x, 1), -1))
    if weight is not None:
        out = ops.multiply(out, ops.expand_dims(weight, -1))
    if bias is not None:
        out = ops.add(out, ops.expand_dims(bias, -1))
    return as_wide_as(x, ops.reshape(out, ops.shape(x)))


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST, channels_last=ChannelsLast("instance_norm_channels_last"))
def instance_norm(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """Each channel of each sample normalised over its positions (arXiv:1607.08022); x is (N, C, ...)."""
    return ops.group_norm(x, ops.size(x, 1), weight, bias, eps)


def normalised(x: Any, mean: Any, var: Any, weight: Any, bias: Any, eps: Any) -> Any:
    """(x - mean) / sqrt(var + eps) * weight + bias, each given for the last axis of x."""
    out = ops.multiply(ops.subtract(x, mean), ops.rsqrt(ops.add(var, eps)))
    if weight is not None:
        out = ops.multiply(out, weight)
    return out if bias is None else ops.add(out, bias)


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST, channels_last=ChannelsLast("batch_norm_channels_last"))
def batch_norm(x: Any, mean: Any, var: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """(x - mean) / sqrt(var + eps) * weight + bias, each given for the channels of x, which is (N, C, ...)."""
    out = normalised(ops.moveaxis(widened(x), 1, -1), mean, var, weight, bias, eps)
    return as_wide_as(x, ops.moveaxis(out, -1, 1))


@composite(FAMILY, kinds=("tensor", "tensor", "tensor"), channels_last=ChannelsLast("batch_norm_train_channels_last"))
def batch_norm_train(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """batch_norm by the batch's own statistics (arXiv:1502.03167): the result, the mean and the biased variance."""
    channels = named("channels", ops.reshape(ops.moveaxis(widened(x), 1, 0), (ops.size(x, 1), -1)))
    mean = named("mean", ops.mean(channels, axis=1))
    var = named("var", ops.var(channels, axis=1))
    return ops.batch_norm(x, mean, var, weight, bias, eps), mean, var
